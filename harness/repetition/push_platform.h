/* The platform for which a cell of protocol push is planned, chosen at link
 * time: push_platform.c takes this machine's calibration, sim/push_platform.c
 * the simulated platform.
 *
 * A unit of load is an iteration of mean cost and mean input size.  A plan
 * ignores competing processes.  A computing master is worker 0, and needs no
 * messages. */
#ifndef HARNESS_REPETITION_PUSH_PLATFORM_H
#define HARNESS_REPETITION_PUSH_PLATFORM_H

#include "harness/cell/cell.h"
#include "harness/hierarchy/tree.h"
#include "harness/problem/loop.h"
#include "harness/workers/context.h"
#include "sched/divisible/platform.h"

struct push_platform {
    struct divisible_worker *worker; /* freed by push_platform_close */
    struct divisible_platform platform;
};

/* Collective: the same platform on every rank; all return the same code.
 * -EINVAL: the calibration of the result directory lacks something. */
int push_platform_open(struct push_platform *out, const struct cell *cell,
                       const struct loop *loop, const struct tree *tree,
                       const struct launch_context *context, struct error *err);
void push_platform_close(struct push_platform *platform);

/* Allocates the workers, with all costs 0. */
void push_platform_room(struct push_platform *out, const struct cell *cell,
                        const struct tree *tree);

/* Mean bytes of input per sent iteration. */
double push_platform_bytes(const struct loop *loop);

#endif
