#include "harness/protocol/pipeline/dmps.h"

#include "base/invariant.h"

enum {
    LINE = 64, /* bytes of a cache line */
    /* The lines of a boundary that are prefetched together once it arrived. */
    FETCH_MAX = 64,
    /* The row above needs the halo one time step later: it is sent in a few
     * parts, not at every synchronization point. */
    HALO_PARTS = 8,
};

/* One chunk of rows in one time step, computed column by column. */
struct passage {
    struct dmps *dmps;
    struct worker *worker;
    int64_t start, size, chunk; /* its number: edge `chunk` is above it */
    int step;
    bool several;   /* not the worker's only chunk, as far as is known */
    int64_t extent; /* columns of the first row and the lag of the last */
    uint64_t sync_ticks;
    /* Of the worker; copied, because other workers' memory is next to it. */
    int64_t chunks, iterations, logged;
    uint64_t compute_ticks;
};

/* ---- rows ---- */

static void *boundary_row(const struct passage *p, int64_t row)
{
    const struct dmps *dmps = p->dmps;
    return dmps->kernel->boundary(dmps->instance, dmps->state, dmps->output,
                                  p->step, row);
}

static void *halo_row(const struct passage *p, int step, int64_t row)
{
    const struct dmps *dmps = p->dmps;
    return dmps->kernel->halo(dmps->instance, dmps->state, dmps->output, step,
                              row);
}

/* No column crosses the edges of independent chunks. */
static bool has_above(const struct passage *p)
{
    return p->start > 0 && kernel_boundary_columns(&p->dmps->grid) > 0;
}

static bool has_below(const struct passage *p)
{
    return p->start + p->size < p->dmps->rows &&
           kernel_boundary_columns(&p->dmps->grid) > 0;
}

/* An edge has the number of the row below it: a worker that asks for a chunk
 * knows it, under any schemes. */
static int64_t edge_above(const struct passage *p)
{
    return p->start;
}

static int64_t edge_below(const struct passage *p)
{
    return p->start + p->size;
}

/* Columns are counted through the time steps of the pass. */
static int64_t columns_before(const struct passage *p, int step)
{
    return (step - p->dmps->first) * p->dmps->grid.columns;
}

/* ---- waiting ---- */

/* Another core wrote these columns: fetches all cache lines at once, not one
 * after the other as the kernel reaches them. */
static void fetch_columns(const struct passage *p, const char *row,
                          int64_t from, int64_t to)
{
    size_t bytes = p->dmps->grid.boundary_bytes;
    const char *at = row + (size_t)from * bytes,
               *end = row + (size_t)to * bytes;
    for (int i = 0; i < FETCH_MAX && at < end; i++, at += LINE)
        __builtin_prefetch(at);
}

/* Excludes time that learning schemes must not take for the worker's own. */
static void count_wait(struct passage *p, uint64_t ticks)
{
    struct source *source = p->worker->source;
    p->sync_ticks += ticks;
    source->blocked_ticks += ticks;
    source->blocked_s += (double)ticks * p->dmps->tick_s;
}

static void wait_for(struct passage *p, int64_t edge, enum link_flow flow,
                     int64_t need, void *row)
{
    struct engine_watch *watch = p->worker->source->watch;
    struct links *links = &p->dmps->links;
    if (watch == NULL) {
        count_wait(p, links_wait(links, edge, flow, need, row));
        return;
    }
    uint64_t since = engine_ticks();
    watch->wait(watch);
    links_wait(links, edge, flow, need, row);
    watch->go_on(watch);
    count_wait(p, engine_ticks() - since);
}

/* Remark 2 of the paper: waits for the columns of the row above that the first
 * row of the block needs, in this step. */
static void wait_above(struct passage *p, struct kernel_block *block)
{
    struct dmps *dmps = p->dmps;
    int64_t need = kernel_columns_needed(&dmps->grid, block->to);
    int64_t before = columns_before(p, p->step), edge = edge_above(p);
    /* Without a column to wait for, the stream may not have its memory yet. */
    if (!has_above(p) || need == 0)
        return;
    char *row = boundary_row(p, p->start - 1);
    if (links_complete(&dmps->links, edge, LINK_DOWN) < before + need)
        wait_for(p, edge, LINK_DOWN, before + need, row);
    invariant(links_complete(&dmps->links, edge, LINK_DOWN) >= before + need);
    const char *kept = links_kept(&dmps->links, edge, LINK_DOWN);
    block->above = kept;
    fetch_columns(p, kept != NULL ? kept : row, block->from, need);
}

/* Waits for the columns of the row below that the last row needs, of the step
 * before. */
static void wait_below(struct passage *p, struct kernel_block *block)
{
    struct dmps *dmps = p->dmps;
    if (p->step == dmps->first || !has_below(p))
        return;
    int64_t edge = edge_below(p);
    int64_t need = columns_before(p, p->step - 1) + block->to;
    if (links_complete(&dmps->links, edge, LINK_UP) < need)
        wait_for(p, edge, LINK_UP, need,
                 halo_row(p, p->step, p->start + p->size));
    invariant(links_complete(&dmps->links, edge, LINK_UP) >= need);
    block->below = links_kept(&dmps->links, edge, LINK_UP);
    if (block->below != NULL)
        fetch_columns(p, block->below, block->from, block->to);
}

/* ---- a synchronization point ---- */

/* Whether the boundary below this chunk is sent only once, at its end. */
static bool ends_group(const struct passage *p)
{
    return p->dmps->group > 0 && (p->chunk + 1) % p->dmps->group == 0;
}

static void give_below(const struct passage *p, int64_t to)
{
    struct dmps *dmps = p->dmps;
    int64_t complete = kernel_columns_given(&dmps->grid, p->size, to);
    if (!has_below(p) ||
        (ends_group(p) && complete < kernel_boundary_columns(&dmps->grid)))
        return;
    links_advance(&dmps->links, edge_below(p), LINK_DOWN,
                  columns_before(p, p->step) + complete,
                  boundary_row(p, p->start + p->size - 1));
}

/* A worker with several chunks returns to the one above only after running all
 * of them. */
static void give_above(const struct passage *p, int64_t from, int64_t to)
{
    struct dmps *dmps = p->dmps;
    int64_t columns = dmps->grid.columns;
    int64_t part =
        p->several || columns < HALO_PARTS ? columns : columns / HALO_PARTS;
    if (p->step == dmps->last || !has_above(p) ||
        (to < columns && to / part == from / part))
        return;
    links_advance(&dmps->links, edge_above(p), LINK_UP,
                  columns_before(p, p->step) + to,
                  halo_row(p, p->step + 1, p->start));
}

static void run_block(struct passage *p, int64_t from, int64_t to)
{
    struct dmps *dmps = p->dmps;
    struct kernel_block block = {.step = p->step,
                                 .start = p->start,
                                 .size = p->size,
                                 .from = from,
                                 .to = to,
                                 .shared = dmps->shared};
    wait_above(p, &block);
    wait_below(p, &block);
    dmps->kernel->run_block(dmps->instance, dmps->state, &block, dmps->output,
                            p->worker->poll);
    give_below(p, to);
    give_above(p, from, to);
    /* A block may be shorter than the time between a kernel's polls. */
    kernel_poll(p->worker->poll);
}

/* ---- chunks ---- */

/* `entry` of the log, which has the worker's chunks for further steps: a new
 * cache line in every step would delay the stores published after it. */
static void run_chunk(struct passage *p, int64_t entry)
{
    struct worker *worker = p->worker;
    p->extent = p->dmps->grid.columns + (p->size - 1) * p->dmps->grid.skew;
    uint64_t begin = worker->stamp ? engine_ticks() : 0;
    struct source *source = p->worker->source;
    int64_t h = p->dmps->interval;
    for (int64_t from = 0; from < p->extent; from += h) {
        int64_t to = p->extent - from < h ? p->extent : from + h;
        /* One ahead: the answer arrives before this chunk ends. */
        if (to == p->extent && p->step == p->dmps->first &&
            source->ask_ahead != NULL)
            source->ask_ahead(source);
        run_block(p, from, to);
    }
    uint64_t end = worker->stamp ? engine_ticks() : 0;
    p->compute_ticks += end - begin;
    if (worker->log != NULL)
        worker->log[entry] =
            (struct ran){p->start, p->size, p->chunk, p->step, begin, end};
    p->chunks++;
    p->iterations += p->size;
}

/* The first step of a pass: chunks come from the source. */
static void run_new_chunks(struct passage *p)
{
    struct dmps *dmps = p->dmps;
    struct chunk chunk;
    int64_t before = p->chunks;
    p->step = dmps->first;
    while (source_next(p->worker->source, &chunk)) {
        p->start = chunk.start;
        p->size = chunk.size;
        p->chunk = chunk.step;
        p->several = p->chunks > before;
        if (dmps->migrate != NULL && p->step > 0)
            migrate_bring(dmps->migrate, dmps->kernel, dmps->state, p->step,
                          p->start, p->size);
        if (has_above(p))
            links_register(&dmps->links, edge_above(p), LINK_SUCCESSOR);
        if (has_below(p))
            links_register(&dmps->links, edge_below(p), LINK_PREDECESSOR);
        run_chunk(p, p->logged++);
    }
}

void dmps_run(struct dmps *dmps, struct worker *worker, double *sync_s)
{
    struct passage p = {.dmps = dmps,
                        .worker = worker,
                        .chunks = worker->chunks,
                        .iterations = worker->iterations,
                        .logged = worker->logged,
                        .compute_ticks = worker->compute_ticks};
    int64_t first = p.logged;
    run_new_chunks(&p);
    int64_t count = p.logged - first;
    for (p.step = dmps->first + 1; p.step <= dmps->last; p.step++) {
        /* Further steps: this worker's chunks again. */
        for (int64_t i = first; i < first + count; i++) {
            const struct ran *ran = &p.worker->log[i];
            p.start = ran->start;
            p.size = ran->size;
            p.chunk = ran->chunk;
            p.several = count > 1;
            run_chunk(&p, p.dmps->every_step ? p.logged++ : i);
        }
    }
    worker->chunks = p.chunks;
    worker->logged = p.logged;
    worker->iterations = p.iterations;
    worker->compute_ticks = p.compute_ticks;
    *sync_s += (double)p.sync_ticks * dmps->tick_s;
    invariant(atomic_load(&dmps->working) > 0);
    atomic_fetch_sub(&dmps->working, 1);
}

void dmps_reset(struct dmps *dmps, int workers)
{
    links_reset(&dmps->links);
    atomic_store(&dmps->working, workers);
    if (dmps->first == 0)
        dmps->kernel->begin(dmps->instance, dmps->state, dmps->output);
}

void dmps_finish(struct dmps *dmps)
{
    links_finish(&dmps->links, &dmps->working);
}
