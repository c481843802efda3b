/* The loop on one worker alone, in the calling thread of rank 0.  It is
 * measured at its opening, and then alternating with its cells, so that changes
 * of the machine affect both.  In simulation there are no passes. */
#ifndef HARNESS_PROBLEM_SERIAL_H
#define HARNESS_PROBLEM_SERIAL_H

#include "harness/problem/loop.h"

/* At the opening of a loop: runs a warm-up pass and the first counted pass, and
 * measures the cost of each iteration.  Returns 0, -ENOMEM, or -EBUSY with a
 * text if the kernel starts threads, as some BLAS do. */
int serial_open(struct loop *loop, struct error *err);

/* Runs one more pass and wipes the output.  Returns 0 or -ENOMEM. */
int serial_pass(struct loop *loop, struct error *err);

/* The times of the passes since `from`, at most the last LOOP_PASSES, in any
 * order; returns their number. */
int serial_times(const struct loop *loop, int from, double took_s[LOOP_PASSES]);

/* The median of the passes so far over serial_s: the factor by which costs have
 * grown since the loop was opened; 1 in simulation. */
double serial_drift(const struct loop *loop);

#endif
