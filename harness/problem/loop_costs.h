/* The known costs of a loop's iterations, for schemes that need them
 * (SCHED_NEEDS_COST). */
#ifndef HARNESS_PROBLEM_LOOP_COSTS_H
#define HARNESS_PROBLEM_LOOP_COSTS_H

#include "harness/problem/loop.h"

/* The cost before iteration i, iterations + 1 of them, the same on every rank;
 * they stay the loop's.  choice, a cell's `costs`: model, the kernel's
 * operations; measured, the serial loop's seconds; last, what the last time
 * step took, at first the kernel's operations; else a file of costs.
 * Collective.  Returns 0, -ENOTSUP, or -errno with a text; not agreed. */
int loop_costs(struct loop *loop, const char *choice, const struct comm *comm,
               const double **before, struct error *err);

/* Iterations [start, start + size) took so long on a worker of power 1. */
struct loop_took {
    int64_t start, size;
    double seconds;
};

/* Costs `last`, in place: those of the kernel again, before a repetition; or
 * those of a step whose chunks, all of them, in any order, took that.  Inside
 * a chunk the costs keep their proportions.  Sorts the chunks.  The same on
 * every rank that has the same chunks. */
void loop_costs_begin(struct loop *loop);
void loop_costs_step(struct loop *loop, struct loop_took *took, int64_t count);

/* Its part for measured costs: copies them, collectively; false: there are
 * none. */
bool loop_measured(const struct loop *loop, const struct comm *comm,
                   double *before);

/* Frees what loop_costs made; by loop_close. */
void loop_costs_close(struct loop *loop);

#endif
