/* A chunk through libdls over ranks, as a program calls it, compared with the
 * same cell of the suite. */
#include "bench/overhead/bench_cell.h"
#include "bench/overhead/contest.h"
#include "bench/overhead/library.h"
#include "bench/overhead/overhead.h"

#include "dls/dls_mpi.h"
#include "harness/engine/engine.h"

#include <dlfcn.h>
#include <errno.h>
#include <mpi.h>
#include <string.h>

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

/* A variant: a way to hand out the loop, in the keys of the library and of a
 * cell. */
struct variant {
    const char *text, *transport, *master, *window;
    int64_t iterations;
};

static const struct variant variants[] = {
    {"window=shared", "window", "computing", "shared", 1 << 20},
    {"window=rma", "window", "computing", "rma", 100000},
    {"transport=master,master=dedicated", "master", "dedicated", "auto",
     100000},
    {"transport=master", "master", "computing", "auto", 100000},
};

enum { VARIANTS = sizeof(variants) / sizeof(variants[0]) };

/* A cell, and the same loop of the library. */
struct pairing {
    const struct variant *variant;
    struct bench_cell cell;
    const struct library *library;
    const struct comm *comm;
    dls_loop *loop;
    bool serves_only; /* this rank */
};

static int open_library(struct library *library, struct error *err)
{
    /* The loader would not find libdls, which libdls-mpi needs: load it
     * first. */
    library->base = dlopen(BUILD_LIBDLS, RTLD_NOW | RTLD_LOCAL);
    library->handle = dlopen(BUILD_LIBDLS_MPI, RTLD_NOW | RTLD_LOCAL);
    if (library->handle == NULL)
        return error_set(err, ENOENT, "%s", dlerror());
    return library_functions(
        library->handle,
        (const struct library_function[]){{"dls_mpi_open", &library->open},
                                          {"dls_next", &library->next},
                                          {"dls_poll", &library->poll},
                                          {"dls_again", &library->again},
                                          {"dls_close", &library->close},
                                          {"dls_error", &library->error},
                                          {NULL, NULL}},
        err);
}

static int open_pairing(struct pairing *p, struct launch_context *context,
                        struct error *err)
{
    const dls_options options = {.size = sizeof(options),
                                 .text = p->variant->text};
    char kernel[32];
    snprintf(kernel, sizeof(kernel), "null:size=%lld",
             (long long)p->variant->iterations);
    /* The library does not know when a chunk will end: no prefetch. */
    const struct bench_field fields[] = {{"kernel", kernel},
                                         {"scheme", "ss"},
                                         {"transport", p->variant->transport},
                                         {"master", p->variant->master},
                                         {"window", p->variant->window},
                                         {"prefetch", "off"},
                                         {NULL, NULL}};
    p->serves_only =
        context->comm.rank == 0 && strcmp(p->variant->master, "dedicated") == 0;
    int code = bench_cell_open(&p->cell, context, NULL, fields, err);
    if (code != 0)
        return code;
    code =
        p->library->open(&p->loop, p->comm->all, "ss", p->variant->iterations,
                         p->serves_only ? 0 : 1, &options, NULL);
    return code == 0 ? 0
                     : error_set(err, -code, "%s", p->library->error(p->loop));
}

/* Per chunk, of the rank that took longest. */
static double time_library(void *arg)
{
    struct pairing *p = arg;
    int64_t begin, end, chunks = 0;
    double took, longest = 0;
    comm_quiet_barrier(p->comm);
    comm_sharp_barrier(p->comm);
    double start = engine_now();
    if (p->serves_only)
        while (p->library->poll(p->loop) == 1)
            ;
    else
        while (p->library->next(p->loop, 0, &begin, &end) == 1)
            chunks++;
    took = engine_now() - start;
    MPI_Allreduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, p->comm->all);
    chunks = comm_total(p->comm, chunks, NULL, NULL);
    p->library->again(p->loop, p->variant->iterations);
    return 1e9 * longest / (double)chunks;
}

static double time_cell(void *arg)
{
    struct pairing *p = arg;
    return bench_cell_chunk_ns(&p->cell);
}

void overhead_library_ranks(FILE *out, struct launch_context *context)
{
    const struct comm *comm = &context->comm;
    struct library library = {.handle = NULL};
    struct pairing pairing[VARIANTS] = {0};
    struct contest row[VARIANTS];
    struct error err = {""};
    int code = comm_agree(comm, open_library(&library, &err), &err);
    for (int i = 0; code == 0 && i < VARIANTS; i++) {
        struct pairing *p = &pairing[i];
        *p = (struct pairing){
            .variant = &variants[i], .library = &library, .comm = comm};
        row[i] = (struct contest){.name = variants[i].text,
                                  .how = "ss",
                                  .ours = time_library,
                                  .bare = time_cell,
                                  .arg = p,
                                  .aim = 1.05};
        code = open_pairing(p, context, &err);
    }
    if (comm->rank == 0)
        contest_head(out, "One chunk through libdls over 2 ranks, beside the "
                          "same cell of the suite");
    if (code == 0)
        contest_run(out, context, row, VARIANTS, NULL);
    else if (comm->rank == 0)
        fprintf(out, "  %s\n", err.text);
    for (int i = 0; i < VARIANTS; i++) {
        if (pairing[i].loop != NULL)
            library.close(pairing[i].loop, NULL);
        bench_cell_close(&pairing[i].cell);
    }
    if (library.handle != NULL)
        dlclose(library.handle);
    if (library.base != NULL)
        dlclose(library.base);
}
