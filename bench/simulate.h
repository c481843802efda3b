/* Launches on a simulated cluster: smpirun starts dlsbench-sim, which stands
 * beside this program, with a rank for every simulated core. */
#ifndef BENCH_SIMULATE_H
#define BENCH_SIMULATE_H

#include "base/error.h"
#include "harness/plan.h"

#include <limits.h>

struct simulate_host {
    char name[128];
    int cores;
};

struct simulate {
    struct plan_simulation plan; /* what the user asked for */
    char program[PATH_MAX];      /* dlsbench-sim */
    struct simulate_host *hosts; /* by name, numbers in it by value */
    int count;
    long cores; /* of all hosts */
};

/* Finds smpirun and dlsbench-sim and asks them for the platform's hosts.
 * Returns 0, -ENOENT (not there: what to install or build) or -EINVAL (no
 * platform that SimGrid reads). */
int simulate_open(struct simulate *simulate, struct error *err);
void simulate_close(struct simulate *simulate);

/* Whether a launch of this shape has a core for each thread and fits into the
 * memory that is available.  Returns 0, -EBUSY or -ENOMEM. */
int simulate_check(const struct simulate *simulate, int ranks, int threads,
                   struct error *err);

/* Writes the hosts of the ranks to `hostfile` and makes the command; free it
 * with launcher_free.  The threads of a rank are ranks of SMPI that share a
 * host.  NULL with a text on errors. */
char **simulate_argv(const struct simulate *simulate, int ranks, int threads,
                     const char *plan, const char *hostfile, struct error *err);

#endif
