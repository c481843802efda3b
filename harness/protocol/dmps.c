#include "harness/protocol/dmps.h"

/* One chunk of rows on its way through the columns. */
struct passage {
    struct dmps *dmps;
    struct worker *worker;
    int64_t start, size, step;
    int64_t extent; /* columns of the first row and the lag of the last */
    double sync_s;
};

/* Columns of the chunk's last row that a block up to `to` completes. */
static int64_t last_row_complete(const struct passage *p, int64_t to)
{
    int64_t columns = p->dmps->grid.columns;
    int64_t done = to - (p->size - 1) * p->dmps->grid.skew;
    if (done < 0)
        return 0;
    return done < columns ? done : columns;
}

static bool serve(const struct dmps *dmps)
{
    return dmps->serve != NULL && dmps->serve(dmps->serve_arg);
}

/* Remark 2 of the paper: what the first row of the block needs of the row
 * above.  Waits through the engine, and lets this rank's masters serve. */
static void wait_for_boundary(struct passage *p, int64_t to)
{
    struct dmps *dmps = p->dmps;
    struct links *links = &dmps->links;
    int64_t need = to + dmps->grid.reach;
    if (need > dmps->grid.columns)
        need = dmps->grid.columns;
    if (p->step == 0 || links_complete(links, p->step) >= need)
        return;
    double since = engine_now();
    struct engine_idle idle = {0};
    struct engine_event *moved =
        links->remote ? NULL : &links->edge[p->step].moved;
    if (moved != NULL)
        idle.seen = atomic_load(&moved->sequence);
    while (links_complete(links, p->step) < need) {
        bool any = links_progress(links);
        if (serve(dmps) || any)
            idle = (struct engine_idle){0};
        else
            engine_idle(&idle, &dmps->patience, moved);
    }
    p->sync_s += engine_now() - since;
}

static void run_block(struct passage *p, int64_t from, int64_t to)
{
    struct dmps *dmps = p->dmps;
    wait_for_boundary(p, to);
    dmps->kernel->run_block(dmps->instance, dmps->state, 0, p->start, p->size,
                            from, to, dmps->output, p->worker->poll);
    if (p->start + p->size < dmps->rows)
        links_advance(&dmps->links, p->step + 1, last_row_complete(p, to));
    /* A block may be shorter than the time between a kernel's polls. */
    kernel_poll(p->worker->poll);
}

static void *boundary(const struct dmps *dmps, int64_t row)
{
    return dmps->kernel->boundary(dmps->instance, dmps->state, dmps->output, 0,
                                  row);
}

static void register_ends(const struct passage *p)
{
    struct dmps *dmps = p->dmps;
    int64_t end = p->start + p->size;
    if (p->step > 0)
        links_successor(&dmps->links, p->step, boundary(dmps, p->start - 1));
    if (end < dmps->rows)
        links_predecessor(&dmps->links, p->step + 1, boundary(dmps, end - 1));
}

static void run_chunk(struct passage *p)
{
    struct source *source = p->worker->source;
    int64_t h = p->dmps->interval;
    register_ends(p);
    for (int64_t from = 0; from < p->extent; from += h) {
        int64_t to = p->extent - from < h ? p->extent : from + h;
        /* One ahead: the answer is there when this chunk ends. */
        if (to == p->extent && source->ask_ahead != NULL)
            source->ask_ahead(source);
        run_block(p, from, to);
    }
}

void dmps_run(struct dmps *dmps, struct worker *worker, double *sync_s)
{
    struct chunk chunk;
    struct passage p = {.dmps = dmps, .worker = worker};
    worker->chunks = 0;
    worker->iterations = 0;
    worker->compute_ticks = 0;
    worker->begin_s = engine_now();
    while (source_next(worker->source, &chunk)) {
        p.start = chunk.start;
        p.size = chunk.size;
        p.step = chunk.step;
        p.extent = dmps->grid.columns + (chunk.size - 1) * dmps->grid.skew;
        uint64_t begin = worker->stamp ? engine_ticks() : 0;
        run_chunk(&p);
        uint64_t end = worker->stamp ? engine_ticks() : 0;
        worker->compute_ticks += end - begin;
        if (worker->log != NULL)
            worker->log[worker->chunks] =
                (struct ran){chunk.start, chunk.size, begin, end};
        worker->chunks++;
        worker->iterations += chunk.size;
    }
    worker->end_s = engine_now();
    *sync_s = p.sync_s;
    atomic_fetch_sub(&dmps->working, 1);
}

void dmps_reset(struct dmps *dmps, int workers)
{
    links_reset(&dmps->links);
    atomic_store(&dmps->working, workers);
    dmps->kernel->begin(dmps->instance, dmps->state, dmps->output);
}

void dmps_finish(struct dmps *dmps)
{
    struct links *links = &dmps->links;
    struct links_end end = {.entered = false};
    struct engine_idle idle = {0};
    for (;;) {
        bool any = links_progress(links);
        if (atomic_load(&dmps->working) == 0 && links_done(links) &&
            links_all_done(links, &end))
            break;
        if (serve(dmps) || any)
            idle = (struct engine_idle){0};
        else
            engine_idle(&idle, &dmps->patience, NULL);
    }
    links_finish(links);
}
