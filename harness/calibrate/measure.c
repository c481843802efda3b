#include "harness/calibrate/measure.h"

#include "harness/calibrate/dispatch.h"
#include "harness/calibrate/exchange.h"
#include "harness/calibrate/rates.h"
#include "harness/calibrate/slices.h"
#include "harness/calibrate/transfer.h"
#include "harness/calibrate/work.h"
#include "harness/guard/guard.h"
#include "harness/guard/need.h"
#include "harness/record/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A machine may be disturbed for seconds, longer than the rounds of a kernel
 * take: all kernels are visited one by one, and then again. */
enum { VISITS = 2 };

/* Visits that differ by more are said. */
#define VISITS_FACTOR 1.15

static int open_context(struct launch_context *context,
                        const struct measure_plan *plan, struct error *err)
{
    struct comm *comm = &context->comm;
    context->threads = plan->threads;
    context->tick_s = engine_measure_tick();
    comm->threaded = plan->threads > 1;
    int code = 0;
    if (comm->ranks != plan->ranks)
        code = error_set(err, EINVAL,
                         "the launcher started %d ranks, calibrate needs %d: "
                         "look at --launcher",
                         comm->ranks, plan->ranks);
    code = comm_agree(comm, code, err);
    if (code == 0)
        code = place_open(&context->place, comm, err);
    if (code != 0)
        return code;
    /* As in launch.c. */
    if (comm_max_int(comm, place_ranks_crowded(&context->place)))
        comm->patience.spin_s = 0;
    code = engine_team_start(&context->team, context->threads, err);
    return comm_agree(comm, code, err);
}

static void close_context(struct launch_context *context)
{
    if (context->team != NULL)
        engine_team_stop(context->team);
    if (context->place.topo != NULL)
        place_close(&context->place);
}

static void gather_hosts(const struct crew *crew, struct calibration_kind *kind)
{
    const struct comm *comm = &crew->context->comm;
    char host[sizeof(kind->worker[0].host)] = "", *all = NULL;
    gethostname(host, sizeof(host) - 1);
    if (comm->rank == 0)
        all = need_zeroed((size_t)comm->ranks, sizeof(host));
    comm_gather(comm, host, all, sizeof(host));
    for (int w = 0; comm->rank == 0 && w < kind->workers; w++)
        memcpy(kind->worker[w].host,
               all + (size_t)crew->tree.worker_rank[w] * sizeof(host),
               sizeof(host));
    free(all);
}

/* At rank 0: the faster visit counts. */
static void keep_visit(struct calibration_kernel *kept,
                       struct calibration_kernel *again, int workers)
{
    double ratio = calibration_keep_faster(kept, again, workers);
    if (ratio > VISITS_FACTOR)
        printf("note: kernel %s took %.2f times as long on one visit as on "
               "another: the machine had other work; the faster one counts\n",
               kept->spec, ratio);
}

/* Collective. */
static int measure_kernels(struct crew *crew, const struct measure_plan *plan,
                           struct calibration_kind *kind, struct error *err)
{
    struct calibration_kernel again = {
        .cost = need_zeroed((size_t)crew->workers + 1, sizeof(*again.cost))};
    int code = 0;
    for (int k = 0; code == 0 && k < plan->kernels; k++)
        code = work_measure(crew, plan->kernel[k], &kind->kernel[k], err);
    for (int visit = 1; visit < VISITS; visit++)
        for (int k = 0; code == 0 && k < plan->kernels; k++) {
            code = work_measure(crew, plan->kernel[k], &again, err);
            if (code == 0 && crew->context->comm.rank == 0)
                keep_visit(&kind->kernel[k], &again, crew->workers);
        }
    free(again.cost);
    return code;
}

static int measure_kind(struct crew *crew, const struct measure_plan *plan,
                        struct calibration_kind *kind, struct error *err)
{
    int code = dispatch_measure(crew->context, plan->oversubscribe, kind, err);
    if (code == 0)
        code = dispatch_charges(crew->context, plan->oversubscribe, kind, err);
    if (code == 0)
        code = rates_measure(&crew->context->comm, kind, err);
    if (code == 0)
        gather_hosts(crew, kind);
    if (code == 0)
        code = exchange_measure(crew, kind, err);
    if (code == 0)
        transfer_measure(crew, kind);
    if (code == 0)
        code = slices_measure(crew, &kind->slices, err);
    if (code == 0)
        code = measure_kernels(crew, plan, kind, err);
    return code;
}

static int write_kind(const struct comm *comm, const char *path,
                      struct calibration_kind *kind, struct error *err)
{
    char mpi[128];
    int code = 0;
    if (comm->rank == 0) {
        comm_describe(mpi, sizeof(mpi));
        calibration_set_powers(kind);
        code = record_whole(path,
                            json_pack("{s:s,s:o}", "mpi", mpi, "kind",
                                      calibration_kind_to_json(kind)),
                            err);
    }
    return comm_agree(comm, code, err);
}

static int measure_launch(struct launch_context *context,
                          const struct measure_plan *plan, struct error *err)
{
    struct crew crew;
    struct calibration_kind kind;
    int code = open_context(context, plan, err);
    if (code == 0)
        code = crew_open(&crew, context, err);
    if (code != 0)
        return code;
    code =
        calibration_kind_open(&kind, crew.workers, exchange_pairs(crew.workers),
                              plan->kernels, transfer_count(&crew), err);
    code = comm_agree(&context->comm, code, err);
    if (code == 0)
        code = measure_kind(&crew, plan, &kind, err);
    if (code == 0)
        code = write_kind(&context->comm, plan->path, &kind, err);
    calibration_kind_free(&kind);
    crew_close(&crew);
    return code;
}

int measure_main(const struct measure_plan *plan)
{
    struct launch_context context = {.threads = 0};
    struct error err;
    int code = comm_open(&context.comm, &err);
    if (code != 0) {
        fprintf(stderr, "dlsbench: %s\n", err.text);
        return 1;
    }
    guard_started();
    code = measure_launch(&context, plan, &err);
    if (code != 0 && context.comm.rank == 0)
        fprintf(stderr, "dlsbench: %s\n", err.text);
    close_context(&context);
    comm_close(&context.comm);
    return code != 0;
}
