/* Holding a native worker: how a perturbation acts on a worker of this process.
 *
 * A held worker sleeps: at the polls of its kernel, about every 20 us, and
 * before it asks for a chunk.  It is like a worker without a core and affects
 * no other worker of its process.  For the last 0.15 ms it polls on its core,
 * if the core is its own, to continue in time.  A worker alone in its rank is
 * really stopped instead, by harness/disturb/stopper.h. */
#ifndef HARNESS_DISTURB_HOLD_H
#define HARNESS_DISTURB_HOLD_H

#include "harness/disturb/perturb.h"
#include "harness/messages/source.h"
#include "kernels/kernel.h"

struct hold {
    struct source source; /* called before the worker's source */
    struct source *inner;
    struct kernel_poll poll;
    const struct kernel_poll *usual; /* the worker's poll; NULL: none */
    const struct perturbs *perturbs;
    uint8_t hit;           /* bits of the perturbations that hold it; 0: none */
    const double *start_s; /* the loop's start in its rank */
    /* Whether a worker that is gone may return; NULL: it never may. */
    bool (*over)(void *arg);
    void *arg;
    bool shares_core;          /* it must not keep the core while it is held */
    struct perturb_toll *toll; /* one for each perturbation; the caller's */
    /* Of this repetition: */
    bool back;          /* it has returned after being gone */
    double computing_s; /* lost inside the kernel */
};

/* Sets up and returns the poll for the worker's kernel, which also calls its
 * usual one (NULL: none). */
const struct kernel_poll *hold_poll(struct hold *hold,
                                    const struct kernel_poll *usual);

/* At the begin of a loop: resets the hold.  The caller clears the tolls. */
void hold_begin(struct hold *hold);

/* Before each pass over the sources: returns the source that the worker calls.
 * The caller sets the members perturbs to toll before. */
struct source *hold_open(struct hold *hold, struct source *inner, int worker);

#endif
