/* Chunks of an empty loop from OpenMP runtimes, as transport openmp gets
 * them. */
#include "bench/overhead/overhead.h"
#include "bench/overhead/team.h"
#include "bench/overhead/rounds/turns.h"

#include "harness/engine/engine.h"
#include "harness/guard/need.h"
#include "harness/protocol/parallel.h"
#include "harness/transport/openmp/openmp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* One schedule under one runtime: `loops` loops, one after the other. */
struct contest {
    const char *words;
    struct openmp_schedule schedule;
    int64_t iterations, loops;
};

struct field {
    const struct overhead_bare *bare;
    const struct openmp *openmp;
    struct engine_team *team;
    int threads;
    struct openmp_loop loop;
    int64_t loops, chunks;
};

static int64_t run_loops(int thread, void *arg)
{
    const struct field *field = arg;
    const struct overhead_bare *bare = field->bare;
    _Alignas(64) char scratch[64] = {0};
    struct source_openmp source;
    struct worker worker = {.source = &source.base,
                            .kernel = bare->kernel,
                            .instance = bare->instance,
                            .scratch = scratch};
    int64_t chunks = 0;
    for (int64_t n = 0; n < field->loops; n++) {
        source_openmp_open(&source, thread, thread, field->openmp,
                           &field->loop);
        parallel_run(&worker);
        chunks += worker.chunks;
    }
    return chunks;
}

static double time_contest(void *arg)
{
    struct field *field = arg;
    return team_time_chunks(field->bare->context, field->team, run_loops, field,
                            &field->chunks);
}

static double time_bare(void *arg)
{
    const struct field *field = arg;
    return field->bare->time(field->bare->field);
}

static void print_contest(FILE *out, struct field *field,
                          const struct contest *c)
{
    struct turns turns = {.context = field->bare->context,
                          .bare = time_bare,
                          .ours = time_contest,
                          .arg = field};
    struct turns_group group[STATES_MAX];
    field->loop =
        (struct openmp_loop){c->schedule, 0, c->iterations, field->threads};
    field->loops = c->loops;
    if (turns_measure(&turns) != 0)
        return;
    for (int g = 0, groups = turns_group(&turns, group); g < groups; g++) {
        fprintf(out, "  OpenMP %-23s %-10s %8.1f %8.2f   %-20s", c->words,
                openmp_name(field->openmp), group[g].ours_ns, group[g].ratio,
                "-");
        state_print(out, &group[g].state);
        if (c->loops > 1)
            fprintf(out, "  (loops of %.1f chunks, begun and ended)",
                    (double)field->chunks / (double)c->loops);
        fputc('\n', out);
    }
}

static int print_runtime(FILE *out, const struct overhead_bare *bare,
                         const char *name, struct error *err)
{
    const struct contest contests[] = {
        {"schedule(dynamic,1)",
         {.kind = OPENMP_DYNAMIC, .chunk = 1},
         1 << 20,
         1},
        {"schedule(guided)",
         {.kind = OPENMP_GUIDED, .chunk = 1},
         1LL << 40,
         2000},
    };
    struct field *field = need_zeroed(1, sizeof(*field));
    struct openmp *openmp = NULL;
    int code = openmp_open(&openmp, name, err);
    if (code == 0)
        code = openmp_check_team(openmp, bare->context->threads, err);
    if (code == 0) {
        *field = (struct field){
            .bare = bare, .openmp = openmp, .threads = bare->context->threads};
        code = engine_team_adopt(&field->team, field->threads, openmp_fork,
                                 openmp, err);
    }
    for (size_t i = 0; code == 0 && i < sizeof(contests) / sizeof(contests[0]);
         i++)
        print_contest(out, field, &contests[i]);
    if (code == 0)
        engine_team_stop(field->team);
    if (openmp != NULL)
        openmp_close(openmp);
    free(field);
    return code;
}

void overhead_openmp(FILE *out, const struct overhead_bare *bare)
{
    static const char *const names[] = {"libgomp", "libomp", NULL};
    struct error err;
    for (int i = 0; names[i] != NULL; i++)
        if (print_runtime(out, bare, names[i], &err) != 0)
            fprintf(out, "  %s\n", err.text);
}
