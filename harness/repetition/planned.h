/* A plan of protocol push for one cell: which worker gets which iterations, in
 * which order.  The algorithms of sched/divisible divide a load of one unit per
 * iteration; the loop's chunks are consecutive in the order of sending.
 * Replanned rounds start from this plan; its makespan assumes no
 * disturbance. */
#ifndef HARNESS_REPETITION_PLANNED_H
#define HARNESS_REPETITION_PLANNED_H

#include "harness/problem/loop.h"
#include "harness/transport/push/push.h"
#include "harness/workers/context.h"
#include "sched/divisible/algorithm.h"
#include "sched/divisible/platform.h"

struct planned {
    struct push_chunk *list; /* freed by planned_free */
    int64_t count;
    double predicted_s; /* the makespan on that platform */
    int rounds;
    int raised; /* rounds whose T_p was below its latencies and was raised */
    struct push_replan replan;       /* what replanned rounds need */
    struct divisible_worker *worker; /* the platform's; freed here; NULL: the
                                        list is the plan */
};

/* Collective: plans a cell of protocol push for its platform
 * (harness/repetition/push_platform.h); other cells have no list.  All ranks
 * return the same code. */
int planned_open(struct planned *planned, const struct setup *setup,
                 const struct loop *loop, const struct tree *tree,
                 const struct launch_context *context, struct error *err);

/* planned_open for a known platform.  Returns 0 or -errno with a text. */
int planned_make(struct planned *planned, const struct divisible_choice *choice,
                 int64_t iterations, const struct divisible_platform *platform,
                 struct error *err);
void planned_free(struct planned *planned);

#endif
