/* The input data of a fed loop (see loop.h). */
#ifndef HARNESS_PROBLEM_LOOP_INPUT_H
#define HARNESS_PROBLEM_LOOP_INPUT_H

#include "harness/problem/loop.h"

/* Fills input_before, by every rank that has the instance.  Returns 0, -ENOMEM
 * or -E2BIG: a message could not hold them. */
int loop_input_count(struct loop *loop, struct error *err);

/* Collective: counts, makes the data at rank 0, and room for them on all.
 * Nothing is done for a loop that is not fed.  All ranks return the same
 * code. */
int loop_input_open(struct loop *loop, const struct comm *comm,
                    struct error *err);
void loop_input_close(struct loop *loop);

#endif
