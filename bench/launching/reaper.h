/* A process between the driver and a launcher.  Orphans of the launch become
 * children of the reaper, so that no process outlives the launch: neither when
 * the launcher dies before its ranks, nor when the driver is killed. */
#ifndef BENCH_LAUNCHING_REAPER_H
#define BENCH_LAUNCHING_REAPER_H

#include "base/error.h"

#include <sys/types.h>

/* The resources used by all processes of a launch on this host. */
struct reaper_usage {
    double cpu_s;
    long preempted; /* involuntary context switches */
};

/* Its report after the last process has ended. */
struct reaper_end {
    int reason;   /* errno of a launcher that could not start, or 0 */
    int status;   /* of the launcher, from waitpid */
    pid_t remain; /* a process that SIGKILL does not end, or 0 */
    struct reaper_usage usage;
};

struct reaper {
    pid_t pid;
    int report; /* readable when it ends */
};

/* Starts argv with `out` and `err` as its output.  SIGTERM to the reaper stops
 * it: the launcher gets SIGTERM, and SIGKILL after 5 s. */
int reaper_start(char *const argv[], int out, int err_fd, struct reaper *reaper,
                 struct error *err);

/* Reads the report when it is there.  If the reaper was killed, does its work
 * here, and the status is the reaper's. */
void reaper_finish(struct reaper *reaper, struct reaper_end *end);

#endif
