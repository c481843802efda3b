/* The powers of a cell's workers when they register: the given powers, and the
 * available ones under other load on their cores.
 *
 * A = V / Q (Ciorba et al., section 2, 3.2)
 *
 * V is the given power (1 by default).  Q counts the threads in the run queue
 * of the worker's processor: all workers there, including itself, and running
 * or ready threads of other processes.  Other threads of this launch do not
 * count: they rest while the loop runs. */
#ifndef HARNESS_WORKERS_POWER_H
#define HARNESS_WORKERS_POWER_H

#include "harness/check/setup.h"
#include "harness/hierarchy/tree.h"
#include "harness/messages/comm.h"
#include "harness/workers/place.h"

struct powers {
    double *given; /* V, one per worker */
    int *queue;    /* Q, one per worker; NULL: unknown */
    double *share; /* V / Q, one per worker; NULL: unknown */
    /* A: V / Q, perhaps rounded down by the scheme; 0: this worker takes no
     * part.  NULL: the scheme uses V. */
    double *available;
    double measured_s; /* time of measuring V; -1: not measured */
};

/* Collective, when all workers are bound and competing load runs: the same
 * powers on every rank.  Q is counted (20 ms) with a load, or if the scheme
 * uses available powers.  A = V for unbound workers, which have no core and
 * thus no Q, and over an rma window, which has no master to register with.
 * `own`: the places of this rank's workers.  All ranks return the same code. */
int powers_open(struct powers *powers, const struct setup *setup,
                const struct tree *tree, const struct place *place,
                const struct comm *comm, const struct place_report *own,
                struct error *err);

/* Only the given powers: counts nothing, A = V. */
void powers_given(struct powers *powers, const struct setup *setup);

/* Parts of powers_open. powers_allocate: memory for Q and V / Q, and for A.
 * powers_share: V / Q and A from V and Q, also after `given` has changed. */
void powers_allocate(struct powers *powers, int workers, bool count,
                     bool available);
void powers_share(struct powers *powers, const struct setup *setup);

void powers_close(struct powers *powers);

/* The powers for the scheme, one per worker: V / Q if it uses available powers,
 * else V. */
const double *powers_of_scheme(const struct powers *powers);

#endif
