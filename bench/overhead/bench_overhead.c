/* bench-overhead: the cost of our own machinery on this machine.  Run it under
 * a launcher with two ranks: mpiexec.mpich -n 2 build/bench-overhead. */
#include "bench/overhead/overhead.h"

#include "harness/engine/engine.h"

#include <errno.h>
#include <mpi.h>
#include <string.h>

/* The shape in which a section runs: rank 0 alone with a thread on every core,
 * or with two threads, or both ranks with one thread each. */
enum shape { CORES, TWO_THREADS, TWO_RANKS };

static const struct section {
    const char *part; /* its name in PART= */
    enum shape shape;
    overhead_section *run;
} sections[] = {
    {"threads", CORES, overhead_threads},
    {"threads", CORES, overhead_openmp},
    {"library", CORES, overhead_library},
    {"omp", CORES, overhead_omp},
    {"recording", CORES, overhead_recording},
    {"bounds", CORES, overhead_bounds},
    {"syncs", TWO_THREADS, overhead_syncs},
    {"pipelines", TWO_THREADS, overhead_pipelines},
    {"narrow", TWO_THREADS, overhead_narrow},
    {"kernels", TWO_THREADS, overhead_kernels},
    {"ranks", TWO_RANKS, overhead_ranks},
    {"ranks", TWO_RANKS, overhead_library_ranks},
    {"syncs", TWO_RANKS, overhead_syncs},
    {"pipelines", TWO_RANKS, overhead_pipelines},
    {"bounds", TWO_RANKS, overhead_bounds},
};

enum { SECTIONS = sizeof(sections) / sizeof(sections[0]) };

static int open_context(struct launch_context *context, struct error *err)
{
    context->tick_s = engine_tick_since(engine_moment());
    int code = place_open(&context->place, &context->comm, err);
    if (code != 0)
        return code;
    context->threads = 1;
    code = engine_team_start(&context->team, 1, err);
    return comm_agree(&context->comm, code, err);
}

static void run_sections(struct launch_context *context, enum shape shape,
                         const char *part)
{
    for (int i = 0; i < SECTIONS; i++)
        if (sections[i].shape == shape &&
            (part == NULL || strcmp(part, sections[i].part) == 0))
            sections[i].run(stdout, context);
    fflush(stdout);
}

/* Rank 0 as a launch of one rank. */
static void run_alone(const struct launch_context *all, enum shape shape,
                      const char *part)
{
    struct launch_context context = *all;
    struct error err;
    int cores = topo_cores(all->place.topo);
    context.comm.all = context.comm.host = MPI_COMM_SELF;
    context.comm.ranks = context.comm.host_ranks = context.place.ranks = 1;
    context.threads = shape == CORES ? cores : 2;
    if (context.threads > cores ||
        engine_team_start(&context.team, context.threads, &err) != 0)
        return;
    run_sections(&context, shape, part);
    engine_team_stop(context.team);
}

/* The first section of a part; NULL: there is none. */
static const struct section *find_part(const char *part)
{
    for (int i = 0; i < SECTIONS; i++)
        if (strcmp(part, sections[i].part) == 0)
            return &sections[i];
    return NULL;
}

int main(int argc, char **argv)
{
    struct launch_context context = {.threads = 0};
    struct error err;
    const char *part = argc > 1 ? argv[1] : NULL;
    int code = comm_open(&context.comm, &err);
    bool wrong = code == 0 && (context.comm.ranks != 2 ||
                               (part != NULL && find_part(part) == NULL));
    if (code == 0 && !wrong)
        code = open_context(&context, &err);
    if (code != 0 || wrong) {
        if (context.comm.rank == 0 && wrong) {
            fprintf(stderr,
                    "usage: mpiexec.mpich -n 2 build/bench-overhead [PART], "
                    "parts:");
            for (int i = 0; i < SECTIONS; i++)
                if (find_part(sections[i].part) == &sections[i])
                    fprintf(stderr, " %s", sections[i].part);
            fprintf(stderr, "\n");
        } else if (context.comm.rank == 0)
            fprintf(stderr, "bench-overhead: %s\n", err.text);
        MPI_Finalize();
        return 2;
    }
    if (context.comm.rank == 0) {
        run_alone(&context, CORES, part);
        run_alone(&context, TWO_THREADS, part);
    }
    comm_quiet_barrier(&context.comm);
    run_sections(&context, TWO_RANKS, part);
    engine_team_stop(context.team);
    place_close(&context.place);
    comm_close(&context.comm);
    return 0;
}
