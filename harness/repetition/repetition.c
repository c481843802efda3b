#include "harness/repetition/repetition_internal.h"

#include "harness/check/cell_transport.h"
#include "harness/problem/loop_shared.h"
#include "harness/process/need.h"

#include <stdlib.h>
#include <string.h>

/* ---- opening ---- */

static int open_transport(struct run *run, struct error *err)
{
    const struct comm *comm = &run->context->comm;
    if (run->setup->transport->rules->sites) {
        run->site = need_zeroed((size_t)run->tree.workers, sizeof(*run->site));
        run_share_sites(run, run->site);
    }
    int code = 0;
    if (run->setup->results == TRANSPORT_RESULTS_SHARED)
        code = loop_share(run->loop, comm, err);
    if (code != 0)
        return code;
    const struct run_transport of = {.setup = run->setup,
                                     .loop = run->loop,
                                     .tree = &run->tree,
                                     .powers = &run->powers,
                                     .planned = &run->planned,
                                     .site = run->site,
                                     .context = run->context,
                                     .patience = &run->patience};
    code = run_transport_open(&run->transport, &of, err);
    return comm_agree(comm, code, err);
}

/* The ends of all ranks here. */
static int open_ends(struct run *run, struct error *err)
{
    int code = 0;
    for (int i = 0; code == 0 && i < run_ranks(run); i++, run->opened++) {
        struct run_rank *rank = &run->rank[i];
        rank->comm = run->context->comm;
        rank->comm.rank += i;
        code = end_open(&rank->end, &run->transport, &rank->comm, err);
    }
    return code;
}

static void open_lists(struct run *run)
{
    const struct comm *comm = &run->context->comm;
    const int *before = run->tree.rank_worker;
    run->first = before[comm->rank];
    run->workers = before[comm->rank + comm->local] - run->first;
    run->rank = need_zeroed((size_t)comm->local, sizeof(*run->rank));
    run->worker = need_zeroed((size_t)run->workers + 1, sizeof(*run->worker));
    run_open_impl(run);
}

static int open_parts(struct run *run, bool oversubscribe, struct error *err)
{
    const struct comm *comm = &run->context->comm;
    int code = setup_build_tree(run->setup, &run->tree, err);
    if (code == 0)
        open_lists(run);
    code = comm_agree(comm, code, err);
    if (code == 0)
        code = run_open_places(run, oversubscribe, err);
    if (code == 0)
        code = comm_agree(comm, run_perturb_open(run, err), err);
    if (code == 0)
        code = planned_open(&run->planned, run->setup, run->loop, &run->tree,
                            run->context, err);
    if (code == 0)
        code = open_transport(run, err);
    if (code == 0)
        code = open_ends(run, err);
    if (code == 0 && run->loop->kernel->dependence != NULL)
        code = run_open_dmps(run, err);
    if (code == 0 && loop_steps(run->loop) > 1)
        code = comm_agree(comm, run_open_steps(run, err), err);
    if (code == 0)
        code = comm_agree(comm, run_open_workers(run, err), err);
    return code;
}

int run_open(struct run **out, const struct setup *setup, struct loop *loop,
             struct launch_context *context, bool oversubscribe,
             struct error *err)
{
    struct run *run = need_zeroed(1, sizeof(*run));
    run->setup = setup;
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
    if (run->dependent.dmps != NULL)
        run_close_dmps(run);
    run_close_steps(run);
    for (int i = 0; i < run->opened; i++)
        end_close(&run->rank[i].end);
    transport_close(&run->transport);
    planned_free(&run->planned);
    powers_close(&run->powers);
    if (run->impl != NULL)
        run_close_impl(run);
    run_free_gathered(run);
    tree_free(&run->tree);
    free(run->toll);
    free(run->result);
    free(run->worker);
    free(run->rank);
    free(run->site);
    free(run);
}

/* ---- properties of the run ---- */

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

const struct planned *run_planned(const struct run *run)
{
    return run->planned.count > 0 ? &run->planned : NULL;
}

const char *run_chosen(const struct run *run)
{
    return end_chosen(&run->rank[0].end);
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
                                  .exchange_s = -1,
                                  .between_s = -1,
                                  .advance_s = -1,
                                  .wall_s = -1,
                                  .alone_s = -1};
    run_free_gathered(run);
    run_begin(run);
    engine_team_run(run->context->team, run_loop_body, run);
    run_end(run);
    run_gather(run, result);
    return run_verify(run, result, err);
}
