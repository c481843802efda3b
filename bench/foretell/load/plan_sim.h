/* Plans as messages on SimGrid: an evaluator that is not ours.
 *
 * SimGrid keeps one simulation in a process, so it runs in a separate one,
 * build/dlsbench-plan-sim (bench/sim/), which gets plans and answers with
 * makespans through a socket until it is closed. */
#ifndef BENCH_FORETELL_LOAD_PLAN_SIM_H
#define BENCH_FORETELL_LOAD_PLAN_SIM_H

#include "base/error.h"
#include "sched/divisible/plan.h"

#include <stdint.h>
#include <sys/types.h>

/* The message through the socket: this, the workers, then for each plan its
 * number of chunks (int64_t) and its chunks.  The answer is a double for each
 * plan, s. */
struct plan_sim_request {
    int32_t workers, overlap, plans, reserved;
};
struct plan_sim_chunk {
    int32_t worker, reserved;
    double load;
};

struct plan_sim {
    pid_t pid;
    int socket;
    int plans; /* asked and not yet answered */
};

/* Starts the program in this one's folder, for platforms of up to `workers`
 * workers.  Returns 0 or -errno with a text (-ENOENT: it was not built). */
int plan_sim_open(struct plan_sim *sim, int workers, struct error *err);
void plan_sim_close(struct plan_sim *sim);

/* Sends `count` plans of one platform; they are simulated one after the other
 * while the caller continues.  Their times need not be filled in.  Returns 0 or
 * -EIO. */
int plan_sim_submit(struct plan_sim *sim,
                    const struct divisible_platform *platform,
                    const struct divisible_plan *plan, int count,
                    struct error *err);

/* Waits for the makespans of the last submitted plans, seconds[0 .. count - 1].
 * Returns 0 or -EIO. */
int plan_sim_collect(struct plan_sim *sim, double *seconds, struct error *err);

#endif
