/* A chunk through libdls, as called by a program, compared with the same chunk
 * from the suite's source; and in the threads of an OpenMP runtime, compared
 * with that runtime's schedule(dynamic,1). */
#include "bench/overhead/library.h"
#include "base/text.h"
#include "bench/overhead/contest.h"
#include "bench/overhead/overhead.h"
#include "bench/overhead/timed_team.h"

#include "dls/dls.h"
#include "harness/engine/engine.h"
#include "harness/transport/openmp/openmp.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNKS = 1 << 20, SEQUENCE_WORKERS = 1 << 15 };

/* The functions of the shared library, so that calls leave this program as
 * they leave a user's. */
struct library {
    void *handle;
    int (*open)(dls_loop **loop, const char *scheme, int64_t iterations,
                int workers, const dls_options *options);
    int (*next)(dls_loop *loop, int worker, int64_t *begin, int64_t *end);
    int (*close)(dls_loop *loop, int64_t *unfinished);
};

struct sequence {
    const char *spec;
    int workers; /* of the sequence; 0: number of threads */
    int64_t iterations;
};

static const struct sequence sequences[] = {
    {"ss", 0, CHUNKS},
    {"css:chunk=7", 0, 7LL * CHUNKS},
    {"gss", SEQUENCE_WORKERS, 1LL << 40},
    {"fss", SEQUENCE_WORKERS, 1LL << 40},
    {"tss:first=2000,last=1", 2, 1000LL * CHUNKS},
};

enum { SEQUENCES = sizeof(sequences) / sizeof(sequences[0]) };

/* The common data of one measurement's threads. */
struct field {
    struct launch_context *context;
    struct engine_team *team;
    const struct library *library;
    const struct sequence *sequence;
    int asking; /* threads that ask: the first of the team */
    int64_t (*take)(struct field *field, int thread); /* chunks taken */
    dls_loop *loop;
    struct sched_table table;
    struct source_counter counter;
    const struct openmp *openmp;
    struct openmp_loop dynamic;
};

static int64_t take_by_library(struct field *field, int thread)
{
    int64_t begin, end, mine = 0;
    while (field->library->next(field->loop, thread, &begin, &end) == 1)
        mine++;
    return mine;
}

static int64_t take_all(struct source *source)
{
    struct chunk chunk;
    int64_t mine = 0;
    while (source_next(source, &chunk))
        mine++;
    return mine;
}

static int64_t take_by_source(struct field *field, int thread)
{
    struct source_table source;
    source_table_open(&source, thread, &field->table, &field->counter);
    return take_all(&source.base);
}

static int64_t take_by_openmp(struct field *field, int thread)
{
    struct source_openmp source;
    source_openmp_open(&source, thread, thread, field->openmp, &field->dynamic);
    return take_all(&source.base);
}

static int64_t run_body(int thread, void *arg)
{
    struct field *field = arg;
    return thread < field->asking ? field->take(field, thread) : 0;
}

/* ns per chunk. */
static double time_take(struct field *field,
                        int64_t (*take)(struct field *field, int thread))
{
    field->take = take;
    return team_time_chunks(field->context, field->team, run_body, field, NULL);
}

static double time_source(void *arg)
{
    struct field *field = arg;
    atomic_store(&field->counter.step, field->table.primed);
    return time_take(field, take_by_source);
}

static double time_openmp(void *arg)
{
    return time_take(arg, take_by_openmp);
}

/* A loop for a sequence of more workers than there are threads; 0: libdls
 * refuses it. */
static double time_library(void *arg)
{
    struct field *field = arg;
    const struct sequence *c = field->sequence;
    int workers = c->workers > 0 ? c->workers : field->context->threads;
    const dls_options none = {.size = sizeof(none)};
    double ns = 0;
    if (field->library->open(&field->loop, c->spec, c->iterations, workers,
                             &none) == 0)
        ns = time_take(field, take_by_library);
    field->library->close(field->loop, NULL);
    return ns;
}

/* One row: within 1.15 or 1.5 ns, whichever is more. */
static int compare_sources(FILE *out, struct field *field,
                           const struct sequence *c, struct error *err)
{
    char how[24];
    snprintf(how, sizeof(how), "%d thread%s", field->asking,
             text_s(field->asking));
    const struct contest row = {.name = c->spec,
                                .how = how,
                                .ours = time_library,
                                .bare = time_source,
                                .arg = field,
                                .aim = 1.15,
                                .aim_ns = 1.5};
    field->sequence = c;
    int code =
        team_table(&field->table, c->spec, c->iterations,
                   c->workers > 0 ? c->workers : field->context->threads, err);
    if (code == 0)
        contest_run(out, field->context, &row, 1, NULL);
    sched_table_free(&field->table);
    return code;
}

/* In the threads of the runtime itself. */
static int compare_openmp(FILE *out, struct field *field, struct error *err)
{
    const struct contest row = {.name = "ss, beside libgomp's dynamic,1",
                                .how = "libgomp's threads",
                                .ours = time_library,
                                .bare = time_openmp,
                                .arg = field,
                                .aim = 1};
    struct engine_team *before = field->team;
    struct openmp *openmp = NULL;
    int threads = field->asking = field->context->threads;
    int code = openmp_open(&openmp, "libgomp", err);
    if (code != 0)
        return code;
    field->openmp = openmp;
    field->sequence = &sequences[0];
    field->dynamic = (struct openmp_loop){
        {.kind = OPENMP_DYNAMIC, .chunk = 1}, 0, CHUNKS, threads};
    code = openmp_check_team(openmp, threads, err);
    if (code == 0)
        code =
            engine_team_adopt(&field->team, threads, openmp_fork, openmp, err);
    if (code == 0) {
        contest_run(out, field->context, &row, 1, NULL);
        engine_team_stop(field->team);
    }
    field->team = before;
    openmp_close(openmp);
    return code;
}

int library_functions(void *library, const struct library_function *functions,
                      struct error *err)
{
    for (const struct library_function *f = functions; f->name; f++) {
        void *symbol = dlsym(library, f->name);
        if (symbol == NULL)
            return error_set(err, ENOENT, "libdls: %s is missing", f->name);
        /* A pointer to a function, copied as bytes: C does not convert them. */
        memcpy(f->pointer, &symbol, sizeof(symbol));
    }
    return 0;
}

static int open_library(struct library *library, struct error *err)
{
    library->handle = dlopen(BUILD_LIBDLS, RTLD_NOW | RTLD_LOCAL);
    if (library->handle == NULL)
        return error_set(err, ENOENT, "%s", dlerror());
    return library_functions(
        library->handle,
        (const struct library_function[]){{"dls_open", &library->open},
                                          {"dls_next", &library->next},
                                          {"dls_close", &library->close},
                                          {NULL, NULL}},
        err);
}

void overhead_library(FILE *out, struct launch_context *context)
{
    struct library library;
    struct field *field = team_memory(sizeof(*field));
    struct error err;
    int code = open_library(&library, &err);
    field->context = context;
    field->team = context->team;
    field->library = &library;
    contest_head(out, "One chunk through libdls (dls_next), beside the suite's "
                      "source");
    for (int i = 0; i < 2 * SEQUENCES && code == 0; i++) {
        field->asking = i < SEQUENCES ? 1 : context->threads;
        code = compare_sources(out, field, &sequences[i % SEQUENCES], &err);
    }
    if (code == 0)
        code = compare_openmp(out, field, &err);
    if (code != 0)
        fprintf(out, "  %s\n", err.text);
    if (library.handle != NULL)
        dlclose(library.handle);
    free(field);
}
