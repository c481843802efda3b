/* Where asking early pays: chunks of ss with bodies of several lengths, each
 * asked for before the chunk before runs (prefetch: on) and after it (off). */
#include "bench/overhead/overhead.h"
#include "bench/overhead/team.h"
#include "bench/overhead/rounds/turns.h"

#include "harness/protocol/parallel.h"
#include "sched/schemes/registry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A loop is about as long with every body. */
enum { STEPS = 1 << 24, CHUNKS_MAX = 1 << 20 };

struct bodies {
    struct launch_context *context;
    struct source_counter counter;
    struct sched_table table;
    struct source_early early;
    int64_t length; /* of a body, in dependent multiplications */
    bool asks_early;
};

/* Of registers only, so that two workers have nothing but the counter in
 * common. */
static void run_body(const void *instance, void *scratch, int64_t start,
                     int64_t size, void *output, const struct kernel_poll *poll)
{
    const struct bodies *bodies = instance;
    uint64_t x = (uint64_t)start;
    (void)output, (void)poll;
    for (int64_t i = 0; i < size * bodies->length; i++)
        x = x * 6364136223846793005u + 1442695040888963407u;
    *(uint64_t *)scratch = x;
}

static const struct kernel_ops body_ops = {.run = run_body};

static int64_t run_chunks(int thread, void *arg)
{
    struct bodies *bodies = arg;
    struct source_table source;
    _Alignas(128) char scratch[128] = {0};
    struct worker worker = {.source = &source.base,
                            .kernel = &body_ops,
                            .instance = bodies,
                            .scratch = scratch};
    source_table_open(&source, thread, &bodies->table, &bodies->counter);
    if (bodies->asks_early)
        source.base.early = bodies->early;
    parallel_run(&worker);
    return worker.chunks;
}

static double time_chunks(struct bodies *bodies, bool early)
{
    bodies->asks_early = early;
    atomic_store(&bodies->counter.step, 0);
    return team_time_chunks(bodies->context, bodies->context->team, run_chunks,
                            bodies, NULL);
}

static double time_late(void *arg)
{
    return time_chunks(arg, false);
}

static double time_early(void *arg)
{
    return time_chunks(arg, true);
}

/* ns of a body alone, called once for many; the least of some times. */
static double time_body(const struct bodies *bodies)
{
    enum { TIMES = 5 };
    /* Not to be seen through. */
    const struct kernel_ops *volatile ops = &body_ops;
    uint64_t scratch;
    double least_s = INFINITY;
    for (int i = 0; i < TIMES; i++) {
        double begin_s = engine_now();
        ops->run(bodies, &scratch, 0, bodies->table.steps, NULL, NULL);
        least_s = fmin(least_s, engine_now() - begin_s);
    }
    return 1e9 * least_s / (double)bodies->table.steps;
}

static int open_table(struct bodies *bodies, struct error *err)
{
    const struct sched_ops *ops;
    struct spec spec;
    int64_t chunks = STEPS / (bodies->length + 1);
    const struct sched_loop loop = {
        .iterations = chunks < CHUNKS_MAX ? chunks : CHUNKS_MAX,
        .workers = bodies->context->threads};
    int code = sched_parse("ss", &ops, &spec, err);
    if (code == 0)
        code = sched_table_build(&bodies->table, ops, &spec, &loop, 1, err);
    bodies->early = source_early_steps(&bodies->table, loop.workers,
                                       &(struct source_took){.nothing = true});
    return code;
}

static void print_rows(FILE *out, struct bodies *bodies)
{
    struct turns turns = {.context = bodies->context,
                          .bare = time_late,
                          .ours = time_early,
                          .arg = bodies};
    struct turns_group group[STATES_MAX];
    struct error err = {""};
    if (open_table(bodies, &err) != 0 || turns_measure(&turns) != 0)
        return;
    double body_ns = time_body(bodies);
    for (int g = 0, groups = turns_group(&turns, group); g < groups; g++) {
        fprintf(out, "  %8.1f %8.1f %8.1f %8.3f   %s", body_ns,
                group[g].bare_ns, group[g].ours_ns, group[g].ratio,
                body_ns <= 1e9 * SOURCE_SHORT_S ? "short" : "-    ");
        state_print(out, &group[g].state);
        fputc('\n', out);
    }
    sched_table_free(&bodies->table);
}

void overhead_early(FILE *out, struct launch_context *context)
{
    struct bodies *bodies =
        aligned_alloc(128, (sizeof(*bodies) + 127) / 128 * 128);
    memset(bodies, 0, sizeof(*bodies));
    bodies->context = context;
    fprintf(out,
            "\nChunks asked for before the one before runs, ss, %d threads, ns "
            "a chunk of all\n"
            "  %8s %8s %8s %8s\n",
            context->threads, "body", "after", "before", "ratio");
    for (int64_t length = 0; length <= 2048;
         length = length == 0 ? 4 : 2 * length) {
        bodies->length = length;
        print_rows(out, bodies);
    }
    free(bodies);
}
