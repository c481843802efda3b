/* bench-overhead: what our own machinery costs on this machine.  Run it under
 * a launcher with two ranks: mpiexec.mpich -n 2 build/bench-overhead. */
#include "bench/overhead/overhead.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double overhead_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof(*values), compare);
    return values[count / 2];
}

static int open_context(struct launch_context *context, struct error *err)
{
    context->tick_s = engine_measure_tick();
    int code = place_open(&context->place, &context->comm, err);
    if (code != 0)
        return code;
    context->threads = topo_cores(context->place.topo);
    code = engine_team_start(&context->team, context->threads, err);
    return comm_agree(&context->comm, code, err);
}

/* The parts that one rank does alone, with all cores. */
static void alone(struct launch_context *context, const char *part)
{
    if (context->comm.rank == 0 && (!part || strcmp(part, "threads") == 0))
        overhead_threads(stdout, context);
    comm_quiet_barrier(&context->comm);
    if (context->comm.rank == 0 && (!part || strcmp(part, "kernels") == 0)) {
        printf("\n");
        overhead_kernels(stdout);
    }
    fflush(stdout);
    comm_quiet_barrier(&context->comm);
}

static void together(struct launch_context *context, const char *part)
{
    if (!part || strcmp(part, "ranks") == 0)
        overhead_ranks(stdout, context);
    fflush(stdout);
    if (!part || strcmp(part, "bounds") == 0)
        overhead_bounds(stdout, context);
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
                         "[threads|kernels|ranks|bounds]");
    if (code == 0)
        code = open_context(&context, &err);
    if (code != 0) {
        if (context.comm.rank == 0)
            fprintf(stderr, "bench-overhead: %s\n", err.text);
        MPI_Finalize();
        return 2;
    }
    alone(&context, part);
    engine_team_stop(context.team);
    context.threads = 1;
    if (engine_team_start(&context.team, 1, &err) == 0)
        together(&context, part);
    engine_team_stop(context.team);
    place_close(&context.place);
    comm_close(&context.comm);
    return 0;
}
