/* Moves rows with their chunk.  With `placement: replan` a chunk's rows are
 * still at the rank that had them in the previous time step; the new owner
 * fetches them.
 *
 * One-sided: every rank opens its output and state to the others, at the same
 * offsets.  After every step the ranks exchange lists of their rows. */
#ifndef HARNESS_PROTOCOL_PIPELINE_MIGRATE_H
#define HARNESS_PROTOCOL_PIPELINE_MIGRATE_H

#include "harness/messages/comm.h"
#include "kernels/kernel.h"

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

/* A range of rows of one rank. */
struct migrate_rows {
    int64_t start, size;
    int32_t rank;
};

struct migrate {
    const struct comm *comm;
    const void *instance;
    char *memory[2]; /* output, state */
    size_t bytes[2];
    MPI_Win window[2];
    size_t row_bytes; /* of a boundary row */
    int64_t rows;
    /* Owners in the previous step, sorted by start; room for one per row. */
    struct migrate_rows *owner;
    int64_t owners;
    void *gathered; /* in simulation: a list that no rank reads */
    int64_t messages, moved_bytes; /* sums; the caller clears them */
};

/* Collective. output and state stay the caller's, who frees them after
 * migrate_close.  Returns 0, -ENOTSUP (a row is too long for a message) or
 * -ENOMEM, the same on all ranks.  Later calls never fail. */
int migrate_open(struct migrate *m, const struct comm *comm,
                 const void *instance, int64_t rows, size_t row_bytes,
                 char *output, size_t output_bytes, char *state,
                 size_t state_bytes, struct error *err);
/* Collective; `m` may be zeroed. */
void migrate_close(struct migrate *m);

/* Collective, by one thread, between two steps: `own` are the `count` ranges of
 * rows that this rank had in the last step, in any order. */
void migrate_announce(struct migrate *m, const struct migrate_rows *own,
                      int64_t count);

/* Before chunk [start, start + size) runs in step `step`: fetches its rows and
 * the row below, as the previous step left them. */
void migrate_bring(struct migrate *m, const struct kernel_dependence *kernel,
                   void *state, int step, int64_t start, int64_t size);

/* The list of owners: migrate_sort sorts it by start, migrate_owner finds the
 * last range that begins at or before `row`. */
void migrate_sort(struct migrate *m);
const struct migrate_rows *migrate_owner(const struct migrate *m, int64_t row);

#endif
