/* The input data of a fed loop (see loop.h). */
#ifndef HARNESS_PROBLEM_LOOP_INPUT_H
#define HARNESS_PROBLEM_LOOP_INPUT_H

#include "harness/problem/loop.h"

/* Fills input_before; every rank with the instance calls it.  Returns 0,
 * -ENOMEM or -E2BIG: too large for a message. */
int loop_input_count(struct loop *loop, struct error *err);

/* Collective: counts the data, makes them at rank 0, and allocates room on all
 * ranks.  Does nothing for a loop that is not fed.  All ranks return the same
 * code. */
int loop_input_open(struct loop *loop, const struct comm *comm,
                    struct error *err);
void loop_input_close(struct loop *loop);

#endif
