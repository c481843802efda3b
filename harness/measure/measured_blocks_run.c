/* Passes over the chunks of a grid, block by block: alone, and under DMPS. */
#include "harness/measure/measured_blocks_internal.h"

/* ---- looking for messages ---- */

static void look_for_messages(void *arg)
{
    struct blocks_worker *one = arg;
    struct blocks *b = one->blocks;
    uint64_t before = engine_ticks();
    if (looks_due(&one->looks, before))
        looks_after(&one->looks, links_progress(&b->dmps.links), before,
                    b->dmps.tick_s);
}

static const struct kernel_poll *poll_of(const struct blocks_worker *one)
{
    return one->blocks->dmps.links.remote ? &one->poll : NULL;
}

/* ---- alone ---- */

int64_t blocks_share_row(const struct blocks *b, int worker, int64_t chunk)
{
    return worker * (b->chunks * b->rows + 1) + 1 + chunk * b->rows;
}

static void run_share(const struct blocks_worker *one)
{
    const struct blocks *b = one->blocks;
    const struct work *work = b->work;
    int worker = one->source.worker;
    int64_t extent = work->grid.columns + (b->rows - 1) * work->grid.skew;
    for (int step = 0; step < b->steps; step++)
        for (int64_t c = 0; c < b->chunks; c++)
            for (int64_t from = 0; from < extent; from += b->h) {
                const struct kernel_block block = {
                    .step = step,
                    .start = blocks_share_row(b, worker, c),
                    .size = b->rows,
                    .from = from,
                    .to = extent - from < b->h ? extent : from + b->h};
                work->ops->dependence->run_block(work->instance, work->state,
                                                 &block, work->output,
                                                 poll_of(one));
            }
}

void blocks_alone(int thread, void *arg)
{
    struct blocks *b = arg;
    crew_bind(b->work->crew, thread);
    if (b->dmps.links.remote)
        dmps_reset(&b->dmps, 0);
    crew_start(b->work->crew, thread);
    double start = engine_now();
    run_share(&b->each[thread]);
    b->each[thread].pass_s[b->at] = engine_now() - start;
    if (b->dmps.links.remote)
        dmps_finish(&b->dmps);
}

/* ---- under DMPS ---- */

int64_t blocks_dealt_row(const struct blocks *b, int worker, int64_t chunk)
{
    return (chunk * b->workers + worker) * b->rows;
}

static bool deal_block(struct source *source, struct chunk *chunk)
{
    struct blocks_worker *one = (struct blocks_worker *)source;
    const struct blocks *b = one->blocks;
    int64_t first = blocks_dealt_row(b, source->worker, one->next);
    if (one->next == b->chunks)
        return false;
    one->next++;
    *chunk = (struct chunk){
        .start = first, .size = b->rows, .step = first / b->rows};
    return true;
}

static void run_timed(const void *instance, void *state,
                      const struct kernel_block *block, void *output,
                      const struct kernel_poll *poll)
{
    const struct blocks *b = instance;
    struct blocks_worker *one = poll->arg;
    uint64_t ticks = one->source.blocked_ticks - one->blocked;
    if (ticks > 0 && one->waits < BLOCKS_WAITS_MAX)
        one->wait_s[one->waits++] =
            (double)ticks * b->work->crew->context->tick_s;
    one->blocked = one->source.blocked_ticks;
    b->work->ops->dependence->run_block(b->work->instance, state, block, output,
                                        poll_of(one));
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

void blocks_open_worker(struct blocks *b, int thread)
{
    struct blocks_worker *one = &b->each[thread];
    *one = (struct blocks_worker){.blocks = b};
    one->source =
        (struct source){.next = deal_block, .worker = b->first + thread};
    one->poll = (struct kernel_poll){look_for_messages, one};
    one->worker = (struct worker){.source = &one->source,
                                  .poll = &one->poll,
                                  .log = one->log,
                                  .stamp = true};
}

void blocks_together(int thread, void *arg)
{
    struct blocks *b = arg;
    struct blocks_worker *one = &b->each[thread];
    crew_bind(b->work->crew, thread);
    one->next = 0;
    one->sync_s = 0;
    one->worker.chunks = one->worker.iterations = one->worker.logged = 0;
    one->worker.compute_ticks = 0;
    if (thread == 0)
        dmps_reset(&b->dmps, b->threads);
    crew_start(b->work->crew, thread);
    dmps_run(&b->dmps, &one->worker, &one->sync_s);
    one->pass_s[b->at] =
        (double)one->worker.compute_ticks * b->dmps.tick_s - one->sync_s;
    if (thread == 0)
        dmps_finish(&b->dmps);
    crew_meet(b->work->crew);
}

int blocks_open_dmps(struct blocks *b, struct error *err)
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
                          b->dmps.rows, kernel_boundary_columns(&work->grid),
                          work->grid.boundary_bytes, b->steps, err);
    if (code == 0 && b->threads > 1 && b->steps > 1)
        links_keep_rows(&b->dmps.links);
    b->dmps.links.patience = work->crew->patience;
    return code;
}
