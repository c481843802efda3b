/* Hidden commands, which a run starts: the ranks of a launch, and processes
 * that compete with its workers or stop them. */
#include "bench/options/command.h"

#include "harness/disturb/load.h"
#include "harness/disturb/stopper.h"
#include "harness/launch/launch.h"
#include "harness/process/earlier.h"
#include "harness/process/guard.h"

#include <errno.h>
#include <stdlib.h>

/* For the launcher only: a worklist, and seconds until MPI must be up. */
int launch_command(int argc, char **argv)
{
    struct error err;
    if (argc == 3) {
        guard_begin(strtod(argv[2], NULL));
        if (earlier_await_worklist(argv[1], EARLIER_LIMIT_S, &err) != 0)
            return command_fail(COMMAND_FAILED, &err);
        return launch_main(argv[1]);
    }
    error_set(&err, EINVAL, "launch is started by dlsbench run");
    return command_fail(COMMAND_USAGE, &err);
}

/* For the ranks only: a process that competes with a worker. */
int busy_command(int argc, char **argv)
{
    struct error err;
    if (argc == 2)
        return load_busy(argv[1]);
    error_set(&err, EINVAL, "busy is started by the ranks of dlsbench run");
    return command_fail(COMMAND_USAGE, &err);
}

/* Only for ranks: a process that stops one of them for a while. */
int stopper_command(int argc, char **argv)
{
    struct error err;
    if (argc == 2)
        return stopper_serve(argv[1]);
    error_set(&err, EINVAL, "stopper is started by the ranks of dlsbench run");
    return command_fail(COMMAND_USAGE, &err);
}
