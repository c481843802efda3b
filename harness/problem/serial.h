/* The loop on one worker alone, by the thread of rank 0 that calls.  The loop
 * is measured when it is opened, and again in turns with its cells, so that
 * what happens to the machine happens to both.  In simulation there are no
 * passes. */
#ifndef HARNESS_PROBLEM_SERIAL_H
#define HARNESS_PROBLEM_SERIAL_H

#include "harness/problem/loop.h"

/* When the loop is opened: a pass to warm up, the first pass that counts, and
 * the cost of each iteration.  Returns 0, -ENOMEM, or -EBUSY with a text if the
 * kernel starts threads, as some BLAS do. */
int serial_open(struct loop *loop, struct error *err);

/* One more pass.  The output is wiped.  Returns 0 or -ENOMEM. */
int serial_pass(struct loop *loop, struct error *err);

/* The times of the passes since `from`, at most LOOP_PASSES of the last ones,
 * in no order; returns how many. */
int serial_times(const struct loop *loop, int from, double took_s[LOOP_PASSES]);

/* The median of the passes so far over serial_s, by which cost_before has
 * become longer since the loop was opened; 1 in simulation. */
double serial_drift(const struct loop *loop);

#endif
