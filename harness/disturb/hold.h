/* Holding a native worker: the effect of a perturbation on a worker of this
 * process.
 *
 * A held worker sleeps: at the polls of its kernel, about every 20 us, and
 * before it asks for a chunk.  It is like a worker without a core and affects
 * no other worker of its process.  If it has a core to itself, it keeps it for
 * the last 0.15 ms, to continue in time.  A worker alone in its rank is really
 * stopped by harness/disturb/stopper.h instead. */
#ifndef HARNESS_DISTURB_HOLD_H
#define HARNESS_DISTURB_HOLD_H

#include "harness/disturb/perturb.h"
#include "harness/messages/source.h"
#include "kernels/kernel.h"

struct hold {
    struct source source; /* before the worker's own */
    struct source *inner;
    struct kernel_poll poll;
    const struct kernel_poll *usual; /* the worker's own; NULL: none */
    const struct perturbs *perturbs;
    uint8_t hit; /* the perturbations that it takes part in; 0: none */
    const double *start_s; /* of the loop: of its rank */
    /* Whether a gone worker may come back; NULL: never. */
    bool (*over)(void *arg);
    void *arg;
    bool shares_core;          /* it may not keep the core when it is held */
    struct perturb_toll *toll; /* of each perturbation; the caller's */
    /* Since the repetition began: */
    bool back;          /* it was gone */
    double computing_s; /* lost inside the kernel */
};

/* Sets the poll up that the worker's kernel calls, in place of its usual one
 * (NULL: none), and returns it. */
const struct kernel_poll *hold_poll(struct hold *hold,
                                    const struct kernel_poll *usual);

/* When a loop begins: nothing has happened.  The caller clears the tolls. */
void hold_begin(struct hold *hold);

/* Before each pass over the sources: returns the source that the worker calls.
 * perturbs to toll are set by the caller before. */
struct source *hold_open(struct hold *hold, struct source *inner, int worker);

#endif
