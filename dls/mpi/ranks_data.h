/* Data of a loop over ranks: ranks_input.c brings the input of chunks from rank
 * 0, ranks_collect.c brings results to the root. */
#ifndef DLS_MPI_RANKS_DATA_H
#define DLS_MPI_RANKS_DATA_H

#include "dls/dls_mpi.h"
#include "sched/sched.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The chunks and the input of one worker; on separate cache lines. */
struct worker_data {
    _Alignas(128) struct chunk now; /* its current chunk, size 0: none */
    struct chunk *done; /* for results: all its chunks, adjacent ones joined */
    int64_t count, room;
    char *input; /* the copied input of its chunk, unless memory is shared */
    size_t input_room;
    bool fetched; /* the input of its chunk is there */
};

struct data {
    dls_data input, output; /* size 0: none */
    struct worker_data *worker;

    bool shares;     /* the input is in memory shared by all ranks */
    bool remote;     /* other ranks get it from rank 0 by RMA */
    int64_t *before; /* packed: bytes before each iteration; NULL: not packed */
    char *store;     /* the whole input, in rank 0 or in shared memory */
    int64_t bytes;
    MPI_Win window;
    bool is_open; /* store and window exist, for open_bytes bytes */
    int64_t open_bytes;
};

struct ranks;

/* ---- ranks_input.c ---- */

/* Copies and checks what this rank passes.  Returns 0 or -EINVAL. */
int data_read(struct ranks *ranks, const dls_mpi_options *options);

/* Whether this rank's data suit this number of iterations.  Returns 0 or
 * -EINVAL; ranks have not agreed. */
int data_check(struct ranks *ranks, int64_t iterations);

/* A hash of the arguments that all ranks must pass alike. */
uint64_t data_form(const struct ranks *ranks);

/* Chooses how other ranks get the input, after the transport is chosen.
 * Returns 0 or -errno; ranks have not agreed. */
int data_choose(struct ranks *ranks);

/* Collective: at the begin of the loop, reads rank 0's input.  Returns 0 or
 * -errno, the same in all ranks. */
int data_begin(struct ranks *ranks);

/* Collective, unless MPI has failed. */
void data_close(struct ranks *ranks);

/* In rank 0, if data.remote: makes progress for ranks that get their input. */
void data_serve(struct ranks *ranks);

/* Before a worker asks: makes room for one more chunk in its list.  Returns 0
 * or -ENOMEM. */
int data_make_room(struct ranks *ranks, int worker);
/* Records the chunk that the worker got; NULL: none. */
void data_note(struct ranks *ranks, int worker, const struct chunk *chunk);

#endif
