/* The powers of a cell's workers when they register: the given ones, and the
 * ones available under the other load on their cores.
 *
 *     A = V / Q     Ciorba et al., sec. 2 and 3.2
 *
 * with V the given power (1 where none is) and Q the threads in the run queue
 * of the processor that the worker is bound to: all workers there, its own
 * included, and the threads of other processes that run or could.  Other
 * threads of this launch are not counted: they rest while the loop runs. */
#ifndef HARNESS_WORKERS_POWER_H
#define HARNESS_WORKERS_POWER_H

#include "harness/check/setup.h"
#include "harness/hierarchy/tree.h"
#include "harness/messages/comm.h"
#include "harness/workers/place.h"

struct powers {
    double *given; /* V, one per worker */
    int *queue;    /* Q, one per worker; NULL: not counted */
    double *share; /* V / Q, one per worker; NULL: not counted */
    /* A as the scheme makes it of V / Q, which may round it down; 0: this
     * worker takes no part.  NULL: the scheme counts with V. */
    double *available;
    double measured_s; /* that measuring them took; -1: they were not */
};

/* Collective, when all workers are bound and what competes with them runs:
 * the same powers on every rank.  Q is counted (20 ms) where it is wanted:
 * under a scheme that counts with available powers, and with a load.  Workers
 * that are not bound have no core and so no Q, and over an rma window there is
 * no master to register with; then A = V.  `own` is where this rank's workers
 * are.  All ranks return the same code. */
int powers_open(struct powers *powers, const struct setup *setup,
                const struct tree *tree, const struct place *place,
                const struct comm *comm, const struct place_report *own,
                struct error *err);

/* The given powers alone: nothing is counted, A = V. */
void powers_given(struct powers *powers, const struct setup *setup);

/* Parts of powers_open: memory for Q and V / Q, and for A; then V / Q and A
 * from V and Q, which is done again after `given` has changed. */
void powers_allocate(struct powers *powers, int workers, bool count,
                     bool available);
void powers_share(struct powers *powers, const struct setup *setup);

void powers_close(struct powers *powers);

/* The powers for the scheme, one per worker: V / Q if it uses available powers,
 * else V. */
const double *powers_of_scheme(const struct powers *powers);

#endif
