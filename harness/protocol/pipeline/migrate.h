/* Rows that move with their chunk.  With `placement: replan` the rank that had
 * a chunk's rows in the previous time step still holds them; the new owner
 * fetches them.
 *
 * One-sided: every rank opens its output and state to the others, at the same
 * places in all of them.  After every step the ranks tell each other their
 * rows. */
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
    /* Owners in the previous step, by start; room for one per row. */
    struct migrate_rows *owner;
    int64_t owners;
    void *gathered; /* the simulated engine's: a list that no rank reads */
    int64_t messages, moved_bytes; /* summed up; the caller clears */
};

/* Collective.  output and state stay the caller's; both may not be freed
 * before migrate_close.  Returns 0, -ENOTSUP (a row is too long for a message)
 * or -ENOMEM, the same on all ranks; nothing fails later. */
int migrate_open(struct migrate *m, const struct comm *comm,
                 const void *instance, int64_t rows, size_t row_bytes,
                 char *output, size_t output_bytes, char *state,
                 size_t state_bytes, struct error *err);
/* Collective; also one that is zeroed. */
void migrate_close(struct migrate *m);

/* Collective, between two steps, by one thread: `own` (count of them, in any
 * order) is what this rank had in the step that ended. */
void migrate_announce(struct migrate *m, const struct migrate_rows *own,
                      int64_t count);

/* Before chunk [start, start + size) runs in step `step`: its rows and the row
 * below it, as they are after the step before. */
void migrate_bring(struct migrate *m, const struct kernel_dependence *kernel,
                   void *state, int step, int64_t start, int64_t size);

/* The list of owners: migrate_sort sorts it by start, migrate_owner finds the
 * last range that begins at or before `row`. */
void migrate_sort(struct migrate *m);
const struct migrate_rows *migrate_owner(const struct migrate *m, int64_t row);

#endif
