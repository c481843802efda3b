#include "harness/run/run_parts.h"

#include "harness/guard/need.h"
#include "harness/setup/cell_transport.h"

#include <stdlib.h>

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
    int code = setup_build_tree(run->setup, &run->tree, err);
    if (code == 0) {
        run->workers = run->tree.rank_worker[comm->rank + 1] -
                       run->tree.rank_worker[comm->rank];
        run_allocate(run);
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
        code = run_open_dmps(run, err);
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
    run_close_workers(run);
    run_free_gathered(run);
    tree_free(&run->tree);
    free(run->places.site);
    free(run->picture.held);
    free(run->places.processor);
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
