/* A process between the driver and the launcher of a launch.  Whatever the
 * launch starts comes back to the reaper when its own parent ends, so nothing
 * of a launch outlives it: neither when the launcher dies before its ranks,
 * nor when the driver is killed. */
#ifndef BENCH_LAUNCHING_REAPER_H
#define BENCH_LAUNCHING_REAPER_H

#include "base/error.h"

#include <sys/types.h>

/* The resources used by all processes of a launch on this host. */
struct reaper_usage {
    double cpu_s;
    long preempted; /* involuntary context switches */
};

/* Its report when no process is left. */
struct reaper_end {
    int reason;   /* errno of a launcher that could not be started, or 0 */
    int status;   /* of the launcher, as of waitpid */
    pid_t remain; /* a process that a SIGKILL does not end, or 0 */
    struct reaper_usage usage;
};

struct reaper {
    pid_t pid;
    int report; /* readable at its end */
};

/* Starts argv with `out` and `err` as its output.  SIGTERM tells the reaper to
 * stop it: the launcher gets SIGTERM, and SIGKILL after 5 s. */
int reaper_start(char *const argv[], int out, int err_fd, struct reaper *reaper,
                 struct error *err);

/* Reads the report, once it is there.  Where the reaper itself was killed, its
 * part is done here, and the status is the reaper's. */
void reaper_finish(struct reaper *reaper, struct reaper_end *end);

#endif
