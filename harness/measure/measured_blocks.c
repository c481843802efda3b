/* Blocks of a grid at single widths: alone, and under DMPS.
 *
 * Alone, every worker runs chunks of a separate share, at the same time as the
 * others and without waiting.  Ranks look for messages as in a run; that cost
 * is in proportion to the computing.  Under DMPS, as many chunks of the same
 * size are dealt to the workers in turns.  The rows beside each chunk then
 * belong to another worker.  The extra time of a block is then the cost of
 * sharing rows and of notifying the other. */
#include "harness/measure/measured_blocks_internal.h"

#include "base/stats.h"
#include "harness/process/need.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PASSES_MIN = 2,
    CHUNKS_MIN = 4, /* per worker, if there are enough rows */
    ROWS_MAX = 128,
};

/* Time for the passes of one width, and the limit for one of them. */
#define WIDTH_S 0.015
#define PASS_S 0.05

/* Without a campaign: a tenth of the columns, to whole rows of small grids. */
static const int64_t usual[] = {100, 1000};

/* A worker's report to rank 0 on a width. */
struct seen {
    double alone, together; /* s for a chunk, of the latter without waits */
    double wait;            /* s for a block that had to wait, or NAN */
};

/* ---- a width ---- */

static double run_pass(struct blocks *b, void (*body)(int, void *))
{
    const struct launch_context *context = b->work->crew->context;
    /* As between two repetitions: thread 0 wipes what this rank computes (see
     * measure_work.c). */
    for (int worker = b->first; worker < b->first + b->threads; worker++)
        for (int64_t c = 0; c < b->chunks; c++) {
            int64_t first = body == blocks_together
                                ? blocks_dealt_row(b, worker, c)
                                : blocks_share_row(b, worker, c);
            memset(b->work->output + (size_t)first * b->work->output_bytes,
                   LOOP_POISON, (size_t)b->rows * b->work->output_bytes);
        }
    comm_quiet_barrier(&context->comm);
    double start = engine_now();
    engine_team_run(context->team, body, b);
    return engine_now() - start;
}

/* Collective: the first pass warms up and tells rank 0 how many more fit. */
static void run_passes(struct blocks *b, void (*body)(int, void *))
{
    b->at = 0;
    b->passes = (int)fmin(fmax(WIDTH_S / run_pass(b, body), PASSES_MIN),
                          BLOCKS_PASSES_MAX);
    comm_broadcast(&b->work->crew->context->comm, &b->passes,
                   sizeof(b->passes));
    for (int t = 0; t < b->threads; t++)
        b->each[t].waits = 0;
    for (; b->at < b->passes; b->at++)
        run_pass(b, body);
}

static void measure_width(struct blocks *b, struct seen *own)
{
    b->dmps.interval = b->h;
    run_passes(b, blocks_alone);
    for (int t = 0; t < b->threads; t++)
        own[t].alone =
            stats_middle(b->each[t].pass_s, b->passes) / (double)b->chunks;
    run_passes(b, blocks_together);
    for (int t = 0; t < b->threads; t++) {
        own[t].together =
            stats_middle(b->each[t].pass_s, b->passes) / (double)b->chunks;
        own[t].wait = stats_middle(b->each[t].wait_s, b->each[t].waits);
    }
}

/* Over all workers, at rank 0.  All edges but the first have two workers. */
static void conclude_width(const struct blocks *b, const struct seen *seen,
                           struct calibration_kernel *kernel)
{
    const struct kernel_grid *grid = &b->work->grid;
    int64_t extent = grid->columns + (b->rows - 1) * grid->skew;
    double points = (double)b->rows * (double)grid->columns * b->steps;
    double blocks = (double)((extent + b->h - 1) / b->h) * b->steps;
    double starts =
        work_row_starts(b->rows, grid->columns, grid->skew, b->h) * b->steps;
    double factor = 0, line = 0, more = 0, *wait;
    int waits = 0, all = b->workers;
    wait = need_zeroed((size_t)all, sizeof(*wait));
    for (int w = 0; w < all; w++) {
        const struct calibration_cost *cost = &kernel->cost[w];
        line += (cost->c_b + (double)b->h * cost->c_p) / all;
        factor +=
            seen[w].alone / (points * cost->c_p + starts * cost->c_b) / all;
        more += seen[w].together - seen[w].alone;
        if (!isnan(seen[w].wait))
            wait[waits++] = seen[w].wait;
    }
    double edges = (double)b->chunks * all - 1;
    kernel->block[kernel->blocks++] = (struct calibration_block){
        .h = b->h,
        .row = factor * line,
        .shared = all > 1 ? more * (double)b->chunks / (edges * blocks) : 0,
        .wait = stats_middle(wait, waits)};
    free(wait);
}

static void measure_widths(struct blocks *b, const int64_t *width, int widths,
                           struct calibration_kernel *kernel)
{
    const struct comm *comm = &b->work->crew->context->comm;
    int64_t columns = b->work->grid.columns;
    struct seen *own = need_zeroed((size_t)b->threads, sizeof(*own));
    kernel->blocks = 0;
    /* Of several widths beyond the grid's, only one is measured. */
    for (int i = 0; i < widths && (i == 0 || width[i - 1] < columns); i++) {
        void *all = NULL;
        size_t bytes;
        b->h = width[i] < columns ? width[i] : columns;
        measure_width(b, own);
        if (comm_gather_any(comm, own, (size_t)b->threads * sizeof(*own), &all,
                            &bytes) != 0)
            need_failed();
        if (all != NULL)
            conclude_width(b, all, kernel);
        free(all);
    }
    free(own);
}

/* The first step loads rows into the cache, so at least one more follows. */
static int choose_steps(const struct blocks *b,
                        const struct calibration_kernel *kernel)
{
    const struct work *work = b->work;
    int steps = work_steps(work);
    double step_s = (double)(b->rows * b->chunks * work->grid.columns) *
                    kernel->cost[0].c_p;
    if (PASS_S < steps * step_s)
        steps = (int)fmin(fmax(PASS_S / step_s, 2), steps);
    if (work->iterations > LINK_TAGS && work->crew->context->comm.ranks > 1)
        steps = 1;
    comm_broadcast(&work->crew->context->comm, &steps, sizeof(steps));
    return steps;
}

/* A share less a row between it and the next is cut into chunks as a scheme
 * might, all of it: a part of a large grid would stay in the cache.  Grids with
 * a few rows have chunks of one. */
static void choose_chunks(struct blocks *b,
                          const struct calibration_kernel *kernel)
{
    int64_t share = b->work->iterations / b->workers - 1;
    b->rows = share / CHUNKS_MIN;
    b->rows = b->rows < 1 ? 1 : b->rows > ROWS_MAX ? ROWS_MAX : b->rows;
    b->chunks = share / b->rows < BLOCKS_CHUNKS_MAX ? share / b->rows
                                                    : BLOCKS_CHUNKS_MAX;
    b->steps = choose_steps(b, kernel);
}

int work_blocks(struct work *work, const struct measure_kernel *asked,
                struct calibration_kernel *kernel, struct error *err)
{
    const struct crew *crew = work->crew;
    struct blocks b = {.work = work,
                       .workers = crew->workers,
                       .first = crew->first,
                       .threads = crew->context->threads};
    choose_chunks(&b, kernel);
    kernel->chunk = b.rows;
    int code = blocks_open_dmps(&b, err);
    if (code != 0)
        return code;
    b.each = need_zeroed((size_t)b.threads, sizeof(*b.each));
    for (int t = 0; t < b.threads; t++)
        blocks_open_worker(&b, t);
    if (asked->widths > 0)
        measure_widths(&b, asked->width, asked->widths, kernel);
    else
        measure_widths(&b, usual, sizeof(usual) / sizeof(usual[0]), kernel);
    links_close(&b.dmps.links);
    free(b.each);
    return code;
}
