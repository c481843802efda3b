#include "bench/launching/stops.h"

#include "harness/process/process.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ANCESTORS_MAX = 64 };

void stops_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGHUP);
}

/* The slurmstepd above this process.  If it dies, Slurm considers the job ended
 * and may run it again, but does not tell any process. */
static int watch_job(void)
{
    struct process process = {.parent = getppid()};
    if (getenv("SLURM_JOB_ID") == NULL)
        return -1;
    for (int i = 0; i < ANCESTORS_MAX && process.parent > 1; i++) {
        if (!process_read(process.parent, &process))
            return -1;
        if (strcmp(process.name, "slurmstepd") == 0)
            return (int)syscall(SYS_pidfd_open, process.pid, 0);
    }
    return -1;
}

int stops_open(struct stops *stops, struct error *err)
{
    sigset_t set;
    stops_signals(&set);
    *stops = (struct stops){-1, -1};
    if (sigprocmask(SIG_BLOCK, &set, NULL) == 0)
        stops->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (stops->signals < 0)
        return error_set(err, errno, "cannot watch signals: %s",
                         strerror(errno));
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    stops->job = watch_job();
    return 0;
}

void stops_close(struct stops *stops)
{
    if (stops->signals >= 0)
        close(stops->signals);
    if (stops->job >= 0)
        close(stops->job);
    *stops = (struct stops){-1, -1};
}

bool stops_came(const struct stops *stops)
{
    struct signalfd_siginfo info;
    struct pollfd job = {.fd = stops->job, .events = POLLIN};
    bool came = false;
    while (read(stops->signals, &info, sizeof(info)) == sizeof(info))
        came = true;
    return came || poll(&job, 1, 0) > 0;
}
