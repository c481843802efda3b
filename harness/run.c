#include "harness/run.h"

#include "harness/chain.h"
#include "harness/protocol/dmps.h"
#include "harness/stats.h"
#include "harness/verify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A chunk on its way to rank 0. */
struct logged {
    struct ran ran;
    int64_t worker;
};

/* What a rank reports about itself after a repetition. */
struct rank_report {
    double start_s, end_s;
    int64_t messages, bytes;
};

struct run {
    struct cell cell;
    struct loop *loop;
    struct launch_context *context;
    struct tree tree;
    struct chain chain;
    struct dmps dmps;
    bool has_dmps; /* rows depend on each other */
    struct engine_patience patience;
    enum topo_bind bind;
    bool crowded, oversubscribed;
    int workers; /* of this rank */
    struct worker *worker;
    struct worker_result *result; /* of this rank's workers */
    void **scratch;
    struct kernel_poll poll;
    size_t log_bytes; /* per worker */
    struct held *held;
    int64_t held_count, held_room;
    uint64_t start_ticks;
    double start_s, end_s;
    struct place_report *place; /* while opening */
    /* Rank 0, of the last repetition. */
    struct worker_result *all_workers;
    struct ran *all_ran;
    int32_t *all_ran_worker;
};

static int first_worker(const struct run *run)
{
    return run->tree.rank_worker[run->context->comm.rank];
}

/* ---- binding ---- */

static int bind_thread(struct run *run, int thread, struct error *err)
{
    int slots;
    int slot = place_slot(&run->context->place, &run->tree,
                          run->context->comm.rank, thread, &slots);
    return topo_bind_self(run->context->place.topo, run->bind, slot, slots,
                          err);
}

static void bind_body(int thread, void *arg)
{
    struct run *run = arg;
    struct error err;
    bool bound;
    int core;
    if (thread > 0 && thread >= run->workers)
        return;
    int code = bind_thread(run, thread, &err);
    if (thread >= run->workers)
        return;
    topo_observe_self(run->context->place.topo, &core, &bound);
    run->place[thread] = (struct place_report){
        .host = run->context->place.group[run->context->comm.rank],
        .core = core,
        .bound = bound && code == 0};
}

/* Binds all workers and looks where they are. */
static int check_places(struct run *run, bool oversubscribe, struct error *err)
{
    const struct comm *comm = &run->context->comm;
    void *all;
    size_t size;
    int code = 0;
    engine_team_run(run->context->team, bind_body, run);
    comm_gather_any(comm, run->place,
                    (size_t)run->workers * sizeof(*run->place), &all, &size);
    if (comm->rank == 0)
        code =
            place_check(&run->context->place, &run->tree, all, run->bind, err);
    free(all);
    int agreed = comm_agree(comm, code, err);
    if (agreed == -EBUSY && oversubscribe) {
        run->oversubscribed = true;
        return 0;
    }
    return agreed;
}

/* ---- opening ---- */

static bool serve_masters(void *arg)
{
    return chain_progress(arg);
}

/* Between two slices of thread 0's work.  Only what really was served counts
 * as time not spent computing. */
static void poll_call(void *arg)
{
    struct run *run = arg;
    uint64_t before = engine_ticks();
    bool any = chain_polls(&run->chain) && chain_progress(&run->chain);
    if (run->has_dmps)
        any = links_progress(&run->dmps.links) || any;
    if (any)
        run->worker[0].source->serve_s +=
            (double)(engine_ticks() - before) * run->context->tick_s;
}

static bool needs_poll(const struct run *run)
{
    return chain_polls(&run->chain) ||
           (run->has_dmps && run->dmps.links.remote);
}

static void *log_map(size_t bytes)
{
    void *log = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return log == MAP_FAILED ? NULL : log;
}

static int open_worker(struct run *run, int i, struct error *err)
{
    struct loop *loop = run->loop;
    bool log = loop->output_bytes > 0 || run->context->keep_log;
    struct worker *worker = &run->worker[i];
    *worker = (struct worker){.kernel = loop->kernel,
                              .instance = loop->instance,
                              .output = loop->output,
                              .output_bytes = loop->output_bytes,
                              .stamp = strcmp(run->cell.timing, "chunk") == 0};
    size_t bytes = (loop->scratch_bytes + 127) / 128 * 128 + 128;
    if (posix_memalign(&run->scratch[i], 128, bytes) != 0)
        return error_set(err, ENOMEM, "no memory for worker %d", i);
    worker->scratch = run->scratch[i];
    run->log_bytes = (size_t)loop->iterations * sizeof(struct ran);
    if (log && (worker->log = log_map(run->log_bytes)) == NULL)
        return error_set(err, ENOMEM, "no memory to log %lld chunks",
                         (long long)loop->iterations);
    if (i == 0 && needs_poll(run)) {
        run->poll = (struct kernel_poll){poll_call, run};
        worker->poll = &run->poll;
    }
    return 0;
}

static int open_memory(struct run *run, struct error *err)
{
    size_t n = (size_t)run->workers + 1;
    run->worker = calloc(n, sizeof(*run->worker));
    run->result = calloc(n, sizeof(*run->result));
    run->scratch = calloc(n, sizeof(*run->scratch));
    run->place = calloc(n, sizeof(*run->place));
    if (!run->worker || !run->result || !run->scratch || !run->place)
        return error_set(err, ENOMEM, "out of memory for %d workers",
                         run->workers);
    return 0;
}

static int open_workers(struct run *run, struct error *err)
{
    for (int i = 0; i < run->workers; i++) {
        int code = open_worker(run, i, err);
        if (code != 0)
            return code;
    }
    return 0;
}

static int open_dmps(struct run *run, struct error *err)
{
    struct loop *loop = run->loop;
    struct dmps *dmps = &run->dmps;
    *dmps = (struct dmps){.kernel = loop->kernel->dependence,
                          .instance = loop->instance,
                          .state = loop->state,
                          .output = loop->output,
                          .grid = loop->grid,
                          .rows = loop->iterations,
                          .interval = run->cell.sync_interval,
                          .patience = run->patience};
    if (chain_polls(&run->chain)) {
        dmps->serve = serve_masters;
        dmps->serve_arg = &run->chain;
    }
    int code = links_open(&dmps->links, &run->context->comm, loop->iterations,
                          loop->grid.columns, loop->grid.boundary_bytes, err);
    run->has_dmps = code == 0;
    return code;
}

static int open_parts(struct run *run, bool oversubscribe, struct error *err)
{
    const struct comm *comm = &run->context->comm;
    int code = tree_build(&run->tree, &run->cell, err);
    if (code == 0) {
        run->workers = run->tree.rank_worker[comm->rank + 1] -
                       run->tree.rank_worker[comm->rank];
        code = open_memory(run, err);
    }
    code = comm_agree(comm, code, err);
    if (code == 0)
        code = check_places(run, oversubscribe, err);
    if (code != 0)
        return code;
    run->crowded = comm_max_int(comm, place_crowded(&run->context->place,
                                                    &run->tree)) != 0;
    run->patience.spin_s = run->crowded ? 0 : comm->patience.spin_s;
    run->patience.nap_ns = run->crowded ? 0 : ENGINE_SHORT_NAP_NS;
    code = chain_open(&run->chain, &run->cell, run->loop, &run->tree, comm,
                      &run->patience, err);
    if (code == 0 && run->loop->kernel->dependence != NULL)
        code = open_dmps(run, err);
    if (code == 0)
        code = comm_agree(comm, open_workers(run, err), err);
    return code;
}

int run_open(struct run **out, const struct cell *cell, struct loop *loop,
             struct launch_context *context, bool oversubscribe,
             struct error *err)
{
    struct run *run = calloc(1, sizeof(*run));
    if (run == NULL)
        abort(); /* before any agreement: nothing sensible is left */
    run->cell = *cell;
    run->loop = loop;
    run->context = context;
    topo_bind_parse(cell->bind, &run->bind);
    int code = open_parts(run, oversubscribe, err);
    if (code != 0) {
        run_close(run);
        return code;
    }
    *out = run;
    return 0;
}

static void free_last(struct run *run)
{
    free(run->all_workers);
    free(run->all_ran);
    free(run->all_ran_worker);
    run->all_workers = NULL;
    run->all_ran = NULL;
    run->all_ran_worker = NULL;
}

void run_close(struct run *run)
{
    if (run->has_dmps)
        links_close(&run->dmps.links);
    chain_close(&run->chain);
    for (int i = 0; run->worker != NULL && i < run->workers; i++)
        if (run->worker[i].log != NULL)
            munmap(run->worker[i].log, run->log_bytes);
    for (int i = 0; run->scratch != NULL && i < run->workers; i++)
        free(run->scratch[i]);
    free_last(run);
    tree_free(&run->tree);
    free(run->held);
    free(run->place);
    free(run->scratch);
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

bool run_oversubscribed(const struct run *run)
{
    return run->oversubscribed;
}

const char *run_window(const struct run *run)
{
    if (!run->chain.has_window)
        return NULL;
    return run->chain.window.shared ? "shared" : "rma";
}

/* ---- the timed part ---- */

static void start_together(struct run *run, int thread)
{
    struct engine_team *team = run->context->team;
    engine_team_barrier(team, &run->patience);
    if (thread == 0) {
        if (run->crowded)
            comm_quiet_barrier(&run->context->comm);
        else
            comm_sharp_barrier(&run->context->comm);
        run->start_ticks = engine_ticks();
        run->start_s = engine_now();
    }
    engine_team_barrier(team, &run->patience);
}

static void loop_body(int thread, void *arg)
{
    struct run *run = arg;
    struct chain *chain = &run->chain;
    struct error err;
    if (thread == 0 || thread < run->workers)
        bind_thread(run, thread, &err);
    start_together(run, thread);
    if (thread < run->workers) {
        struct worker *worker = &run->worker[thread];
        if (run->has_dmps)
            dmps_run(&run->dmps, worker, &run->result[thread].sync_s);
        else
            parallel_run(worker);
        if (chain->has_relay)
            relay_leave(&chain->relay);
    }
    if (thread == 0 && run->has_dmps)
        dmps_finish(&run->dmps);
    if (thread == 0 && chain->has_relay)
        relay_finish(&chain->relay);
    engine_team_barrier(run->context->team, &run->patience);
    if (thread == 0)
        run->end_s = engine_now();
    if (thread < run->workers) {
        struct worker_result *result = &run->result[thread];
        bool bound;
        int core;
        topo_observe_self(run->context->place.topo, &core, &bound);
        result->core = core;
        result->bound = bound;
    }
}

/* ---- before and after ---- */

static void reset(struct run *run)
{
    chain_reset(&run->chain);
    if (run->has_dmps)
        dmps_reset(&run->dmps, run->workers);
    for (int i = 0; i < run->workers; i++) {
        run->worker[i].source = &run->chain.source[i].base;
        memset(run->scratch[i], 0, run->loop->scratch_bytes);
    }
}

static void worker_results(struct run *run)
{
    const struct launch_context *context = run->context;
    for (int i = 0; i < run->workers; i++) {
        const struct worker *w = &run->worker[i];
        struct worker_result *r = &run->result[i];
        r->chunks = w->chunks;
        r->iterations = w->iterations;
        r->wait_s = w->source->wait_s;
        r->serve_s = w->source->serve_s;
        r->finish_s = w->end_s - run->start_s;
        /* What a stamped chunk holds besides computing is taken out. */
        r->compute_s =
            w->stamp ? (double)w->compute_ticks * context->tick_s - r->serve_s
                     : w->end_s - w->begin_s - r->wait_s - r->serve_s;
        r->compute_s -= r->sync_s;
        r->host = context->place.group[context->comm.rank];
    }
}

/* Whether a worker's results stay in this rank's memory, or travel. */
static bool keeps_results(const struct run *run, int worker)
{
    const struct chain *chain = &run->chain;
    const struct tree *tree = &run->tree;
    int rank = run->context->comm.rank;
    if (!chain->has_relay || !chain->relay.collect)
        return true;
    const struct tree_master *master =
        &tree->master[tree->worker_master[worker]];
    if (master->pool)
        master = &tree->master[master->parent];
    return master->rank == rank;
}

static int hold(struct run *run, char *memory, int64_t start, int64_t size)
{
    if (run->held_count == run->held_room) {
        int64_t room = run->held_room * 2 + 64;
        struct held *more = realloc(run->held, (size_t)room * sizeof(*more));
        if (more == NULL)
            return -ENOMEM;
        run->held = more;
        run->held_room = room;
    }
    run->held[run->held_count++] = (struct held){memory, start, size};
    return 0;
}

static int collect_held(struct run *run, struct error *err)
{
    int code = 0;
    run->held_count = 0;
    for (int i = 0; i < run->workers; i++) {
        const struct worker *w = &run->worker[i];
        bool keeps = keeps_results(run, first_worker(run) + i);
        for (int64_t c = 0; keeps && code == 0 && c < w->chunks; c++)
            code =
                hold(run, run->loop->output, w->log[c].start, w->log[c].size);
    }
    const struct relay *relay = &run->chain.relay;
    for (int i = 0;
         run->chain.has_relay && code == 0 && i < relay->received_count; i++)
        code = hold(run, run->loop->inbox, relay->received[i].start,
                    relay->received[i].size);
    return code ? error_set(err, ENOMEM, "out of memory to verify") : 0;
}

/* What was computed here and sent away, too: the next repetition must not be
 * able to send it again. */
static void poison_computed(struct run *run)
{
    const struct loop *loop = run->loop;
    for (int i = 0; i < run->workers; i++) {
        const struct worker *w = &run->worker[i];
        for (int64_t c = 0; c < w->chunks; c++)
            memset(loop->output + (size_t)w->log[c].start * loop->output_bytes,
                   LOOP_POISON, (size_t)w->log[c].size * loop->output_bytes);
    }
}

/* Boundaries of this repetition are right values too, and would hide that
 * somebody does not wait for those of the next. */
static void poison_boundaries(struct run *run)
{
    const struct dmps *dmps = &run->dmps;
    size_t bytes = (size_t)dmps->grid.columns * dmps->grid.boundary_bytes;
    for (int i = 0; i < run->workers; i++) {
        const struct worker *w = &run->worker[i];
        for (int64_t c = 0; c < w->chunks; c++) {
            const struct ran *ran = &w->log[c];
            int64_t row = ran->start > 0 ? ran->start - 1 : 0;
            for (; row < ran->start + ran->size; row++)
                memset(dmps->kernel->boundary(dmps->instance, dmps->state,
                                              dmps->output, 0, row),
                       LOOP_POISON, bytes);
        }
    }
}

static int verify(struct run *run, struct run_result *result, struct error *err)
{
    const struct comm *comm = &run->context->comm;
    struct verdict verdict = {0};
    uint64_t tally[2] = {0, 0};
    int code = 0;
    if (run->loop->output_bytes == 0) {
        for (int i = 0; i < run->workers; i++) {
            const uint64_t *own = run->scratch[i];
            tally[0] += own[0];
            tally[1] += own[1];
        }
        verify_tally(run->loop, comm, tally, &verdict);
    } else {
        code = comm_agree(comm, collect_held(run, err), err);
        if (code == 0)
            code = verify_output(run->loop, comm, run->held, run->held_count,
                                 &verdict, err);
        verify_poison(run->loop, run->held, run->held_count);
        poison_computed(run);
        if (run->has_dmps)
            poison_boundaries(run);
    }
    result->verified = verdict.good;
    result->wrong_iteration = verdict.wrong_iteration;
    return code;
}

static int compare_logged(const void *a, const void *b)
{
    const struct logged *x = a, *y = b;
    return (x->ran.start > y->ran.start) - (x->ran.start < y->ran.start);
}

/* This rank's chunks with their times since its start. */
static struct logged *own_log(const struct run *run, int64_t *count)
{
    int64_t n = 0;
    for (int i = 0; i < run->workers; i++)
        n += run->worker[i].log ? run->worker[i].chunks : 0;
    struct logged *log = malloc((size_t)(n + 1) * sizeof(*log));
    *count = 0;
    for (int i = 0; log != NULL && i < run->workers; i++) {
        const struct worker *w = &run->worker[i];
        for (int64_t c = 0; w->log != NULL && c < w->chunks; c++) {
            struct logged *entry = &log[(*count)++];
            *entry = (struct logged){w->log[c], first_worker(run) + i};
            entry->ran.begin -= w->stamp ? run->start_ticks : 0;
            entry->ran.end -= w->stamp ? run->start_ticks : 0;
        }
    }
    return log;
}

static double bound(const struct run *run, const struct run_result *result)
{
    const double *before = run->loop->cost_before;
    double *cost = malloc((size_t)(result->logged + 1) * sizeof(*cost));
    if (before == NULL || cost == NULL || result->logged == 0) {
        free(cost);
        return -1;
    }
    for (int64_t i = 0; i < result->logged; i++) {
        const struct ran *ran = &result->log[i];
        cost[i] = before[ran->start + ran->size] - before[ran->start];
    }
    double time = stats_list_schedule(cost, result->logged, run->tree.workers);
    free(cost);
    return time;
}

static void split_log(struct run *run, struct logged *all, int64_t n,
                      struct run_result *result)
{
    qsort(all, (size_t)n, sizeof(*all), compare_logged);
    run->all_ran = malloc((size_t)(n + 1) * sizeof(*run->all_ran));
    run->all_ran_worker =
        malloc((size_t)(n + 1) * sizeof(*run->all_ran_worker));
    if (run->all_ran == NULL || run->all_ran_worker == NULL)
        return;
    for (int64_t i = 0; i < n; i++) {
        run->all_ran[i] = all[i].ran;
        run->all_ran_worker[i] = (int32_t)all[i].worker;
    }
    result->log = run->all_ran;
    result->log_worker = run->all_ran_worker;
    result->logged = n;
}

static void gather_log(struct run *run, struct run_result *result)
{
    const struct comm *comm = &run->context->comm;
    int64_t count;
    void *all;
    size_t bytes;
    struct logged *log = own_log(run, &count);
    comm_gather_any(comm, log, (size_t)count * sizeof(*log), &all, &bytes);
    free(log);
    if (comm->rank == 0)
        split_log(run, all, (int64_t)(bytes / sizeof(*log)), result);
    free(all);
}

/* Clocks of different hosts do not compare: the time is the longest of the
 * ranks' own, and the skew is known on one host only. */
static int gather_ranks(struct run *run, struct run_result *result,
                        struct error *err)
{
    const struct comm *comm = &run->context->comm;
    const struct relay *relay = &run->chain.relay;
    struct rank_report mine = {run->start_s, run->end_s, 0, 0}, *all = NULL;
    if (run->chain.has_relay) {
        mine.messages = relay->messages;
        mine.bytes = relay->bytes;
    }
    if (run->has_dmps) {
        mine.messages += run->dmps.links.messages;
        mine.bytes += run->dmps.links.bytes;
    }
    if (comm->rank == 0)
        all = calloc((size_t)comm->ranks, sizeof(*all));
    int code = comm->rank == 0 && all == NULL
                   ? error_set(err, ENOMEM, "out of memory")
                   : 0;
    code = comm_agree(comm, code, err);
    if (code != 0)
        return code;
    comm_gather(comm, &mine, all, sizeof(mine));
    double first = mine.start_s, last = mine.start_s;
    for (int r = 0; comm->rank == 0 && r < comm->ranks; r++) {
        double time = all[r].end_s - all[r].start_s;
        result->time_s = time > result->time_s ? time : result->time_s;
        result->messages += all[r].messages;
        result->bytes += all[r].bytes;
        first = all[r].start_s < first ? all[r].start_s : first;
        last = all[r].start_s > last ? all[r].start_s : last;
    }
    result->skew_s = comm->one_host ? last - first : -1;
    free(all);
    return 0;
}

static void gather_workers(struct run *run, struct run_result *result)
{
    void *all;
    size_t bytes;
    worker_results(run);
    comm_gather_any(&run->context->comm, run->result,
                    (size_t)run->workers * sizeof(*run->result), &all, &bytes);
    run->all_workers = all;
    result->workers = all;
    for (int w = 0; all != NULL && w < run->tree.workers; w++) {
        result->chunks += run->all_workers[w].chunks;
        result->iterations += run->all_workers[w].iterations;
    }
}

int run_repeat(struct run *run, struct run_result *result, struct error *err)
{
    *result = (struct run_result){.wrong_iteration = -1, .bound_s = -1};
    free_last(run);
    reset(run);
    comm_quiet_barrier(&run->context->comm);
    engine_team_run(run->context->team, loop_body, run);
    int code = gather_ranks(run, result, err);
    if (code == 0)
        code = verify(run, result, err);
    if (code != 0)
        return code;
    gather_workers(run, result);
    gather_log(run, result);
    if (run->context->comm.rank == 0)
        result->bound_s = bound(run, result);
    return 0;
}
