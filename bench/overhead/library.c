/* A chunk through libdls, as a program calls it, compared with the same chunk
 * from the suite's own source; and inside the threads of an OpenMP runtime,
 * compared with that runtime's schedule(dynamic,1). */
#include "bench/overhead/overhead.h"
#include "bench/overhead/team.h"
#include "bench/overhead/rounds/turns.h"

#include "dls/dls.h"
#include "harness/comm/source.h"
#include "harness/engine/engine.h"
#include "harness/transport/openmp/openmp.h"
#include "sched/schemes/registry.h"

#include <dlfcn.h>
#include <errno.h>
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

struct contest {
    const char *spec;
    int workers; /* that the sequence is made for; 0: the threads */
    int64_t iterations;
};

static const struct contest contests[] = {
    {"ss", 0, CHUNKS},
    {"css:chunk=7", 0, 7LL * CHUNKS},
    {"gss", SEQUENCE_WORKERS, 1LL << 40},
    {"fss", SEQUENCE_WORKERS, 1LL << 40},
    {"tss:first=2000,last=1", 2, 1000LL * CHUNKS},
};

enum { CONTESTS = sizeof(contests) / sizeof(contests[0]) };

/* The common data of one measurement's threads. */
struct field {
    struct launch_context *context;
    struct engine_team *team;
    const struct library *library;
    const struct contest *contest;
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
    const struct contest *c = field->contest;
    int workers = c->workers > 0 ? c->workers : field->context->threads;
    const dls_options none = {.size = sizeof(none)};
    double ns = 0;
    if (field->library->open(&field->loop, c->spec, c->iterations, workers,
                             &none) == 0)
        ns = time_take(field, take_by_library);
    field->library->close(field->loop, NULL);
    return ns;
}

static int build_table(struct field *field, const struct contest *c,
                       struct error *err)
{
    const struct sched_ops *ops;
    struct spec spec;
    const struct sched_loop loop = {
        .iterations = c->iterations,
        .workers = c->workers > 0 ? c->workers : field->context->threads};
    int code = sched_parse(c->spec, &ops, &spec, err);
    if (code == 0)
        code = sched_table_build(&field->table, ops, &spec, &loop, 1, err);
    return code;
}

static int refuse(const struct field *field, struct error *err)
{
    return error_set(err, EINVAL, "libdls refuses %s", field->contest->spec);
}

/* One row: within 1.15 or 1.5 ns, whichever is more. */
static int print_contest(FILE *out, struct field *field,
                         const struct contest *c, struct error *err)
{
    struct turns turns = {.context = field->context,
                          .bare = time_source,
                          .ours = time_library,
                          .arg = field};
    struct turns_group group[STATES_MAX];
    field->contest = c;
    int code = build_table(field, c, err);
    if (code == 0 && turns_measure(&turns) != 0)
        code = refuse(field, err);
    sched_table_free(&field->table);
    if (code != 0)
        return code;
    for (int g = 0, groups = turns_group(&turns, group); g < groups; g++) {
        bool met = group[g].ratio <= 1.15 || group[g].more_ns <= 1.5;
        fprintf(
            out,
            "  %-30s %7d %8.1f %8.1f %8.2f %+6.1f ns   1.15 or +1.5 ns %-6s",
            c->spec, field->asking, group[g].bare_ns, group[g].ours_ns,
            group[g].ratio, group[g].more_ns,
            state_judge(&group[g].state, met));
        state_print(out, &group[g].state);
        fputc('\n', out);
    }
    return 0;
}

static int compare_openmp(FILE *out, struct field *field, struct error *err)
{
    struct turns turns = {.context = field->context,
                          .bare = time_openmp,
                          .ours = time_library,
                          .arg = field};
    struct turns_group group[STATES_MAX];
    if (turns_measure(&turns) != 0)
        return refuse(field, err);
    for (int g = 0, groups = turns_group(&turns, group); g < groups; g++) {
        fprintf(out, "  %-30s %7d %8.1f %8.1f %8.2f             1.00 %-6s",
                "ss, own: libgomp's dynamic,1", field->asking, group[g].bare_ns,
                group[g].ours_ns, group[g].ratio,
                state_judge(&group[g].state, group[g].ratio <= 1));
        state_print(out, &group[g].state);
        fputc('\n', out);
    }
    return 0;
}

/* In the threads of the runtime itself. */
static int print_openmp(FILE *out, struct field *field, struct error *err)
{
    struct engine_team *before = field->team;
    struct openmp *openmp = NULL;
    int threads = field->asking = field->context->threads;
    int code = openmp_open(&openmp, "libgomp", err);
    if (code != 0)
        return code;
    field->openmp = openmp;
    field->contest = &contests[0];
    field->dynamic = (struct openmp_loop){
        {.kind = OPENMP_DYNAMIC, .chunk = 1}, 0, CHUNKS, threads};
    code = openmp_check_team(openmp, threads, err);
    if (code == 0)
        code =
            engine_team_adopt(&field->team, threads, openmp_fork, openmp, err);
    if (code == 0)
        code = compare_openmp(out, field, err);
    if (field->team != before)
        engine_team_stop(field->team);
    field->team = before;
    openmp_close(openmp);
    return code;
}

static int open_library(struct library *library, struct error *err)
{
    library->handle = dlopen(BUILD_LIBDLS, RTLD_NOW | RTLD_LOCAL);
    if (library->handle == NULL)
        return error_set(err, ENOENT, "%s", dlerror());
    /* A pointer to a function, copied as bytes: C does not convert them. */
    void *symbol[3] = {dlsym(library->handle, "dls_open"),
                       dlsym(library->handle, "dls_next"),
                       dlsym(library->handle, "dls_close")};
    memcpy(&library->open, &symbol[0], sizeof(symbol[0]));
    memcpy(&library->next, &symbol[1], sizeof(symbol[1]));
    memcpy(&library->close, &symbol[2], sizeof(symbol[2]));
    if (symbol[0] != NULL && symbol[1] != NULL && symbol[2] != NULL)
        return 0;
    dlclose(library->handle);
    return error_set(err, ENOENT, "%s: a function is missing", BUILD_LIBDLS);
}

void overhead_library(FILE *out, struct launch_context *context)
{
    struct library library;
    struct field field = {
        .context = context, .team = context->team, .library = &library};
    struct error err;
    int code = open_library(&library, &err);
    if (code != 0) {
        fprintf(out, "libdls: %s\n\n", err.text);
        return;
    }
    fprintf(out,
            "ns per chunk through libdls (dls_next), beside the suite's own "
            "source, in turns\n"
            "  %-30s %7s %8s %8s %8s %9s   aim\n",
            "scheme", "threads", "own", "libdls", "ratio", "more");
    for (int i = 0; i < 2 * CONTESTS && code == 0; i++) {
        field.asking = i < CONTESTS ? 1 : context->threads;
        code = print_contest(out, &field, &contests[i % CONTESTS], &err);
    }
    if (code == 0)
        code = print_openmp(out, &field, &err);
    if (code != 0)
        fprintf(out, "  %s\n", err.text);
    fputc('\n', out);
    dlclose(library.handle);
}
