/* Opens a cell of the suite as `dlsbench run` does, to time it. */
#ifndef BENCH_OVERHEAD_BENCH_CELL_H
#define BENCH_OVERHEAD_BENCH_CELL_H

#include "harness/repetition/repetition.h"

/* A field of a cell and its value. */
struct bench_field {
    const char *name, *value;
};

struct bench_cell {
    struct setup setup;
    struct loop own;   /* used if the caller has none */
    struct loop *loop; /* the caller's, or `own` */
    struct run *run;
    json_t *texts; /* of the cell; freed here */
};

/* Opens the loop of a kernel by its spec, as loop_open does. */
int bench_loop_open(struct loop *loop, const char *kernel,
                    const struct comm *comm, struct error *err);

/* Collective.  The shape is the context's; the other fields are the given ones
 * (ended by a NULL name) or the defaults.  `loop` stays the caller's; NULL: the
 * loop of the field `kernel`.  Returns 0 or -errno. */
int bench_cell_open(struct bench_cell *cell, struct launch_context *context,
                    struct loop *loop, const struct bench_field *fields,
                    struct error *err);
/* Does nothing for a zeroed struct and after a failed open. */
void bench_cell_close(struct bench_cell *cell);

/* Collective: one repetition; its seconds at rank 0, 0: it failed.  The result
 * (may be NULL) is valid until the next one. */
double bench_cell_time(struct bench_cell *cell, struct run_result *result);
/* bench_cell_time in ns per chunk. */
double bench_cell_chunk_ns(struct bench_cell *cell);

#endif
