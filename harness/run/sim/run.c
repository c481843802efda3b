/* A run in simulation: rank 0 opens the parts of all ranks, calls all to the
 * loop, and finds their results in its own memory.  Workers run the protocols
 * and transports of the native program; their kernel charges time. */
#include "harness/run/sim/run_parts.h"

#include "harness/engine/sim/world.h"
#include "harness/guard/need.h"
#include "harness/setup/cell_transport.h"
#include "harness/loop/sim/machine.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Workers that ask the same master start a little further apart than it takes
 * to serve one, and STAGGER_LEAST_S in any case.  If they started as fast as it
 * can serve, or at one instant, requests would wait at the master, and every
 * new one would be compared with all of them: 32,768 ranks then take minutes
 * instead of seconds to simulate.  MANY take their leave as close to each
 * other, with a message more each, so they start further apart.  A rank's own
 * time begins with its start. */
static const double STAGGER = 1.25, STAGGER_MANY = 5, STAGGER_LEAST_S = 10e-9;
enum { MANY = 32768 };

/* ---- opening ---- */

static int open_part(struct run *run, int rank, struct error *err)
{
    struct part *part = &run->part[rank];
    part->comm = run->context->comm;
    part->comm.rank = rank;
    return end_open(&part->end, &run->transport, &part->comm, err);
}

static int compare_hosts(const void *a, const void *b)
{
    const struct world_place *const *x = a, *const *y = b;
    if ((*x)->host != (*y)->host)
        return (uintptr_t)(*x)->host < (uintptr_t)(*y)->host ? -1 : 1;
    return (*x > *y) - (*x < *y);
}

/* A host is known by its first rank: addresses differ from run to run.  Shared
 * cores and caches of its cores are not simulated. */
static void open_sites(struct run *run)
{
    const struct world *world = world_here();
    size_t n = (size_t)world->places;
    const struct world_place **sorted = need_zeroed(n, sizeof(*sorted));
    run->site = need_zeroed(n, sizeof(*run->site));
    for (size_t i = 0; i < n; i++)
        sorted[i] = &world->place[i];
    qsort(sorted, n, sizeof(*sorted), compare_hosts);
    for (size_t i = 0, first = 0; i < n; i++) {
        if (sorted[i]->host != sorted[first]->host)
            first = i;
        run->site[sorted[i] - world->place].node =
            (uint64_t)(sorted[first] - world->place);
    }
    free(sorted);
}

static int open_handout(struct run *run, struct error *err)
{
    const struct engine_patience patience = {0};
    if (run->setup->transport->rules->sites)
        open_sites(run);
    return handout_open(&run->transport, run->setup, run->loop, &run->tree,
                        &run->powers, &run->planned, run->site, run->context,
                        &patience, err);
}

static int open_parts(struct run *run, struct error *err)
{
    const struct comm *comm = &run->context->comm;
    int code = setup_build_tree(run->setup, &run->tree, err);
    if (code != 0)
        return code;
    code = powers_open(&run->powers, run->setup, &run->tree, NULL, comm, NULL,
                       err);
    if (code == 0)
        code = planned_open(&run->planned, run->setup, run->loop, &run->tree,
                            run->context, err);
    if (code == 0)
        code = open_handout(run, err);
    if (code != 0)
        return code;
    perturb_open(run);
    run->part = need_zeroed((size_t)comm->ranks, sizeof(*run->part));
    run->seat = need_zeroed((size_t)run->tree.workers, sizeof(*run->seat));
    for (int rank = 0; code == 0 && rank < comm->ranks; rank++, run->opened++)
        code = open_part(run, rank, err);
    if (code == 0 && run->loop->kernel->dependence != NULL)
        code = dependent_open(run, err);
    return code;
}

int run_open(struct run **out, const struct setup *setup, struct loop *loop,
             struct launch_context *context, bool oversubscribe,
             struct error *err)
{
    struct run *run = need_zeroed(1, sizeof(*run));
    (void)oversubscribe;
    run->setup = setup;
    run->loop = loop;
    run->context = context;
    run->passes = 1;
    int code = open_parts(run, err);
    if (code != 0) {
        run_close(run);
        return code;
    }
    *out = run;
    return 0;
}

void run_close(struct run *run)
{
    dependent_close(run);
    for (int rank = 0; rank < run->opened; rank++)
        end_close(&run->part[rank].end);
    transport_close(&run->transport);
    planned_free(&run->planned);
    run_report_free(run);
    perturb_close(run);
    powers_close(&run->powers);
    tree_free(&run->tree);
    free(run->site);
    free(run->handed);
    free(run->seat);
    free(run->part);
    free(run);
}

const struct powers *run_powers(const struct run *run)
{
    return &run->powers;
}

int run_workers(const struct run *run)
{
    return run->tree.workers;
}

int run_worker_rank(const struct run *run, int worker)
{
    return run->tree.worker_rank[worker];
}

const struct perturbs *run_perturbs(const struct run *run)
{
    return &run->setup->perturbs;
}

bool run_oversubscribed(const struct run *run)
{
    (void)run;
    return false;
}

int run_shared_masters(const struct run *run)
{
    (void)run;
    return 0;
}

const struct planned *run_planned(const struct run *run)
{
    return run->planned.count > 0 ? &run->planned : NULL;
}

const char *run_chosen(const struct run *run)
{
    return end_chosen(&run->part[0].end);
}

/* Other reasons for different times: schemes that keep learning, and slices
 * that are at another point when the loop starts. */
bool run_varies(const struct run *run)
{
    bool sliced = run->powers.queue != NULL &&
                  machine_slices(world_here()->machine) != NULL;
    return sliced || setup_learns_by_repetition(run->setup);
}

int run_home(const struct run *run, int64_t iteration)
{
    return transport_home(&run->transport, iteration);
}

/* ---- the loop ---- */

static void reset_run(struct run *run)
{
    const struct tree *tree = &run->tree;
    transport_rewind(&run->transport, false);
    run->handed_count = 0;
    run->traffic.messages = run->traffic.bytes = 0;
    for (int rank = 0; rank < run->context->comm.ranks; rank++) {
        struct part *part = &run->part[rank];
        end_reset(&part->end, false);
        part->end_s = 0;
        for (int w = tree->rank_worker[rank]; w < tree->rank_worker[rank + 1];
             w++)
            seat_open(run, w);
    }
    if (run->dependent.dmps != NULL)
        dependent_reset(run);
}

static void work_seat(struct run *run, struct part *part, int worker)
{
    struct seat *seat = &run->seat[worker];
    if (run->dependent.dmps != NULL)
        dependent_work(run, worker);
    else
        parallel_run(&seat->worker);
    seat_leave(seat);
    end_leave(&part->end);
}

/* worker: -1 where there is none. */
static void run_pass(struct run *run, struct part *part, int thread, int worker)
{
    if (worker >= 0)
        work_seat(run, part, worker);
    if (thread == 0) {
        end_finish(&part->end);
        end_add_traffic(&part->end, &run->traffic.messages,
                        &run->traffic.bytes);
    }
    if (worker >= 0 && run->dependent.dmps != NULL)
        dependent_finish(run, worker);
}

/* All workers have left the pass before, and none begins the next. */
static void rewind_all(struct run *run, int pass)
{
    transport_rewind(&run->transport, true);
    for (int rank = 0; rank < run->context->comm.ranks; rank++)
        end_reset(&run->part[rank].end, true);
    for (int w = 0; w < run->tree.workers; w++)
        seat_rewind(run, w);
    dependent_rewind(run, pass);
}

static void next_pass(struct run *run, struct part *part, int place, int worker,
                      int pass)
{
    struct engine_team *team = run->context->team;
    engine_team_barrier(team, NULL);
    if (place == 0)
        rewind_all(run, pass);
    engine_team_barrier(team, NULL);
    dependent_tell(run, worker);
    if (place % run->context->threads == 0)
        end_listen(&part->end);
    comm_sharp_barrier(&run->context->comm);
}

/* Masters start at once, and the groups of workers start in parallel. */
static double delay_of(const struct tree *tree, int worker)
{
    if (worker < 0)
        return 0;
    const struct tree_master *asked =
        &tree->master[tree->worker_master[worker]];
    double apart_s = (asked->workers < MANY ? STAGGER : STAGGER_MANY) *
                     world_here()->cost_s[ENGINE_REQUEST];
    if (apart_s < STAGGER_LEAST_S)
        apart_s = STAGGER_LEAST_S;
    return (worker - asked->first_worker) * apart_s;
}

/* By every rank of SMPI: a thread of a rank. */
static void loop_body(int place, void *arg)
{
    struct run *run = arg;
    const struct tree *tree = &run->tree;
    int rank = place / run->context->threads;
    int thread = place % run->context->threads;
    struct part *part = &run->part[rank];
    int worker = tree->rank_worker[rank] + thread;
    worker = worker < tree->rank_worker[rank + 1] ? worker : -1;
    if (thread == 0)
        end_listen(&part->end);
    world_sleep(delay_of(tree, worker));
    if (thread == 0)
        part->start_s = engine_now();
    run_pass(run, part, thread, worker);
    for (int pass = 1; pass < run->passes; pass++) {
        next_pass(run, part, place, worker, pass);
        run_pass(run, part, thread, worker);
    }
    if (engine_now() > part->end_s)
        part->end_s = engine_now();
}

int run_repeat(struct run *run, struct run_result *result, struct error *err)
{
    double start = world_wall();
    run_report_free(run);
    reset_run(run);
    perturb_begin(run);
    engine_team_run(run->context->team, loop_body, run);
    run->repetition++;
    perturb_end(run);
    int code = run_report(run, result, err);
    result->wall_s = world_wall() - start;
    return code;
}

int run_save(struct run *run, const char *path, struct run_result *result,
             struct error *err)
{
    (void)run, (void)path, (void)result;
    return error_set(err, ENOTSUP, "a simulation computes nothing to save");
}
