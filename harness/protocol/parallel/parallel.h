/* The protocol of loops without dependences: ask the source, run the chunk, ask
 * again.  Each thread has a struct worker; all memory that it writes is
 * allocated before the timed part. */
#ifndef HARNESS_PROTOCOL_PARALLEL_PARALLEL_H
#define HARNESS_PROTOCOL_PARALLEL_PARALLEL_H

#include "harness/messages/source.h"
#include "kernels/kernel.h"

#include <stddef.h>
#include <stdint.h>

/* One chunk that a worker ran. */
struct ran {
    int64_t start, size;
    int64_t chunk;       /* its number, if chunks depend on each other */
    int64_t time_step;   /* of a loop with several steps */
    uint64_t begin, end; /* engine_ticks, set only with timing: chunk */
};

struct worker {
    struct source *source;
    const struct kernel_ops *kernel;
    const void *instance;
    void *scratch;
    char *output;        /* of the whole loop */
    size_t output_bytes; /* per iteration */
    const struct kernel_poll *poll;
    struct ran *log; /* room for every chunk, NULL: no log */
    bool stamp;      /* timing: chunk */

    /* Set by the loop. */
    int64_t chunks, iterations;
    int64_t logged;         /* entries of the log */
    double begin_s, end_s;  /* engine_now at entry and exit */
    uint64_t compute_ticks; /* with stamp: inside the kernel */
};

/* Runs the loop to its end.  Called by the worker's own thread. */
void parallel_run(struct worker *worker);

#endif
