/* Windows: chunks without a master.  On one host the ranks share memory
 * (MPI_Win_allocate_shared) and use C11 atomics on it; across hosts a step
 * counter in rank 0's window is advanced with MPI_Fetch_and_op. */
#ifndef HARNESS_MESSAGES_WINDOW_H
#define HARNESS_MESSAGES_WINDOW_H

#include "harness/engine/engine.h"
#include "harness/messages/comm.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct window {
    const struct comm *comm;
    MPI_Win handle;
    bool shared;  /* memory of the host; else remote memory access */
    void *memory; /* shared: rank 0's memory, seen by all, aligned to 128 */
};

/* Collective.  bytes: of shared memory (rma: the counter is all).  Returns 0;
 * -ENOTSUP if `shared` is asked and the ranks are on several hosts, or if this
 * MPI lacks such windows between them.  All ranks return the same. */
int window_open(struct window *window, const struct comm *comm, bool shared,
                size_t bytes, struct error *err);
/* Collective over the ranks of `comm`, which are on one host: untouched memory
 * that all of them write to.  Returns what window_open does.  Not in
 * simulation. */
int window_open_room(struct window *window, const struct comm *comm,
                     size_t bytes, struct error *err);
/* Collective.  Must come before MPI_Finalize. */
void window_close(struct window *window);

/* By rank 0 before a repetition; a barrier must follow. */
void window_set_counter(struct window *window, int64_t step);

/* rma: the counter's step, which then is one more.  By any worker; takes a
 * round trip to rank 0's host. */
int64_t window_fetch_step(struct window *window);

/* Lets remote accesses to this rank's window progress (rma, at rank 0). */
void window_progress(struct window *window);

/* Collective, rma: how long a fetch-and-op takes while its target computes
 * for `busy_s` seconds without entering MPI; known at rank 0, -1 with one
 * rank.  Near busy_s: the target must enter MPI for progress. */
double window_measure_progress(struct window *window, double busy_s);

#endif
