/* bench-overhead: what our own machinery costs on this machine.  Run it under
 * a launcher with two ranks: mpiexec.mpich -n 2 build/bench-overhead. */
#include "bench/overhead/overhead.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int overhead_loop(struct loop *loop, const char *kernel,
                  const struct comm *comm, struct error *err)
{
    const struct kernel_ops *ops;
    struct spec spec;
    int code = kernel_parse(kernel, &ops, &spec, err);
    return code != 0 ? code
                     : loop_open(loop, ops, &spec, false, comm, 60, 1, err);
}

static int open_context(struct launch_context *context, struct error *err)
{
    context->tick_s = engine_measure_tick();
    int code = place_open(&context->place, &context->comm, err);
    if (code != 0)
        return code;
    context->threads = 1;
    code = engine_team_start(&context->team, 1, err);
    return comm_agree(&context->comm, code, err);
}

static bool is_wanted(const char *part, const char *name)
{
    return part == NULL || strcmp(part, name) == 0;
}

static void run_pipelined(struct launch_context *context, const char *part)
{
    if (is_wanted(part, "syncs"))
        overhead_syncs(stdout, context);
    if (is_wanted(part, "pipelines"))
        overhead_pipelines(stdout, context);
}

static void run_two_threads(struct launch_context *context, const char *part)
{
    if (is_wanted(part, "steals"))
        overhead_steals(stdout, context);
    run_pipelined(context, part);
    if (is_wanted(part, "narrow"))
        overhead_narrow(stdout, context);
}

/* Rank 0 as a launch of one rank with all cores. */
static void run_alone(const struct launch_context *all, const char *part)
{
    struct launch_context context = *all;
    struct error err;
    context.comm.all = context.comm.host = MPI_COMM_SELF;
    context.comm.ranks = context.comm.host_ranks = context.place.ranks = 1;
    context.threads = topo_cores(all->place.topo);
    if (engine_team_start(&context.team, context.threads, &err) != 0)
        return;
    if (is_wanted(part, "threads"))
        overhead_threads(stdout, &context);
    if (is_wanted(part, "early"))
        overhead_early(stdout, &context);
    if (is_wanted(part, "library"))
        overhead_library(stdout, &context);
    if (is_wanted(part, "omp"))
        overhead_omp(stdout, context.threads);
    if (is_wanted(part, "recording"))
        overhead_recording(stdout, &context);
    if (is_wanted(part, "counters"))
        overhead_counting(stdout, &context);
    if (is_wanted(part, "bounds"))
        overhead_bounds(stdout, &context, "one rank, a thread on every core");
    engine_team_stop(context.team);
    context.threads = 2;
    if (topo_cores(all->place.topo) < 2)
        context.threads = 1;
    if (engine_team_start(&context.team, context.threads, &err) != 0)
        return;
    if (context.threads == 2)
        run_two_threads(&context, part);
    if (is_wanted(part, "kernels")) {
        printf("\n");
        overhead_kernels(stdout, &context);
    }
    engine_team_stop(context.team);
    fflush(stdout);
}

/* Both ranks, one worker each. */
static void run_together(struct launch_context *context, const char *part)
{
    if (is_wanted(part, "ranks"))
        overhead_ranks(stdout, context);
    if (is_wanted(part, "counters"))
        overhead_counting(stdout, context);
    run_pipelined(context, part);
    if (is_wanted(part, "bounds"))
        overhead_bounds(stdout, context, "2 ranks, the master also computes");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    struct launch_context context = {.threads = 0};
    struct error err;
    const char *part = argc > 1 ? argv[1] : NULL;
    int code = comm_open(&context.comm, &err);
    if (code == 0 && context.comm.ranks != 2)
        code = error_set(&err, EINVAL,
                         "bench-overhead needs two ranks: "
                         "mpiexec.mpich -n 2 build/bench-overhead "
                         "[threads|early|library|kernels|ranks|steals|"
                         "recording|counters|syncs|pipelines|narrow|"
                         "bounds|omp]");
    if (code == 0)
        code = open_context(&context, &err);
    if (code != 0) {
        if (context.comm.rank == 0)
            fprintf(stderr, "bench-overhead: %s\n", err.text);
        MPI_Finalize();
        return 2;
    }
    if (context.comm.rank == 0)
        run_alone(&context, part);
    comm_quiet_barrier(&context.comm);
    run_together(&context, part);
    engine_team_stop(context.team);
    place_close(&context.place);
    comm_close(&context.comm);
    return 0;
}
