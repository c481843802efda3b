/* A chunk through libdls over ranks, as a program calls it, compared with the
 * same cell of the suite. */
#include "bench/overhead/contest.h"
#include "bench/overhead/rounds/states.h"

#include "dls/dls_mpi.h"
#include "harness/engine/engine.h"

#include <dlfcn.h>
#include <errno.h>
#include <mpi.h>
#include <string.h>

enum { ITERATIONS = 100000, COUNTED = 1 << 20 };

/* The functions of the shared library, so that calls leave this program as
 * they leave a user's. */
struct library {
    void *base, *handle;
    int (*open)(dls_loop **loop, MPI_Comm comm, const char *scheme,
                int64_t iterations, int workers, const dls_options *options,
                const dls_mpi_options *mpi);
    int (*next)(dls_loop *loop, int worker, int64_t *begin, int64_t *end);
    int (*poll)(dls_loop *loop);
    int (*again)(dls_loop *loop, int64_t iterations);
    int (*close)(dls_loop *loop, int64_t *unfinished);
    const char *(*error)(const dls_loop *loop);
};

/* A cell, and the same loop of the library. */
struct pairing {
    struct contest cell;
    const char *text; /* the library's options */
    int64_t iterations;
    const struct library *library;
    const struct comm *comm;
    dls_loop *loop;
    double value[OVERHEAD_ROUNDS], handover_ns[OVERHEAD_ROUNDS];
};

static int open_library(struct library *library, struct error *err)
{
    /* The one that it stands on is not where the loader looks. */
    library->base = dlopen(BUILD_LIBDLS, RTLD_NOW | RTLD_LOCAL);
    library->handle = dlopen(BUILD_LIBDLS_MPI, RTLD_NOW | RTLD_LOCAL);
    if (library->handle == NULL)
        return error_set(err, ENOENT, "%s", dlerror());
    static const char *const names[] = {"dls_mpi_open", "dls_next",
                                        "dls_poll",     "dls_again",
                                        "dls_close",    "dls_error"};
    void *symbol[6];
    for (int i = 0; i < 6; i++) {
        symbol[i] = dlsym(library->handle, names[i]);
        if (symbol[i] == NULL)
            return error_set(err, ENOENT, "%s: %s is missing", BUILD_LIBDLS_MPI,
                             names[i]);
    }
    /* A pointer to a function, copied as bytes: C does not convert them. */
    memcpy(&library->open, &symbol[0], sizeof(symbol[0]));
    memcpy(&library->next, &symbol[1], sizeof(symbol[1]));
    memcpy(&library->poll, &symbol[2], sizeof(symbol[2]));
    memcpy(&library->again, &symbol[3], sizeof(symbol[3]));
    memcpy(&library->close, &symbol[4], sizeof(symbol[4]));
    memcpy(&library->error, &symbol[5], sizeof(symbol[5]));
    return 0;
}

static bool serves_only(const struct pairing *p, const struct comm *comm)
{
    return comm->rank == 0 && strcmp(p->cell.master, "dedicated") == 0;
}

static int open_pairing(struct pairing *p, const struct library *library,
                        struct launch_context *context, struct error *err)
{
    const dls_options options = {.size = sizeof(options), .text = p->text};
    const struct comm *comm = &context->comm;
    p->library = library, p->comm = comm;
    int code = contest_open(&p->cell, context, err);
    if (code != 0)
        return code;
    code = library->open(&p->loop, comm->all, p->cell.scheme, p->iterations,
                         serves_only(p, comm) ? 0 : 1, &options, NULL);
    return code == 0 ? 0 : error_set(err, -code, "%s", library->error(p->loop));
}

/* Seconds per chunk, of the rank that took longest. */
static double time_library(struct pairing *p, const struct library *library,
                           const struct comm *comm)
{
    int64_t begin, end, chunks = 0;
    double took, longest = 0;
    comm_quiet_barrier(comm);
    comm_sharp_barrier(comm);
    double start = engine_now();
    if (serves_only(p, comm))
        while (library->poll(p->loop) == 1)
            ;
    else
        while (library->next(p->loop, 0, &begin, &end) == 1)
            chunks++;
    took = engine_now() - start;
    MPI_Allreduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, comm->all);
    chunks = comm_total(comm, chunks, NULL, NULL);
    library->again(p->loop, p->iterations);
    return longest / (double)chunks;
}

static void time_pairing(void *arg, int round)
{
    struct pairing *p = arg;
    p->cell.value[round] = contest_time(&p->cell);
    p->value[round] = time_library(p, p->library, p->comm);
}

static void print_pairing(FILE *out, const struct pairing *p)
{
    struct state state[STATES_MAX];
    int states = state_split(p->handover_ns, OVERHEAD_ROUNDS, state);
    for (int s = 0; s < states; s++) {
        double ratio = state_ratio(&state[s], p->value, p->cell.value);
        fprintf(out, "  %-22s %-34s %8.1f %8.1f %8.2f   1.05 %-6s",
                p->cell.scheme, p->text,
                1e9 * state_middle(&state[s], p->cell.value),
                1e9 * state_middle(&state[s], p->value), ratio,
                state_judge(&state[s], ratio <= 1.05));
        state_print(out, &state[s]);
        fprintf(out, "\n");
    }
}

static void run_pairings(FILE *out, struct pairing *p, int count,
                         struct launch_context *context)
{
    for (int r = 0; r < OVERHEAD_ROUNDS; r++)
        for (int i = 0; i < count; i++)
            p[i].handover_ns[r] =
                state_time_round(context, time_pairing, &p[i], r);
    if (context->comm.rank != 0)
        return;
    fprintf(out,
            "\nns per chunk through libdls over 2 ranks, beside the same cell "
            "of the suite, in turns\n"
            "  %-22s %-34s %8s %8s %8s   aim\n",
            "scheme", "options", "own", "libdls", "ratio");
    for (int i = 0; i < count; i++)
        print_pairing(out, &p[i]);
}

void overhead_library_ranks(FILE *out, struct launch_context *context)
{
    struct pairing p[] = {
        {.cell = {.scheme = "ss", .transport = "window", .window = "shared"},
         .text = "window=shared",
         .iterations = COUNTED},
        {.cell = {.scheme = "ss", .transport = "window", .window = "rma"},
         .text = "window=rma",
         .iterations = ITERATIONS},
        {.cell = {.scheme = "ss", .transport = "master", .master = "dedicated"},
         .text = "transport=master,master=dedicated",
         .iterations = ITERATIONS},
        {.cell = {.scheme = "ss", .transport = "master"},
         .text = "transport=master",
         .iterations = ITERATIONS},
    };
    enum { COUNT = sizeof(p) / sizeof(p[0]) };
    const struct comm *comm = &context->comm;
    struct library library = {.handle = NULL};
    struct error err = {""};
    int opened = 0;
    int code = comm_agree(comm, open_library(&library, &err), &err);
    for (; code == 0 && opened < COUNT; opened++) {
        struct contest *cell = &p[opened].cell;
        cell->late = true; /* the library does not know when a chunk will end */
        cell->kernel = p[opened].iterations == COUNTED ? "null:size=1048576"
                                                       : "null:size=100000";
        cell->window = cell->window != NULL ? cell->window : "auto";
        cell->master = cell->master != NULL ? cell->master : "computing";
        code = open_pairing(&p[opened], &library, context, &err);
    }
    if (code == 0)
        run_pairings(out, p, COUNT, context);
    else if (comm->rank == 0)
        fprintf(out, "libdls over ranks: %s\n", err.text);
    for (int i = 0; code == 0 && i < COUNT; i++) {
        library.close(p[i].loop, NULL);
        contest_close(&p[i].cell);
    }
    if (library.handle != NULL)
        dlclose(library.handle);
    if (library.base != NULL)
        dlclose(library.base);
}
