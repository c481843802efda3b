/* The parts of measuring blocks: measured_blocks.c iterates over widths,
 * measured_blocks_run.c runs them, alone and under DMPS. */
#ifndef HARNESS_MEASURE_MEASURED_BLOCKS_INTERNAL_H
#define HARNESS_MEASURE_MEASURED_BLOCKS_INTERNAL_H

#include "harness/measure/measure_work_internal.h"
#include "harness/protocol/pipeline/dmps.h"
#include "harness/repetition/native/looks.h"

enum {
    BLOCKS_CHUNKS_MAX = 64, /* per worker */
    BLOCKS_PASSES_MAX = 9,
    BLOCKS_WAITS_MAX = 4096,
};

struct blocks;

/* One worker of this rank. */
struct blocks_worker {
    struct source source;
    struct blocks *blocks;
    struct kernel_poll poll;
    struct looks looks;
    struct worker worker;
    struct ran log[BLOCKS_CHUNKS_MAX];
    int64_t next; /* its next chunk */
    double sync_s;
    uint64_t blocked; /* source.blocked_ticks at the block before */
    int waits;
    double wait_s[BLOCKS_WAITS_MAX]; /* times of waiting blocks, all passes */
    double pass_s[BLOCKS_PASSES_MAX];
};

struct blocks {
    struct work *work;
    struct blocks_worker *each;
    struct dmps dmps;
    struct kernel_dependence timed; /* DMPS's kernel with timed waits */
    int64_t rows, chunks;           /* per chunk; per worker */
    int64_t h;
    int steps, workers, first, threads;
    int at, passes; /* the current pass, their number */
};

/* The first row of a worker's chunk: when each worker has one share (a row lies
 * between two shares), and when chunks are dealt in turn. */
int64_t blocks_share_row(const struct blocks *b, int worker, int64_t chunk);
int64_t blocks_dealt_row(const struct blocks *b, int worker, int64_t chunk);

/* By each thread: a pass.  Sets the seconds in its blocks_worker; under DMPS
 * they exclude waits for boundaries, which are separate. */
void blocks_alone(int thread, void *blocks);
void blocks_together(int thread, void *blocks);

/* Collective.  links_close frees what it opens. */
int blocks_open_dmps(struct blocks *b, struct error *err);
void blocks_open_worker(struct blocks *b, int thread);

#endif
