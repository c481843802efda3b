/* A process between the driver and the launcher of a launch.  Whatever the
 * launch starts comes back to the keeper when its own parent ends, so nothing
 * of a launch outlives it: neither when the launcher dies before its ranks,
 * nor when the driver is killed. */
#ifndef BENCH_LAUNCHING_KEEPER_H
#define BENCH_LAUNCHING_KEEPER_H

#include "base/error.h"

#include <sys/types.h>

/* The resources used by all processes of a launch on this host. */
struct keeper_usage {
    double cpu_s;
    long preempted; /* involuntary context switches */
};

/* Its report when no process is left. */
struct keeper_end {
    int reason;   /* errno of a launcher that could not be started, or 0 */
    int status;   /* of the launcher, as of waitpid */
    pid_t remain; /* a process that a SIGKILL does not end, or 0 */
    struct keeper_usage usage;
};

struct keeper {
    pid_t pid;
    int report; /* readable at its end */
};

/* Starts argv with `out` and `err` as its output.  SIGTERM tells the keeper to
 * stop it: the launcher gets SIGTERM, and SIGKILL after 5 s. */
int keeper_start(char *const argv[], int out, int err_fd, struct keeper *keeper,
                 struct error *err);

/* Reads the report, once it is there.  Where the keeper itself was killed, its
 * part is done here, and the status is the keeper's. */
void keeper_finish(struct keeper *keeper, struct keeper_end *end);

#endif
