/* Loops with dependences in simulation: the real DMPS runs a kernel whose
 * blocks only take time.  Nothing is computed; instead every block checks that
 * the blocks it needs were done before. */
#include "harness/repetition/sim/repetition_impl.h"

#include "base/pages.h"
#include "harness/engine/sim/world.h"
#include "harness/problem/sim/machine.h"
#include "harness/process/need.h"
#include "harness/protocol/pipeline/sim/links_join.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of address space that may be set aside for the logs. */
#define MAPPED_MAX 0x1p46

/* ---- blocks ---- */

/* Seconds of a block at power 1: its share of each row's cost, and the start of
 * the rows in it. */
static double block_s(const struct loop *loop, const struct kernel_block *block)
{
    const struct kernel_grid *grid = &loop->grid;
    const double *before = loop->cost_before;
    int64_t n = grid->columns, start = block->start, size = block->size;
    int64_t from = block->from, to = block->to;
    int64_t width = kernel_clamp(to, n) - kernel_clamp(from, n);
    int64_t started = grid->skew == 0 && width > 0 ? size : 0;
    double sum = 0;
    if (grid->skew == 0)
        sum = (double)width * (before[start + size] - before[start]);
    for (int64_t k = 0; grid->skew > 0 && k < size; k++) {
        int64_t lag = k * grid->skew;
        width = kernel_clamp(to - lag, n) - kernel_clamp(from - lag, n);
        sum += (double)width * (before[start + k + 1] - before[start + k]);
        started += width > 0;
    }
    return sum / ((double)n * grid->steps) +
           loop->extra.row_start_s * (double)started;
}

/* The rows above in this step; the row below, and the rows themselves, in the
 * step before, which with replan is of another pass. */
static bool rows_are_ready(const struct run *run,
                           const struct kernel_block *block)
{
    const struct loop *loop = run->loop;
    const int64_t *done = run->impl->done;
    int step = block->step;
    int64_t start = block->start, end = start + block->size, to = block->to;
    int64_t n = loop->grid.columns, base = step * n;
    int64_t need = base + kernel_columns_needed(&loop->grid, to);
    int64_t first = start - (loop->grid.depth > 1 ? loop->grid.depth : 1);
    for (int64_t row = start - 1; row >= 0 && row >= first; row--)
        if (done[row] < need)
            return false;
    if (step == 0 || run->passes > 1)
        return true;
    return done[end - 1] >= base &&
           (end == loop->iterations ||
            done[end] >= base - n + kernel_clamp(to, n));
}

/* The first row of a chunk and its last ones are those that others need. */
static void note_done(struct run *run, const struct kernel_block *block)
{
    const struct kernel_grid *grid = &run->loop->grid;
    int64_t *done = run->impl->done, last = block->size - 1;
    int64_t base = block->step * grid->columns;
    done[block->start] = base + kernel_clamp(block->to, grid->columns);
    for (int64_t k = last; k > 0 && (k == last || k > last - grid->depth); k--)
        done[block->start + k] =
            base + kernel_clamp(block->to - k * grid->skew, grid->columns);
}

static void charge_block(const void *instance, void *state,
                         const struct kernel_block *block, void *output,
                         const struct kernel_poll *poll)
{
    struct sim_worker *one = state;
    struct run *run = one->run;
    (void)output;
    if (run->impl->early < 0 && !rows_are_ready(run, block))
        run->impl->early = block->start;
    const struct calibration_charged *charged = &run->impl->charged;
    double seconds = charged->factor * block_s(instance, block);
    if (block->start > 0 && links_shared(&run->impl->links, block->start))
        seconds += charged->shared;
    sim_worker_compute(one, seconds, poll);
    note_done(run, block);
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
    bool all = run->passes > 1 ||
               (run->dependent.dmps != NULL && run->context->keep_log);
    return all ? run->loop->grid.steps : 1;
}

/* Chunks of several time steps are in their workers' logs; chunks of one step
 * are listed when handed out, which takes less memory. */
int run_open_logs(struct run *run, struct error *err)
{
    struct run_impl *impl = run->impl;
    size_t workers = (size_t)run->tree.workers;
    if (run->loop->grid.steps == 1)
        return 0;
    impl->room =
        (size_t)run->loop->iterations * (size_t)dependent_logged_steps(run);
    double bytes = (double)impl->room * (double)workers * sizeof(*impl->log);
    impl->mapped = impl->room * workers * sizeof(*impl->log);
    impl->log = bytes < MAPPED_MAX ? pages_map(impl->mapped) : NULL;
    if (impl->log == NULL)
        return error_set(err, ENOMEM,
                         "no room to log %lld chunks in each of %d time steps "
                         "for each of %zu workers",
                         (long long)run->loop->iterations,
                         dependent_logged_steps(run), workers);
    return 0;
}

static bool serve_piece(void *arg, struct link_piece *piece)
{
    struct sim_worker *one = arg;
    struct transport_end *end = &run_rank_of(one->run, number_of(one))->end;
    if (piece == NULL)
        return end_poll(end);
    end_serve(end, piece->request, &piece->status);
    return true;
}

static void open_worker(struct run *run, int w)
{
    struct dmps *dmps = &run->dependent.dmps[w];
    const struct loop *loop = run->loop;
    struct run_rank *rank = run_rank_of(run, w);
    *dmps = (struct dmps){.kernel = &charging_dependence,
                          .instance = loop,
                          .state = &run->impl->each[w],
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
    links_join(&dmps->links, &run->impl->links, &rank->comm);
    dmps->links.piece_s = run->impl->charged.wait;
    if (run_thread_of(run, w) == 0 && end_polls(&rank->end)) {
        dmps->links.serve = serve_piece;
        dmps->links.serve_arg = &run->impl->each[w];
    }
}

/* Operations of a given or a platform's cost know of no widths. */
static void choose_charges(struct run *run)
{
    const struct world *world = world_here();
    const struct loop *loop = run->loop;
    run->impl->charged = machine_blocks(
        world->operation_s > 0 ? NULL : world->machine, loop->name,
        (double)loop->iterations * (double)loop->grid.columns,
        run->setup->cell.sync_interval);
}

int run_open_dmps(struct run *run, struct error *err)
{
    struct run_impl *impl = run->impl;
    choose_charges(run);
    if (run->setup->replan)
        run->passes = run->loop->grid.steps;
    impl->done =
        need_zeroed((size_t)run->loop->iterations, sizeof(*impl->done));
    run->dependent.dmps =
        need_zeroed((size_t)run->workers, sizeof(*run->dependent.dmps));
    const struct loop *loop = run->loop;
    const struct comm *comm = &run->context->comm;
    size_t row = (size_t)loop->grid.columns * loop->grid.boundary_bytes;
    int code = run_open_logs(run, err);
    if (code == 0)
        code = links_open(&run->impl->links, comm, loop->iterations,
                          kernel_boundary_columns(&loop->grid),
                          loop->grid.boundary_bytes,
                          loop->grid.steps / run->passes, err);
    if (code == 0 && run->passes > 1 && comm->ranks > 1)
        code = migrate_open(&run->dependent.migrate, comm, loop->instance,
                            loop->iterations, row, NULL, 0, NULL, 0, err);
    for (int w = 0; code == 0 && w < run->workers; w++)
        open_worker(run, w);
    return code;
}

void run_close_dmps(struct run *run)
{
    struct run_impl *impl = run->impl;
    for (int w = 0; w < run->workers; w++)
        links_part(&run->dependent.dmps[w].links);
    links_close(&impl->links);
    migrate_close(&run->dependent.migrate);
    free(impl->done);
    free(run->dependent.dmps);
}

/* ---- passes ---- */

void run_rewind_dmps(struct run *run)
{
    struct run_impl *impl = run->impl;
    links_reset(&impl->links);
    if (run->dependent.dmps->first > 0)
        return;
    impl->early = -1;
    memset(impl->done, 0, (size_t)run->loop->iterations * sizeof(*impl->done));
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

void dependent_list_owners(struct run *run, int pass)
{
    struct migrate *m = &run->dependent.migrate;
    int64_t n = 0;
    if (m->comm == NULL)
        return;
    for (int w = 0; w < run->tree.workers; w++) {
        const struct worker *worker = &run->worker[w];
        const struct ran *end = worker->log + worker->logged;
        for (const struct ran *ran = end - last_entries(worker, pass - 1);
             ran < end; ran++)
            m->owner[n++] = (struct migrate_rows){ran->start, ran->size,
                                                  run->tree.worker_rank[w]};
    }
    m->owners = n;
    migrate_sort(m);
}

/* The list is complete already: only the messages take time. */
void dependent_announce(struct run *run, int worker)
{
    struct migrate *m = &run->dependent.migrate;
    int64_t own = 0;
    if (m->comm == NULL)
        return;
    if (worker >= 0)
        own = last_entries(&run->worker[worker],
                           run->dependent.dmps[worker].first - 1);
    migrate_announce(m, m->owner, own);
}
