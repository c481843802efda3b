#include "harness/run/run_parts.h"

#include "harness/guard/need.h"
#include "harness/setup/cell_transport.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Bytes of address space that may be set aside for one list. */
#define MAPPED_MAX 0x1p46

/* ---- opening ---- */

/* Starts the competing processes, and lets the workers register under that
 * load. */
static int open_powers(struct run *run, struct error *err)
{
    const struct launch_context *context = run->context;
    const struct comm *comm = &context->comm;
    const int *load = run->setup->load;
    int code = load_open(&run->disturb.load,
                         load ? load + run_first_worker(run) : NULL,
                         run->workers, context->team, err);
    code = comm_agree(comm, code, err);
    if (code != 0)
        return code;
    load_resume(&run->disturb.load);
    comm_quiet_barrier(comm);
    code = powers_open(&run->powers, run->setup, &run->tree, &context->place,
                       comm, run->places.seen, err);
    if (code == 0 && run->setup->measures_power) {
        code = run_measure_powers(run, err);
        powers_share(&run->powers, run->setup);
    }
    load_pause(&run->disturb.load);
    return code;
}

static bool serve_masters(void *arg, struct link_piece *piece)
{
    (void)piece;
    return end_poll(arg);
}

/* Between two slices of thread 0's work.  Only what really was served counts
 * as time not spent computing. */
static void poll_call(void *arg)
{
    struct run *run = arg;
    uint64_t before = engine_ticks();
    bool any = end_polls(&run->end) && end_poll(&run->end);
    if (run->dependent.has_dmps)
        any = links_progress(&run->dependent.dmps.links) || any;
    if (any)
        run->worker[0].source->serve_s +=
            (double)(engine_ticks() - before) * run->context->tick_s;
}

static bool needs_poll(const struct run *run)
{
    return end_polls(&run->end) ||
           (run->dependent.has_dmps && run->dependent.dmps.links.remote);
}

/* Whole pages, not yet touched by any thread. */
static void *map_pages(size_t bytes)
{
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

/* Time steps whose chunks are logged: one, when they are the same in all. */
static int logged_steps(const struct run *run)
{
    bool all = run->passes > 1 || run->dependent.dmps.every_step;
    return run->dependent.has_dmps && all ? run->loop->grid.steps : 1;
}

static int open_worker(struct run *run, int i, struct error *err)
{
    struct loop *loop = run->loop;
    int steps = logged_steps(run);
    bool log = loop->output_bytes > 0 || run->context->keep_log;
    struct worker *worker = &run->worker[i];
    *worker = (struct worker){.kernel = loop->kernel,
                              .instance = loop->instance,
                              .output = end_output(&run->end, i),
                              .output_bytes = loop->output_bytes,
                              .stamp = run->setup->stamps};
    if (loop->fed) {
        run->feed = (struct feed){loop, &run->end, i};
        worker->kernel = &feed_kernel;
        worker->instance = &run->feed;
    }
    run->memory.scratch_bytes = (loop->scratch_bytes + 127) / 128 * 128 + 128;
    run->memory.scratch[i] = map_pages(run->memory.scratch_bytes);
    if (run->memory.scratch[i] == NULL)
        return error_set(err, ENOMEM, "no memory for worker %d", i);
    worker->scratch = run->memory.scratch[i];
    double log_bytes = (double)loop->iterations * steps * sizeof(struct ran);
    run->memory.log_bytes =
        (size_t)loop->iterations * (size_t)steps * sizeof(struct ran);
    if (log && (log_bytes > MAPPED_MAX ||
                (worker->log = map_pages(run->memory.log_bytes)) == NULL))
        return error_set(err, ENOMEM,
                         "no memory to log %lld chunks in each of %d time "
                         "steps",
                         (long long)loop->iterations, steps);
    if (i == 0 && needs_poll(run)) {
        run->poll = (struct kernel_poll){poll_call, run};
        worker->poll = &run->poll;
    }
    run_perturb_poll(run, i);
    return 0;
}

static void open_memory(struct run *run)
{
    size_t n = (size_t)run->workers + 1;
    run->worker = need_zeroed(n, sizeof(*run->worker));
    run->result = need_zeroed(n, sizeof(*run->result));
    run->memory.scratch = need_zeroed(n, sizeof(*run->memory.scratch));
    run->places.seen = need_zeroed(n, sizeof(*run->places.seen));
    if (run->context->counters != NULL)
        run->counted = need_zeroed(n, sizeof(*run->counted));
}

struct placing {
    struct run *run;
    struct error *err;
    int code; /* of the first thread that could not */
    atomic_flag said;
};

static void place_body(int thread, void *arg)
{
    struct placing *placing = arg;
    struct error err;
    if (thread >= placing->run->workers)
        return;
    int code = run_place_memory(placing->run, thread, &err);
    if (code == 0 || atomic_flag_test_and_set(&placing->said))
        return;
    placing->code = code;
    *placing->err = err;
}

static int open_workers(struct run *run, struct error *err)
{
    struct placing placing = {run, err, 0, ATOMIC_FLAG_INIT};
    for (int i = 0; i < run->workers; i++) {
        int code = open_worker(run, i, err);
        if (code != 0)
            return code;
    }
    engine_team_run(run->context->team, place_body, &placing);
    if (placing.code == 0)
        run->loop->placed = true;
    return placing.code;
}

static int open_migrate(struct run *run, struct error *err)
{
    struct loop *loop = run->loop;
    run->dependent.dmps.migrate = &run->dependent.migrate;
    return migrate_open(&run->dependent.migrate, &run->context->comm,
                        loop->instance, loop->iterations,
                        (size_t)loop->grid.columns * loop->grid.boundary_bytes,
                        loop->output,
                        (size_t)loop->iterations * loop->output_bytes,
                        loop->state, loop->grid.state_bytes, err);
}

static int open_dmps(struct run *run, struct error *err)
{
    struct loop *loop = run->loop;
    struct dmps *dmps = &run->dependent.dmps;
    *dmps = (struct dmps){.kernel = loop->kernel->dependence,
                          .instance = loop->instance,
                          .state = loop->state,
                          .output = loop->output,
                          .grid = loop->grid,
                          .rows = loop->iterations,
                          .interval = run->cell.sync_interval,
                          .every_step =
                              run->setup->stamps || run->context->keep_log,
                          .tick_s = run->context->tick_s};
    if (run->setup->protocol == PROTOCOL_SUBPROBLEM)
        dmps->group = run->tree.workers;
    if (run->setup->replan)
        run->passes = loop->grid.steps;
    int code = links_open(&dmps->links, &run->context->comm, loop->iterations,
                          loop->grid.columns, loop->grid.boundary_bytes,
                          loop->grid.steps / run->passes, err);
    run->dependent.has_dmps = code == 0;
    dmps->links.patience = run->patience;
    if (end_polls(&run->end)) {
        dmps->links.serve = serve_masters;
        dmps->links.serve_arg = &run->end;
    }
    if (code == 0 && run->passes > 1 && run->context->comm.ranks > 1)
        code = open_migrate(run, err);
    return code;
}

static int open_handout(struct run *run, struct error *err)
{
    const struct comm *comm = &run->context->comm;
    if (run->setup->transport->rules->sites) {
        run->places.site =
            need_zeroed((size_t)run->tree.workers, sizeof(*run->places.site));
        run_share_sites(run, run->places.site);
    }
    int code = handout_open(&run->transport, run->setup, run->loop, &run->tree,
                            &run->powers, &run->planned, run->places.site,
                            run->context, &run->patience, err);
    code = comm_agree(comm, code, err);
    return code != 0 ? code : end_open(&run->end, &run->transport, comm, err);
}

static int open_parts(struct run *run, bool oversubscribe, struct error *err)
{
    const struct comm *comm = &run->context->comm;
    int code = cell_tree_build(&run->cell, &run->tree, err);
    if (code == 0) {
        run->workers = run->tree.rank_worker[comm->rank + 1] -
                       run->tree.rank_worker[comm->rank];
        open_memory(run);
    }
    code = comm_agree(comm, code, err);
    if (code == 0)
        code = run_check_places(run, oversubscribe, err);
    if (code == 0)
        code = open_powers(run, err);
    if (code == 0)
        code = comm_agree(comm, run_perturb_open(run, err), err);
    if (code != 0)
        return code;
    run->places.crowded =
        comm_max_int(comm, place_crowded(&run->context->place, &run->tree,
                                         run->setup->binding.smt)) != 0;
    run->patience.spin_s = run->places.crowded ? 0 : comm->patience.spin_s;
    run->patience.nap_ns = run->places.crowded ? 0 : ENGINE_SHORT_NAP_NS;
    code = planned_open(&run->planned, run->setup, run->loop, &run->tree,
                        run->context, err);
    if (code == 0)
        code = open_handout(run, err);
    if (code == 0 && run->loop->kernel->dependence != NULL)
        code = open_dmps(run, err);
    if (code == 0)
        code = comm_agree(comm, open_workers(run, err), err);
    return code;
}

int run_open(struct run **out, const struct setup *setup, struct loop *loop,
             struct launch_context *context, bool oversubscribe,
             struct error *err)
{
    struct run *run = need_zeroed(1, sizeof(*run));
    run->setup = setup;
    run->cell = setup->cell;
    run->loop = loop;
    run->context = context;
    run->passes = 1;
    int code = open_parts(run, oversubscribe, err);
    if (code != 0) {
        run_close(run);
        return code;
    }
    *out = run;
    return 0;
}

void run_close(struct run *run)
{
    if (run->dependent.dmps.migrate != NULL)
        migrate_close(&run->dependent.migrate);
    if (run->dependent.has_dmps)
        links_close(&run->dependent.dmps.links);
    end_close(&run->end);
    transport_close(&run->transport);
    planned_free(&run->planned);
    powers_close(&run->powers);
    run_perturb_close(run);
    load_close(&run->disturb.load);
    for (int i = 0; run->worker != NULL && i < run->workers; i++)
        if (run->worker[i].log != NULL)
            munmap(run->worker[i].log, run->memory.log_bytes);
    for (int i = 0; run->memory.scratch != NULL && i < run->workers; i++)
        if (run->memory.scratch[i] != NULL)
            munmap(run->memory.scratch[i], run->memory.scratch_bytes);
    run_free_gathered(run);
    tree_free(&run->tree);
    free(run->places.site);
    free(run->picture.held);
    free(run->places.seen);
    free(run->places.processor);
    free(run->memory.scratch);
    free(run->counted);
    free(run->result);
    free(run->worker);
    free(run);
}

int run_workers(const struct run *run)
{
    return run->tree.workers;
}

int run_worker_rank(const struct run *run, int worker)
{
    return run->tree.worker_rank[worker];
}

const struct powers *run_powers(const struct run *run)
{
    return &run->powers;
}

const struct perturbs *run_perturbs(const struct run *run)
{
    return &run->setup->perturbs;
}

bool run_oversubscribed(const struct run *run)
{
    return run->places.oversubscribed;
}

const struct planned *run_planned(const struct run *run)
{
    return run->planned.count > 0 ? &run->planned : NULL;
}

const char *run_chosen(const struct run *run)
{
    return end_chosen(&run->end);
}

bool run_varies(const struct run *run)
{
    (void)run;
    return true;
}

int run_home(const struct run *run, int64_t iteration)
{
    return transport_home(&run->transport, iteration);
}

int run_repeat(struct run *run, struct run_result *result, struct error *err)
{
    *result = (struct run_result){.wrong_iteration = -1,
                                  .reissued = -1,
                                  .dropped = -1,
                                  .bound_s = -1,
                                  .wall_s = -1,
                                  .alone_s = -1};
    run_free_gathered(run);
    run_reset(run);
    load_resume(&run->disturb.load);
    comm_quiet_barrier(&run->context->comm);
    engine_team_run(run->context->team, run_loop_body, run);
    load_pause(&run->disturb.load);
    run_perturb_end(run);
    int code = run_verify(run, result, err);
    if (code == 0)
        run_gather(run, result);
    return code;
}

int run_save(struct run *run, const char *path, struct run_result *result,
             struct error *err)
{
    run->picture.path = path;
    int code = run_repeat(run, result, err);
    run->picture.path = NULL;
    return code;
}
