/* What a loop knows about the costs of its iterations, for schemes that count
 * with them (SCHED_NEEDS_COST). */
#ifndef HARNESS_LOOP_LOOP_COSTS_H
#define HARNESS_LOOP_LOOP_COSTS_H

#include "harness/loop/loop.h"

/* The cost before iteration i, iterations + 1 of them, the same on every rank;
 * they stay the loop's.  choice, a cell's `costs`: model, the kernel's
 * operations; measured, the serial loop's seconds; else a file of costs.
 * Collective.  Returns 0, -ENOTSUP, or -errno with a text; not agreed. */
int loop_costs(struct loop *loop, const char *choice, const struct comm *comm,
               const double **before, struct error *err);

/* Its part for measured costs: copies them, collectively; false: there are
 * none. */
bool loop_measured(const struct loop *loop, const struct comm *comm,
                   double *before);

/* Frees what loop_costs made; by loop_close. */
void loop_costs_close(struct loop *loop);

#endif
