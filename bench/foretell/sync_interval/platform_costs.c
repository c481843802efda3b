#include "bench/foretell/sync_interval/platform_costs.h"

#include "harness/check/cell_transport.h"
#include "harness/hierarchy/tree.h"
#include "harness/process/need.h"
#include "harness/protocol/pipeline/sim/links_join.h"
#include "kernels/kernel.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Operations of the kernel for one iteration, or for one point of a grid. */
struct work {
    const struct kernel_ops *kernel;
    char spec[SPEC_CANONICAL_MAX];
    int64_t rows, columns;
    double operations;
};

static int count_work(struct work *work, const char *text, struct error *err)
{
    struct kernel_grid grid = {.columns = 1, .steps = 1};
    struct spec spec;
    void *instance;
    int code = kernel_parse(text, &work->kernel, &spec, err);
    if (code == 0 &&
        (work->kernel->cost == NULL || work->kernel->cost->operations == NULL))
        code = error_set(err, EINVAL,
                         "kernel %s: the number of its operations is not known",
                         work->kernel->name);
    if (code == 0)
        code = kernel_outline(work->kernel, &spec, &instance, err);
    if (code != 0)
        return code;
    if (work->kernel->dependence != NULL)
        work->kernel->dependence->grid(instance, &grid);
    snprintf(work->spec, sizeof(work->spec), "%s", spec.canonical);
    work->rows = work->kernel->iterations(instance);
    work->columns = grid.columns;
    double all = 0;
    for (int64_t i = 0; i < work->rows; i++)
        all += work->kernel->cost->operations(instance, i);
    work->operations =
        all / (double)work->rows / (double)grid.columns / (double)grid.steps;
    work->kernel->destroy(instance);
    return 0;
}

/* ---- the workers ---- */

/* Seconds of an operation on the slowest host, as in harness/problem/sim. */
static double operation_seconds(const struct work *work,
                                const struct cell *cell, double slowest)
{
    double flops = work->kernel->cost->flops;
    if (flops == 0)
        return 1;
    return cell->cp > 0 ? cell->cp : flops / slowest;
}

/* Ranks fill the hosts in the order of the platform.  The slowest of their
 * hosts has power 1. */
static int fill_workers(struct calibration_kind *kind, const struct work *work,
                        const struct simulate_platform *platform,
                        const struct cell *cell, struct error *err)
{
    struct tree tree;
    int code = cell_tree_build(cell, &tree, err);
    if (code != 0)
        return code;
    double *speed = need_zeroed((size_t)cell->ranks, sizeof(*speed));
    /* The speed of each rank's host, flop/s, as a launch's file has them. */
    int rank = 0;
    for (int i = 0; i < platform->count; i++)
        for (int r = platform->hosts[i].cores / cell->threads;
             r > 0 && rank < cell->ranks; r--)
            speed[rank++] = platform->hosts[i].speed;
    double slowest = speed[0];
    for (int i = 1; i < cell->ranks; i++)
        slowest = fmin(slowest, speed[i]);
    double unit = operation_seconds(work, cell, slowest);
    code = calibration_kind_open(kind, tree.workers, 1, 1, 0, err);
    for (int w = 0; code == 0 && w < tree.workers; w++) {
        double power = speed[tree.worker_rank[w]] / slowest;
        kind->worker[w].power = power;
        kind->kernel->cost[w] =
            (struct calibration_cost){.c_p = unit * work->operations / power,
                                      .operation = unit / power,
                                      .power = power};
    }
    free(speed);
    tree_free(&tree);
    return code;
}

/* ---- messages and chunks ---- */

static int ask_messages(struct platform_messages *messages,
                        const struct simulate *simulate,
                        const struct simulate_platform *platform,
                        const struct cell *cell, struct error *err)
{
    if (messages->platform == platform && messages->ranks == cell->ranks &&
        messages->threads == cell->threads)
        return 0;
    *messages = (struct platform_messages){.ranks = cell->ranks,
                                           .threads = cell->threads};
    int code = simulate_messages(simulate, platform, cell->ranks, cell->threads,
                                 &messages->take, err);
    if (code == 0)
        messages->platform = platform;
    return code;
}

static void add_dispatch(struct calibration_kind *kind, const char *transport,
                         double seconds)
{
    struct calibration_dispatch *to = &kind->dispatch[kind->dispatches++];
    snprintf(to->transport, sizeof(to->transport), "%s", transport);
    to->c_sch = seconds;
}

/* A request and its answer are messages; a counter in memory needs none.  A
 * hand-over between threads is charged to the one that waits. */
static void fill_exchanges(struct calibration_kind *kind,
                           const struct simulate_messages *take,
                           const struct worklist_simulation *charges,
                           bool ranks)
{
    kind->pair[0] = (struct calibration_pair){
        .worker = {0, kind->workers > 1},
        .c_d = ranks ? take->start_s : charges->handover_s,
        .c_c = ranks ? take->byte_s : charges->handover_byte_s,
        .r2 = 1};
    kind->ends = (struct calibration_ends){true, 0, 0, 0};
    if (ranks)
        kind->ends = (struct calibration_ends){true, take->busy_start_s,
                                               take->busy_byte_s, LINKS_POSTED};
    add_dispatch(kind, "master", 2 * take->start_s + charges->request_s);
    add_dispatch(kind, "window", charges->state_s);
    add_dispatch(kind, "shared", charges->state_s);
}

/* ---- the whole calibration ---- */

int platform_costs(struct calibration *calibration,
                   struct platform_messages *messages,
                   const struct simulate *simulate, const struct cell *cell,
                   struct error *err)
{
    const struct simulate_platform *platform =
        simulate_find(simulate, cell->platform);
    bool ranks = cell->ranks > 1;
    struct calibration_kind *kind =
        &calibration->kind[ranks ? CALIBRATION_RANKS : CALIBRATION_THREADS];
    struct worklist_simulation charges;
    struct work work;
    *calibration = (struct calibration){.took_s = 0};
    int code = simulate_check(platform, cell->ranks, cell->threads, err);
    if (code == 0)
        code = count_work(&work, cell->kernel, err);
    if (code == 0)
        code = ask_messages(messages, simulate, platform, cell, err);
    if (code == 0)
        code = fill_workers(kind, &work, platform, cell, err);
    if (code != 0) {
        calibration_free(calibration);
        return code;
    }
    struct calibration_kernel *kernel = &kind->kernel[0];
    snprintf(kernel->spec, sizeof(kernel->spec), "%s", work.spec);
    kernel->grid = work.kernel->dependence != NULL;
    kernel->rows = work.rows;
    kernel->columns = work.columns;
    simulate_fill(platform, cell, &charges);
    fill_exchanges(kind, &messages->take, &charges, ranks);
    return 0;
}
