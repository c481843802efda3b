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
    bool shared;  /* memory of the host; otherwise remote memory access */
    void *memory; /* shared: rank 0's memory, visible to all, aligned to 128 */
};

/* Collective. bytes: of shared memory (rma: only the counter).  Returns 0;
 * -ENOTSUP if `shared` is set and the ranks are on several hosts, or if this
 * MPI has no such windows between hosts.  All ranks return the same code. */
int window_open(struct window *window, const struct comm *comm, bool shared,
                size_t bytes, struct error *err);
/* Collective over the ranks of `comm`, which are on one host: untouched memory
 * that all of them can write.  Returns what window_open does.  Not in
 * simulation. */
int window_open_room(struct window *window, const struct comm *comm,
                     size_t bytes, struct error *err);
/* Collective; before MPI_Finalize. */
void window_close(struct window *window);

/* By rank 0 before a repetition; a barrier must follow. */
void window_set_counter(struct window *window, int64_t step);

/* rma, by any worker: returns the counter's step and increments it, in a round
 * trip to rank 0's host. */
int64_t window_fetch_step(struct window *window);

/* Makes progress on remote accesses to this rank's window (rma, at rank 0). */
void window_progress(struct window *window);

/* Collective, rma: how long a fetch-and-op takes while its target computes for
 * `busy_s` seconds outside MPI; result at rank 0, -1 with one rank.  If it is
 * near busy_s, the target must enter MPI for progress. */
double window_measure_progress(struct window *window, double busy_s);

#endif
