/* Chunks of an empty loop from OpenMP runtimes, as transport openmp gets
 * them. */
#include "bench/overhead/contest.h"
#include "bench/overhead/overhead.h"
#include "bench/overhead/timed_team.h"

#include "harness/engine/engine.h"
#include "harness/transport/openmp/openmp.h"

#include <stdlib.h>

enum { COUNTED = 1 << 20 };

/* One schedule under one runtime: `loops` loops, one after the other. */
struct field {
    struct launch_context *context;
    struct source_counter counter;
    const struct kernel_ops *null;
    void *instance;
    const struct openmp *openmp;
    struct engine_team *team;
    struct openmp_loop loop;
    int64_t loops, chunks;
    char note[64];
};

static int64_t run_loops(int thread, void *arg)
{
    const struct field *field = arg;
    struct source_openmp source;
    int64_t chunks = 0;
    for (int64_t n = 0; n < field->loops; n++) {
        source_openmp_open(&source, thread, thread, field->openmp,
                           &field->loop);
        chunks += team_run_source(&source.base, field->null, field->instance);
    }
    return chunks;
}

static double time_runtime(void *arg)
{
    struct field *field = arg;
    double ns = team_time_chunks(field->context, field->team, run_loops, field,
                                 &field->chunks);
    if (field->loops > 1)
        snprintf(field->note, sizeof(field->note), "(loops of %.1f chunks)",
                 (double)field->chunks / (double)field->loops);
    return ns;
}

static double time_bare(void *arg)
{
    struct field *field = arg;
    return team_time_counter(field->context, &field->counter, COUNTED);
}

static void compare_schedules(FILE *out, struct field *field)
{
    static const struct {
        const char *words;
        struct openmp_schedule schedule;
        int64_t iterations, loops;
    } schedules[] = {
        {"OpenMP schedule(dynamic,1)",
         {.kind = OPENMP_DYNAMIC, .chunk = 1},
         COUNTED,
         1},
        {"OpenMP schedule(guided)",
         {.kind = OPENMP_GUIDED, .chunk = 1},
         1LL << 40,
         2000},
    };
    for (int i = 0; i < 2; i++) {
        field->loop = (struct openmp_loop){schedules[i].schedule, 0,
                                           schedules[i].iterations,
                                           field->context->threads};
        field->loops = schedules[i].loops;
        field->note[0] = '\0';
        const struct contest row = {.name = schedules[i].words,
                                    .how = openmp_name(field->openmp),
                                    .ours = time_runtime,
                                    .bare = time_bare,
                                    .arg = field,
                                    .note = field->note};
        contest_run(out, field->context, &row, 1, NULL);
    }
}

static int compare_runtime(FILE *out, struct field *field, const char *name,
                           struct error *err)
{
    struct openmp *openmp = NULL;
    int threads = field->context->threads;
    int code = openmp_open(&openmp, name, err);
    if (code != 0)
        return code;
    field->openmp = openmp;
    code = openmp_check_team(openmp, threads, err);
    if (code == 0)
        code =
            engine_team_adopt(&field->team, threads, openmp_fork, openmp, err);
    if (code == 0) {
        compare_schedules(out, field);
        engine_team_stop(field->team);
    }
    openmp_close(openmp);
    return code;
}

void overhead_openmp(FILE *out, struct launch_context *context)
{
    static const char *const names[] = {"libgomp", "libomp"};
    struct field *field = team_memory(sizeof(*field));
    struct error err;
    field->context = context;
    int code = team_null_kernel(&field->null, &field->instance, &err);
    for (int i = 0; i < 2 && code == 0; i++)
        if (compare_runtime(out, field, names[i], &err) != 0)
            fprintf(out, "  %s\n", err.text);
    if (code == 0)
        field->null->destroy(field->instance);
    free(field);
}
