/* Blocks of a grid at single widths: alone, and under DMPS.
 *
 * Alone, every worker runs chunks of a separate share, at the same time as the
 * others and without waiting for them.  Under DMPS the same number of chunks of
 * the same size are dealt to the workers in turns, so that the rows next to
 * each chunk are another worker's: what a block takes longer then is what
 * sharing rows, and telling the other of it, costs. */
#include "harness/calibrate/work_parts.h"

#include "base/stats.h"
#include "harness/dependence/dmps.h"
#include "harness/guard/need.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PASSES_MIN = 2,
    PASSES_MAX = 9,
    CHUNKS_MIN = 4, /* of each worker, where there are rows for them */
    CHUNKS_MAX = 64,
    ROWS_MAX = 128,
    WAITS_MAX = 4096,
};

/* The passes of one width, and the most that one of them should take. */
#define WIDTH_S 0.015
#define PASS_S 0.05

/* Without a campaign: from one column in ten to whole rows of small grids. */
static const int64_t usual[] = {100, 1000};

struct blocks;

/* One worker of this rank. */
struct seat {
    struct source source;
    struct blocks *blocks;
    struct kernel_poll poll;
    struct worker worker;
    struct ran log[CHUNKS_MAX];
    int64_t next; /* chunk that it gets */
    double sync_s;
    uint64_t blocked; /* source.blocked_ticks at the block before */
    int waits;
    double wait_s[WAITS_MAX]; /* of blocks that had to wait, in all passes */
    double pass_s[PASSES_MAX];
};

/* What a worker tells rank 0 of a width. */
struct seen {
    double alone, together; /* s for a chunk, of the latter without waits */
    double wait;            /* s for a block that had to wait, or NAN */
};

struct blocks {
    struct work *work;
    struct seat *seat;
    struct dmps dmps;
    struct kernel_dependence timed; /* DMPS's kernel: it looks at waits */
    int64_t rows, chunks;           /* of a chunk; of a worker */
    int64_t h;
    int steps, workers, first, threads;
    int at, passes; /* the pass under way, how many */
};

/* ---- alone ---- */

/* The first row of a worker's chunk; a row lies between two shares. */
static int64_t share_row(const struct blocks *b, int worker, int64_t chunk)
{
    return worker * (b->chunks * b->rows + 1) + 1 + chunk * b->rows;
}

static void run_share(const struct blocks *b, int worker)
{
    const struct work *work = b->work;
    int64_t extent = work->grid.columns + (b->rows - 1) * work->grid.skew;
    for (int step = 0; step < b->steps; step++)
        for (int64_t c = 0; c < b->chunks; c++)
            for (int64_t from = 0; from < extent; from += b->h) {
                const struct kernel_block block = {
                    .step = step,
                    .start = share_row(b, worker, c),
                    .size = b->rows,
                    .from = from,
                    .to = extent - from < b->h ? extent : from + b->h};
                work->ops->dependence->run_block(work->instance, work->state,
                                                 &block, work->output, NULL);
            }
}

static void alone_body(int thread, void *arg)
{
    struct blocks *b = arg;
    crew_bind(b->work->crew, thread);
    crew_start(b->work->crew, thread);
    double start = engine_now();
    run_share(b, b->first + thread);
    b->seat[thread].pass_s[b->at] = engine_now() - start;
}

/* ---- under DMPS ---- */

/* The first row of a worker's chunk of the deal. */
static int64_t dealt_row(const struct blocks *b, int worker, int64_t chunk)
{
    return (chunk * b->workers + worker) * b->rows;
}

static bool deal(struct source *source, struct chunk *chunk)
{
    struct seat *seat = (struct seat *)source;
    const struct blocks *b = seat->blocks;
    int64_t first = dealt_row(b, source->worker, seat->next);
    if (seat->next == b->chunks)
        return false;
    seat->next++;
    *chunk = (struct chunk){
        .start = first, .size = b->rows, .step = first / b->rows};
    return true;
}

static void poll_links(void *arg)
{
    struct seat *seat = arg;
    if (seat->blocks->dmps.links.remote)
        links_progress(&seat->blocks->dmps.links);
}

static void run_timed(const void *instance, void *state,
                      const struct kernel_block *block, void *output,
                      const struct kernel_poll *poll)
{
    const struct blocks *b = instance;
    struct seat *seat = poll->arg;
    uint64_t ticks = seat->source.blocked_ticks - seat->blocked;
    if (ticks > 0 && seat->waits < WAITS_MAX)
        seat->wait_s[seat->waits++] =
            (double)ticks * b->work->crew->context->tick_s;
    seat->blocked = seat->source.blocked_ticks;
    b->work->ops->dependence->run_block(b->work->instance, state, block, output,
                                        b->dmps.links.remote ? poll : NULL);
}

static void *boundary_of(const void *instance, void *state, void *output,
                         int step, int64_t row)
{
    const struct blocks *b = instance;
    return b->work->ops->dependence->boundary(b->work->instance, state, output,
                                              step, row);
}

static void *halo_of(const void *instance, void *state, void *output, int step,
                     int64_t row)
{
    const struct blocks *b = instance;
    return b->work->ops->dependence->halo(b->work->instance, state, output,
                                          step, row);
}

static void begin_of(const void *instance, void *state, void *output)
{
    const struct blocks *b = instance;
    b->work->ops->dependence->begin(b->work->instance, state, output);
}

static void open_seat(struct blocks *b, int thread)
{
    struct seat *seat = &b->seat[thread];
    *seat = (struct seat){.blocks = b};
    seat->source = (struct source){.next = deal, .worker = b->first + thread};
    seat->poll = (struct kernel_poll){poll_links, seat};
    seat->worker = (struct worker){.source = &seat->source,
                                   .poll = &seat->poll,
                                   .log = seat->log,
                                   .stamp = true};
}

static void sit_down(struct seat *seat)
{
    struct worker *worker = &seat->worker;
    seat->next = 0;
    seat->sync_s = 0;
    worker->chunks = worker->iterations = worker->logged = 0;
    worker->compute_ticks = 0;
}

static void together_body(int thread, void *arg)
{
    struct blocks *b = arg;
    struct seat *seat = &b->seat[thread];
    crew_bind(b->work->crew, thread);
    sit_down(seat);
    if (thread == 0)
        dmps_reset(&b->dmps, b->threads);
    crew_start(b->work->crew, thread);
    dmps_run(&b->dmps, &seat->worker, &seat->sync_s);
    seat->pass_s[b->at] =
        (double)seat->worker.compute_ticks * b->dmps.tick_s - seat->sync_s;
    if (thread == 0)
        dmps_finish(&b->dmps);
    crew_meet(b->work->crew);
}

static int open_dmps(struct blocks *b, struct error *err)
{
    const struct work *work = b->work;
    b->timed = (struct kernel_dependence){.begin = begin_of,
                                          .run_block = run_timed,
                                          .boundary = boundary_of,
                                          .halo = halo_of};
    b->dmps = (struct dmps){.kernel = &b->timed,
                            .instance = b,
                            .state = work->state,
                            .output = work->output,
                            .grid = work->grid,
                            .rows = b->rows * b->chunks * b->workers,
                            .last = b->steps - 1,
                            .shared = b->threads > 1,
                            .tick_s = work->crew->context->tick_s};
    int code = links_open(&b->dmps.links, &work->crew->context->comm,
                          b->dmps.rows, work->grid.columns,
                          work->grid.boundary_bytes, b->steps, err);
    if (code == 0 && b->threads > 1 && b->steps > 1)
        links_keep_rows(&b->dmps.links);
    b->dmps.links.patience = work->crew->patience;
    return code;
}

/* ---- a width ---- */

static void wipe_chunk(const struct blocks *b, int64_t first)
{
    memset(b->work->output + (size_t)first * b->work->output_bytes, LOOP_POISON,
           (size_t)b->rows * b->work->output_bytes);
}

/* As between two repetitions: what this rank computes, by its thread 0 (see
 * work.c). */
static void wipe(const struct blocks *b, bool together)
{
    for (int worker = b->first; worker < b->first + b->threads; worker++)
        for (int64_t c = 0; c < b->chunks; c++)
            wipe_chunk(b, together ? dealt_row(b, worker, c)
                                   : share_row(b, worker, c));
}

static double run_pass(struct blocks *b, void (*body)(int, void *))
{
    const struct launch_context *context = b->work->crew->context;
    wipe(b, body == together_body);
    comm_quiet_barrier(&context->comm);
    double start = engine_now();
    engine_team_run(context->team, body, b);
    return engine_now() - start;
}

/* Collective: the first pass warms up and tells rank 0 how many more fit. */
static void run_passes(struct blocks *b, void (*body)(int, void *))
{
    b->at = 0;
    b->passes =
        (int)fmin(fmax(WIDTH_S / run_pass(b, body), PASSES_MIN), PASSES_MAX);
    comm_broadcast(&b->work->crew->context->comm, &b->passes,
                   sizeof(b->passes));
    for (int t = 0; t < b->threads; t++)
        b->seat[t].waits = 0;
    for (; b->at < b->passes; b->at++)
        run_pass(b, body);
}

static void measure_width(struct blocks *b, struct seen *own)
{
    b->dmps.interval = b->h;
    run_passes(b, alone_body);
    for (int t = 0; t < b->threads; t++)
        own[t].alone =
            stats_middle(b->seat[t].pass_s, b->passes) / (double)b->chunks;
    run_passes(b, together_body);
    for (int t = 0; t < b->threads; t++) {
        own[t].together =
            stats_middle(b->seat[t].pass_s, b->passes) / (double)b->chunks;
        own[t].wait = stats_middle(b->seat[t].wait_s, b->seat[t].waits);
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
    /* Of those that are wider than the grid one is measured. */
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

/* The first step finds rows that are not in the cache: one more at least. */
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
    b->chunks = share / b->rows < CHUNKS_MAX ? share / b->rows : CHUNKS_MAX;
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
    int code = open_dmps(&b, err);
    if (code != 0)
        return code;
    b.seat = need_zeroed((size_t)b.threads, sizeof(*b.seat));
    for (int t = 0; t < b.threads; t++)
        open_seat(&b, t);
    if (asked->widths > 0)
        measure_widths(&b, asked->width, asked->widths, kernel);
    else
        measure_widths(&b, usual, sizeof(usual) / sizeof(usual[0]), kernel);
    links_close(&b.dmps.links);
    free(b.seat);
    return code;
}
