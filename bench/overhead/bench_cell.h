/* A cell of the suite, opened as `dlsbench run` opens it, to be timed. */
#ifndef BENCH_OVERHEAD_BENCH_CELL_H
#define BENCH_OVERHEAD_BENCH_CELL_H

#include "harness/repetition/repetition.h"

/* A field of a cell and its value. */
struct bench_field {
    const char *name, *value;
};

struct bench_cell {
    struct setup setup;
    struct loop own;   /* where the caller brought none */
    struct loop *loop; /* the caller's, or `own` */
    struct run *run;
    json_t *texts; /* of the cell; owned */
};

/* The loop of a kernel by its spec, as loop_open opens it. */
int bench_loop_open(struct loop *loop, const char *kernel,
                    const struct comm *comm, struct error *err);

/* Collective.  The shape is the context's, the other fields are the given ones
 * (a NULL name ends them) or the defaults.  `loop` stays the caller's; NULL:
 * that of the field `kernel`.  Returns 0 or -errno. */
int bench_cell_open(struct bench_cell *cell, struct launch_context *context,
                    struct loop *loop, const struct bench_field *fields,
                    struct error *err);
/* Does nothing for a zeroed struct and after an open that failed. */
void bench_cell_close(struct bench_cell *cell);

/* Collective: one repetition; its seconds at rank 0, 0: it did not run.  The
 * result, or NULL, is valid until the next one. */
double bench_cell_time(struct bench_cell *cell, struct run_result *result);
/* The same, in ns of a chunk. */
double bench_cell_chunk_ns(struct bench_cell *cell);

#endif
