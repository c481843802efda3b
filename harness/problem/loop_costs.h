/* The costs of a loop's iterations, for schemes that need them
 * (SCHED_NEEDS_COST). */
#ifndef HARNESS_PROBLEM_LOOP_COSTS_H
#define HARNESS_PROBLEM_LOOP_COSTS_H

#include "harness/problem/loop.h"

/* Sets *before to the sums of costs before iteration i, iterations + 1 of them,
 * the same on every rank; the loop keeps them. choice, a cell's `costs`: model,
 * the kernel's operations; measured, seconds of the serial loop; last, times of
 * the last time step, at first the kernel's operations; else a file of costs.
 * Collective.  Returns 0, -ENOTSUP, or -errno with a text; not agreed. */
int loop_costs(struct loop *loop, const char *choice, const struct comm *comm,
               const double **before, struct error *err);

/* The time of iterations [start, start + size) on a worker of power 1. */
struct loop_took {
    int64_t start, size;
    double seconds;
};

/* Updates costs `last`: loop_costs_begin, before a repetition, sets the
 * kernel's; loop_costs_step takes the times of a step from all its chunks, in
 * any order.  Within a chunk the costs keep their proportions.  Sorts the
 * chunks.  Ranks with equal chunks get equal costs. */
void loop_costs_begin(struct loop *loop);
void loop_costs_step(struct loop *loop, struct loop_took *took, int64_t count);

/* For measured costs: copies them to all ranks, collectively; false: there are
 * none. */
bool loop_measured(const struct loop *loop, const struct comm *comm,
                   double *before);

/* Frees what loop_costs made; by loop_close. */
void loop_costs_close(struct loop *loop);

#endif
