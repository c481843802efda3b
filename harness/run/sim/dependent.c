/* Loops with dependences in simulation: the real DMPS runs over a kernel whose
 * blocks take their cost in time.  Nothing is computed, so every block checks
 * whether the blocks that it needs were done before. */
#include "harness/run/sim/run_parts.h"

#include "harness/dependence/sim/links.h"
#include "harness/engine/sim/world.h"
#include "harness/guard/need.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Bytes of address space that may be set aside for the logs. */
#define MAPPED_MAX 0x1p46

/* ---- blocks ---- */

static int64_t clamp_column(int64_t column, int64_t columns)
{
    if (column < 0)
        return 0;
    return column < columns ? column : columns;
}

/* Seconds of a block at power 1: its share of the cost of each row, and the
 * cost of starting the rows that it has a part of. */
static double block_s(const struct loop *loop, int64_t start, int64_t size,
                      int64_t from, int64_t to)
{
    const struct kernel_grid *grid = &loop->grid;
    const double *before = loop->cost_before;
    int64_t n = grid->columns;
    int64_t width = clamp_column(to, n) - clamp_column(from, n);
    int64_t started = grid->skew == 0 && width > 0 ? size : 0;
    double sum = 0;
    if (grid->skew == 0)
        sum = (double)width * (before[start + size] - before[start]);
    for (int64_t k = 0; grid->skew > 0 && k < size; k++) {
        int64_t lag = k * grid->skew;
        width = clamp_column(to - lag, n) - clamp_column(from - lag, n);
        sum += (double)width * (before[start + k + 1] - before[start + k]);
        started += width > 0;
    }
    return sum / ((double)n * grid->steps) +
           loop->row_start_s * (double)started;
}

/* The row above in this step; the row below, and the rows themselves, in the
 * step before, which with replan is of another pass. */
static bool rows_are_ready(const struct run *run, int step, int64_t start,
                           int64_t size, int64_t to)
{
    const struct loop *loop = run->loop;
    const int64_t *done = run->dependent.done;
    int64_t n = loop->grid.columns, base = step * n, end = start + size;
    if (start > 0 &&
        done[start - 1] < base + clamp_column(to + loop->grid.reach, n))
        return false;
    if (step == 0 || run->passes > 1)
        return true;
    return done[end - 1] >= base &&
           (end == loop->iterations ||
            done[end] >= base - n + clamp_column(to, n));
}

/* The first row of a chunk and its last are those that others need. */
static void note_done(struct run *run, int step, int64_t start, int64_t size,
                      int64_t to)
{
    const struct kernel_grid *grid = &run->loop->grid;
    int64_t *done = run->dependent.done;
    int64_t lag = (size - 1) * grid->skew, base = step * grid->columns;
    done[start] = base + clamp_column(to, grid->columns);
    done[start + size - 1] = base + clamp_column(to - lag, grid->columns);
}

static void charge_block(const void *instance, void *state, int step,
                         int64_t start, int64_t size, int64_t from, int64_t to,
                         void *output, const struct kernel_poll *poll)
{
    struct seat *seat = state;
    struct run *run = seat->run;
    (void)output;
    if (run->dependent.early < 0 && !rows_are_ready(run, step, start, size, to))
        run->dependent.early = start;
    seat_compute(seat, block_s(instance, start, size, from, to), poll);
    note_done(run, step, start, size, to);
}

/* No row is read or written: one address is as good as another. */
static void *any_row(const void *instance, void *state, void *output, int step,
                     int64_t row)
{
    (void)instance, (void)output, (void)step, (void)row;
    return state;
}

static void begin_nothing(const void *instance, void *state, void *output)
{
    (void)instance, (void)state, (void)output;
}

static const struct kernel_dependence charging_dependence = {
    .begin = begin_nothing,
    .run_block = charge_block,
    .boundary = any_row,
    .halo = any_row,
};

/* ---- opening ---- */

int dependent_logged_steps(const struct run *run)
{
    bool all = run->passes > 1 || run->context->keep_log;
    return all ? run->loop->grid.steps : 1;
}

/* Chunks of several time steps are found again in their workers' logs; those
 * of one are all listed as they are handed out, in less memory. */
static int open_logs(struct run *run, struct error *err)
{
    struct dependent *d = &run->dependent;
    size_t workers = (size_t)run->tree.workers;
    if (run->loop->grid.steps == 1)
        return 0;
    d->room =
        (size_t)run->loop->iterations * (size_t)dependent_logged_steps(run);
    double bytes = (double)d->room * (double)workers * sizeof(*d->log);
    void *log = MAP_FAILED;
    d->mapped = d->room * workers * sizeof(*d->log);
    if (bytes < MAPPED_MAX)
        log = mmap(NULL, d->mapped, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (log == MAP_FAILED)
        return error_set(err, ENOMEM,
                         "no room to log %lld chunks in each of %d time steps "
                         "for each of %zu workers",
                         (long long)run->loop->iterations,
                         dependent_logged_steps(run), workers);
    d->log = log;
    return 0;
}

static void open_memory(struct run *run)
{
    struct dependent *d = &run->dependent;
    size_t workers = (size_t)run->tree.workers;
    d->done = need_zeroed((size_t)run->loop->iterations, sizeof(*d->done));
    d->dmps = need_zeroed(workers, sizeof(*d->dmps));
}

static bool serve_piece(void *arg, struct link_piece *piece)
{
    struct seat *seat = arg;
    struct run *run = seat->run;
    struct transport_end *end =
        &run->part[run->tree.worker_rank[seat - run->seat]].end;
    if (piece == NULL)
        return end_poll(end);
    end_serve(end, piece->request, &piece->status);
    return true;
}

static void open_worker(struct run *run, int w)
{
    struct dmps *dmps = &run->dependent.dmps[w];
    const struct loop *loop = run->loop;
    struct part *part = &run->part[run->tree.worker_rank[w]];
    bool first = run->tree.rank_worker[part->comm.rank] == w;
    *dmps = (struct dmps){.kernel = &charging_dependence,
                          .instance = loop,
                          .state = &run->seat[w],
                          .grid = loop->grid,
                          .rows = loop->iterations,
                          .interval = run->setup->cell.sync_interval,
                          .group = run->setup->protocol == PROTOCOL_SUBPROBLEM
                                       ? run->tree.workers
                                       : 0,
                          .every_step = run->context->keep_log,
                          .tick_s = run->context->tick_s};
    if (run->dependent.migrate.comm != NULL)
        dmps->migrate = &run->dependent.migrate;
    links_join(&dmps->links, &run->dependent.links, &part->comm);
    if (first && end_polls(&part->end)) {
        dmps->links.serve = serve_piece;
        dmps->links.serve_arg = &run->seat[w];
    }
}

static int open_migrate(struct run *run, struct error *err)
{
    const struct loop *loop = run->loop;
    size_t row = (size_t)loop->grid.columns * loop->grid.boundary_bytes;
    return migrate_open(&run->dependent.migrate, &run->context->comm,
                        loop->instance, loop->iterations, row, NULL, 0, NULL, 0,
                        err);
}

int dependent_open(struct run *run, struct error *err)
{
    struct dependent *d = &run->dependent;
    const struct loop *loop = run->loop;
    const struct comm *comm = &run->context->comm;
    if (run->setup->replan)
        run->passes = loop->grid.steps;
    open_memory(run);
    int code = open_logs(run, err);
    if (code == 0)
        code = links_open(&d->links, comm, loop->iterations, loop->grid.columns,
                          loop->grid.boundary_bytes,
                          loop->grid.steps / run->passes, err);
    if (code == 0 && run->passes > 1 && comm->ranks > 1)
        code = open_migrate(run, err);
    for (int w = 0; code == 0 && w < run->tree.workers; w++)
        open_worker(run, w);
    return code;
}

void dependent_close(struct run *run)
{
    struct dependent *d = &run->dependent;
    for (int w = 0; d->dmps != NULL && w < run->tree.workers; w++)
        links_part(&d->dmps[w].links);
    links_close(&d->links);
    migrate_close(&d->migrate);
    if (d->log != NULL)
        munmap(d->log, d->mapped);
    free(d->done);
    free(d->dmps);
}

/* ---- passes ---- */

static void set_steps(struct run *run, int pass)
{
    int last = run->passes > 1 ? pass : run->loop->grid.steps - 1;
    links_reset(&run->dependent.links);
    for (int w = 0; w < run->tree.workers; w++) {
        run->dependent.dmps[w].first = pass;
        run->dependent.dmps[w].last = last;
    }
}

void dependent_reset(struct run *run)
{
    struct dependent *d = &run->dependent;
    d->early = -1;
    memset(d->done, 0, (size_t)run->loop->iterations * sizeof(*d->done));
    d->migrate.messages = d->migrate.moved_bytes = 0;
    for (int w = 0; w < run->tree.workers; w++) {
        struct worker *worker = &run->seat[w].worker;
        if (d->log != NULL)
            worker->log = d->log + (size_t)w * d->room;
        worker->stamp = true;
        d->dmps[w].links.messages = d->dmps[w].links.bytes = 0;
    }
    set_steps(run, 0);
}

void dependent_work(struct run *run, int worker)
{
    struct seat *seat = &run->seat[worker];
    struct dmps *dmps = &run->dependent.dmps[worker];
    double now = engine_now();
    if (dmps->first == 0)
        seat->worker.begin_s = now;
    else
        seat->sync_s += now - seat->worker.end_s;
    dmps_run(dmps, &seat->worker, &seat->sync_s);
    seat->worker.end_s = engine_now();
}

void dependent_finish(struct run *run, int worker)
{
    dmps_finish(&run->dependent.dmps[worker]);
}

/* ---- replan: the owners of rows ---- */

/* The worker's entries of the log of step `step`, the last ones. */
static int64_t last_entries(const struct worker *worker, int64_t step)
{
    int64_t n = 0;
    while (n < worker->logged &&
           worker->log[worker->logged - n - 1].time_step == step)
        n++;
    return n;
}

static void list_owners(struct run *run, int step)
{
    struct migrate *m = &run->dependent.migrate;
    int64_t n = 0;
    for (int w = 0; w < run->tree.workers; w++) {
        const struct worker *worker = &run->seat[w].worker;
        const struct ran *end = worker->log + worker->logged;
        for (const struct ran *ran = end - last_entries(worker, step);
             ran < end; ran++)
            m->owner[n++] = (struct migrate_rows){ran->start, ran->size,
                                                  run->tree.worker_rank[w]};
    }
    m->owners = n;
    migrate_sort(m);
}

void dependent_rewind(struct run *run, int pass)
{
    if (run->dependent.migrate.comm != NULL)
        list_owners(run, pass - 1);
    set_steps(run, pass);
}

/* The list is there already: only the messages take time. */
void dependent_tell(struct run *run, int worker)
{
    struct migrate *m = &run->dependent.migrate;
    int64_t own = 0;
    if (m->comm == NULL)
        return;
    if (worker >= 0)
        own = last_entries(&run->seat[worker].worker,
                           run->dependent.dmps[worker].first - 1);
    migrate_tell(m, m->owner, own);
}
