/* Multi-installment, M.I.x: x rounds over all workers by increasing G, without
 * overlap (Bharadwaj, Ghose, Mani, Robertazzi: Scheduling Divisible Loads in
 * Parallel and Distributed Systems, 1996, chapter 10; the paper's section 6).
 *
 * With chunks 1 .. x p in the order they are sent, chunk n of worker i(n):
 *     w_i L_n = sum_(m = n+1 .. n+p-1) G_i(m) L_m          not the last round
 *     w_i L_n = (G_i(n+1) + w_i(n+1)) L_(n+1)              last round, n < x p
 * So a worker ends a chunk just when its next message can leave, and all end
 * together.  (For workers with overlap the sum goes to n+p: a chunk lasts until
 * the next has come.)  Latencies and start-ups are not in the equations, but
 * they are in the times of the plan.  A single worker gets everything at
 * once. */
#ifndef SCHED_DIVISIBLE_INSTALLMENTS_H
#define SCHED_DIVISIBLE_INSTALLMENTS_H

#include "sched/divisible/plan.h"

enum { DIVISIBLE_INSTALLMENTS_MAX = 8 };

/* The equations that size the chunks.  The plan is timed without overlap. */
enum divisible_equations {
    DIVISIBLE_NO_OVERLAP,
    DIVISIBLE_WITH_OVERLAP /* of workers with front ends; too large for others
                            */
};

/* Plans `load` in x rounds, 1 to DIVISIBLE_INSTALLMENTS_MAX.  `plan` is empty
 * before, has its times afterwards, and must be freed also after an error.
 * Returns 0, -ENOMEM, or -EINVAL with a text: x out of range, or a platform
 * with overlap, for which the equations do not hold. */
int divisible_installments(const struct divisible_platform *platform,
                           double load, int x,
                           enum divisible_equations equations,
                           struct divisible_plan *plan, struct error *err);

#endif
