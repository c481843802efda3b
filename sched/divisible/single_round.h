/* Single-round plans: one message to each worker that takes part, section 4 of
 * the paper (see platform.h).  All participants end together; a worker without
 * load gets no message, also inside a given order. */
#ifndef SCHED_DIVISIBLE_SINGLE_ROUND_H
#define SCHED_DIVISIBLE_SINGLE_ROUND_H

#include "sched/divisible/plan.h"

/* The search over all orders is exact up to here. */
enum { DIVISIBLE_EXACT_MAX = 12 };

/* The best plan that sends to workers in this order (`count` different ones,
 * the others get nothing), and may leave some of them out: exact for any
 * platform.  `plan` is empty before, has its times afterwards, and must be
 * freed also after an error.  Returns 0 or -ENOMEM. */
int divisible_single_given(const struct divisible_platform *platform,
                           double load, const int *order, int count,
                           struct divisible_plan *plan, struct error *err);

/* The best plan over all orders; plan.order says how it was found:
 *     theorem 1     no latencies, no start-ups: increasing G
 *     theorem 2     equal G, no start-ups: increasing g w
 *     exact         up to DIVISIBLE_EXACT_MAX workers: over all subsets
 *     heuristic     more: the best of the orders by divisible_key, made better
 *                   by exchanging neighbours; may not be optimal
 * Same ownership and errors. */
int divisible_single_best(const struct divisible_platform *platform,
                          double load, struct divisible_plan *plan,
                          struct error *err);

#endif
