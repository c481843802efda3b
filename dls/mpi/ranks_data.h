/* Data of a loop over ranks: the input of chunks comes from rank 0's memory
 * (ranks_input.c), and results go to where they are collected
 * (ranks_collect.c). */
#ifndef DLS_MPI_RANKS_DATA_H
#define DLS_MPI_RANKS_DATA_H

#include "dls/dls_mpi.h"
#include "sched/sched.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The chunks and the input of one worker; on separate cache lines. */
struct worker_data {
    _Alignas(128) struct chunk now; /* its chunk, size 0: none */
    struct chunk *done; /* all of them, neighbours joined; for results */
    int64_t count, room;
    char *input; /* a copy of its chunk's, where it is not in shared memory */
    size_t input_room;
    bool fetched; /* it is there */
};

struct data {
    dls_data input, output; /* size 0: none */
    struct worker_data *worker;

    bool shares;     /* the input is in memory that all ranks share */
    bool remote;     /* others get it from rank 0 by remote memory access */
    int64_t *before; /* packed: bytes before each iteration; NULL: not packed */
    char *store;     /* the whole input: in rank 0, and where it is shared */
    int64_t bytes;
    MPI_Win window;
    bool is_open; /* store and window, for so many bytes */
    int64_t open_bytes;
};

struct ranks;

/* ---- ranks_input.c ---- */

/* Copies and checks what this rank passes.  Returns 0 or -EINVAL. */
int data_read(struct ranks *ranks, const dls_mpi_options *options);

/* Whether this rank's data are good for so many iterations.  Returns 0 or
 * -EINVAL; not agreed. */
int data_check(struct ranks *ranks, int64_t iterations);

/* The arguments that all ranks must pass with the same values. */
uint64_t data_form(const struct ranks *ranks);

/* How the input comes to others; after the transport is chosen.  Returns 0 or
 * -errno; not agreed. */
int data_choose(struct ranks *ranks);

/* Collective: the loop begins; rank 0's input is read.  Agreed.  Returns 0 or
 * -errno. */
int data_begin(struct ranks *ranks);

/* Collective, unless MPI has failed. */
void data_close(struct ranks *ranks);

/* Lets others get their input from this rank, where data.remote. */
void data_serve(struct ranks *ranks);

/* Before a worker asks: room for one chunk more in its list.  Returns 0 or
 * -ENOMEM. */
int data_make_room(struct ranks *ranks, int worker);
/* It has got this chunk; NULL: none. */
void data_note(struct ranks *ranks, int worker, const struct chunk *chunk);

#endif
