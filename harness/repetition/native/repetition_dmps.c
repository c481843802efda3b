/* Opens the pipeline of a loop with dependences. */
#include "harness/repetition/native/repetition_impl.h"

#include "harness/process/need.h"

#include <stdlib.h>

static bool serve_masters(void *arg, struct link_piece *piece)
{
    (void)piece;
    return end_poll(arg);
}

static int open_migrate(struct run *run, struct error *err)
{
    struct loop *loop = run->loop;
    return migrate_open(&run->dependent.migrate, &run->context->comm,
                        loop->instance, loop->iterations,
                        (size_t)loop->grid.columns * loop->grid.boundary_bytes,
                        loop->output,
                        (size_t)loop->iterations * loop->output_bytes,
                        loop->state, loop->grid.state_bytes, err);
}

int run_open_dmps(struct run *run, struct error *err)
{
    struct loop *loop = run->loop;
    struct dmps *dmps = need_zeroed(1, sizeof(*dmps));
    *dmps = (struct dmps){.kernel = loop->kernel->dependence,
                          .instance = loop->instance,
                          .state = loop->state,
                          .output = loop->output,
                          .grid = loop->grid,
                          .rows = loop->iterations,
                          .interval = run->setup->cell.sync_interval,
                          .shared = run->workers > 1,
                          .every_step =
                              run->setup->stamps || run->context->keep_log,
                          .tick_s = run->context->tick_s};
    if (run->setup->protocol == PROTOCOL_SUBPROBLEM)
        dmps->group = run->tree.workers;
    if (run->setup->replan)
        run->passes = loop->grid.steps;
    int code = links_open(&dmps->links, &run->context->comm, loop->iterations,
                          kernel_boundary_columns(&loop->grid),
                          loop->grid.boundary_bytes,
                          loop->grid.steps / run->passes, err);
    if (code != 0) {
        free(dmps);
        return code;
    }
    if (run->workers > 1 && loop->grid.steps > run->passes)
        links_keep_rows(&dmps->links);
    run->dependent.dmps = dmps;
    run->dependent.shared = true;
    dmps->links.patience = run->patience;
    if (end_polls(&run->rank->end)) {
        dmps->links.serve = serve_masters;
        dmps->links.serve_arg = &run->rank->end;
    }
    if (run->passes == 1 || run->context->comm.ranks == 1)
        return 0;
    dmps->migrate = &run->dependent.migrate;
    return open_migrate(run, err);
}

void run_close_dmps(struct run *run)
{
    struct dmps *dmps = run->dependent.dmps;
    if (dmps->migrate != NULL)
        migrate_close(dmps->migrate);
    links_close(&dmps->links);
    free(dmps);
}

void run_rewind_dmps(struct run *run)
{
    dmps_reset(run->dependent.dmps, run->workers);
}
