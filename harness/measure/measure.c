#include "harness/measure/measure.h"

#include "base/stamp.h"
#include "base/text.h"
#include "harness/measure/measure_internal.h"
#include "harness/measure/measure_work.h"
#include "harness/process/guard.h"
#include "harness/process/need.h"
#include "harness/record/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A disturbance may last seconds, longer than the rounds of a kernel: so all
 * kernels are visited once, then again.  The middle visit counts, because runs
 * also see the machine as it is. */
enum { VISITS = 3 };

/* Larger differences of visits are reported. */
#define VISITS_FACTOR 1.15

static int open_context(struct launch_context *context,
                        const struct measure_plan *plan, struct error *err)
{
    struct comm *comm = &context->comm;
    context->threads = plan->threads;
    struct engine_moment began = engine_moment();
    comm->threaded = plan->threads > 1;
    int code = 0;
    if (comm->ranks != plan->ranks)
        code = error_set(err, EINVAL,
                         "the launcher started %d rank%s, calibrate needs %d: "
                         "look at --launcher",
                         comm->ranks, text_s(comm->ranks), plan->ranks);
    code = comm_agree(comm, code, err);
    if (code == 0)
        code = place_open(&context->place, comm, err);
    if (code != 0)
        return code;
    /* As in launch.c. */
    if (comm_max_int(comm, place_ranks_crowded(&context->place)))
        comm->patience.spin_s = 0;
    code = engine_team_start(&context->team, context->threads, err);
    context->tick_s = engine_tick_since(began);
    return comm_agree(comm, code, err);
}

static void gather_hosts(const struct crew *crew, struct calibration_kind *kind)
{
    const struct comm *comm = &crew->context->comm;
    char host[sizeof(kind->worker[0].host)] = "", *all = NULL;
    stamp_host_name(host, sizeof(host));
    if (comm->rank == 0)
        all = need_zeroed((size_t)comm->ranks, sizeof(host));
    comm_gather(comm, host, all, sizeof(host));
    for (int w = 0; comm->rank == 0 && w < kind->workers; w++)
        memcpy(kind->worker[w].host,
               all + (size_t)crew->tree.worker_rank[w] * sizeof(host),
               sizeof(host));
    free(all);
}

/* Shows the driver, and so a waiting user, what is measured. */
static void say_step(const struct crew *crew, const char *what, int visit)
{
    const struct launch_context *context = crew->context;
    if (context->comm.rank != 0)
        return;
    printf("@%d %s%s, ", crew->workers,
           context->threads > 1 ? "thread" : "rank", text_s(crew->workers));
    if (visit > 0)
        printf("round %d of %d of the kernels, ", visit, VISITS);
    printf("%s\n", what);
    fflush(stdout);
}

/* Collective: visits all kernels VISITS times and keeps the middle visit of
 * each.  The visits of kernel k begin at visit[k * VISITS]. */
static int visit_kernels(struct crew *crew, const struct measure_plan *plan,
                         struct calibration_kind *kind, struct error *err)
{
    int n = plan->kernels, code = 0;
    size_t workers = (size_t)crew->workers + 1;
    struct calibration_kernel *visit =
        need_zeroed((size_t)n * VISITS + 1, sizeof(*visit));
    for (int i = 0; i < n * VISITS; i++)
        visit[i].cost = need_zeroed(workers, sizeof(*visit->cost));
    for (int i = 0; code == 0 && i < n * VISITS; i++) {
        say_step(crew, plan->kernel[i % n].spec, i / n + 1);
        code = work_measure(crew, &plan->kernel[i % n],
                            &visit[i % n * VISITS + i / n], err);
    }
    for (int k = 0; code == 0 && k < n; k++) {
        struct calibration_cost *cost = kind->kernel[k].cost;
        double ratio = crew->context->comm.rank == 0
                           ? calibration_keep_middle(&visit[k * VISITS], VISITS,
                                                     crew->workers)
                           : 0;
        if (ratio > VISITS_FACTOR)
            printf("note: kernel %s took %.2f times as long on one visit as on "
                   "another: the machine had other work; the middle one "
                   "counts\n",
                   visit[k * VISITS].spec, ratio);
        kind->kernel[k] = visit[k * VISITS];
        visit[k * VISITS].cost = cost;
    }
    for (int i = 0; i < n * VISITS; i++)
        free(visit[i].cost);
    free(visit);
    return code;
}

static int measure_kind(struct crew *crew, const struct measure_plan *plan,
                        struct calibration_kind *kind, struct error *err)
{
    say_step(crew, "chunks and messages", 0);
    int code = dispatch_measure(crew->context, plan->oversubscribe, kind, err);
    if (code == 0)
        code = dispatch_charges(crew->context, plan->oversubscribe, kind, err);
    if (code == 0)
        code = rates_measure(&crew->context->comm, kind, err);
    if (code == 0)
        gather_hosts(crew, kind);
    if (code == 0)
        code = boundary_measure(crew, kind, err);
    if (code == 0)
        input_cost_measure(crew, kind);
    if (code == 0)
        code = slices_measure(crew, &kind->slices, err);
    if (code == 0)
        code = visit_kernels(crew, plan, kind, err);
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

int measure_kernels(int argc, char *const *argv, struct measure_kernel **kernel)
{
    struct measure_kernel *list = need_zeroed((size_t)argc + 1, sizeof(*list));
    int count = 0, code = 0;
    for (int i = 0; code == 0 && i < argc; i++) {
        if (argv[i][0] != '/') {
            list[count++].spec = argv[i];
            continue;
        }
        struct measure_kernel *last = &list[count - 1];
        char *at = argv[i];
        while (count > 0 && *at != '\0' && last->widths < CALIBRATION_BLOCKS)
            last->width[last->widths++] = strtoll(at + 1, &at, 10);
        if (count == 0 || *at != '\0')
            code = -EINVAL;
    }
    *kernel = list;
    return code == 0 ? count : code;
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
        calibration_kind_open(&kind, crew.workers, boundary_pairs(crew.workers),
                              plan->kernels, input_cost_count(&crew), err);
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
    struct launch_context context = {.texts = cell_texts()};
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
    if (context.team != NULL)
        engine_team_stop(context.team);
    if (context.place.topo != NULL)
        place_close(&context.place);
    json_decref(context.texts);
    comm_close(&context.comm);
    return code != 0;
}
