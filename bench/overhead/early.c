/* Where asking early pays: chunks of ss with bodies of several lengths, each
 * asked for before the chunk before runs (prefetch: on) and after it (off). */
#include "bench/overhead/contest.h"
#include "bench/overhead/overhead.h"
#include "bench/overhead/timed_team.h"

#include <math.h>
#include <stdlib.h>

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
    source_table_open(&source, thread, &bodies->table, &bodies->counter);
    if (bodies->asks_early)
        source.base.early = bodies->early;
    return team_run_source(&source.base, &body_ops, bodies);
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

static void compare_early(FILE *out, struct bodies *bodies)
{
    char name[48];
    double body_ns = time_body(bodies);
    snprintf(name, sizeof(name), "a body of %.1f ns", body_ns);
    const struct contest row = {.name = name,
                                .how = body_ns <= 1e9 * SOURCE_SHORT_S ? "short"
                                                                       : NULL,
                                .ours = time_early,
                                .bare = time_late,
                                .arg = bodies};
    contest_run(out, bodies->context, &row, 1, NULL);
}

void overhead_early(FILE *out, struct launch_context *context)
{
    struct bodies *bodies = team_memory(sizeof(*bodies));
    struct error err;
    int workers = context->threads;
    bodies->context = context;
    contest_head(out,
                 "Chunks asked for before the one before runs, ss, %d threads, "
                 "beside asking after it",
                 workers);
    for (int64_t length = 0; length <= 2048;
         length = length == 0 ? 4 : 2 * length) {
        int64_t chunks = STEPS / (length + 1);
        bodies->length = length;
        if (team_table(&bodies->table, "ss",
                       chunks < CHUNKS_MAX ? chunks : CHUNKS_MAX, workers,
                       &err) != 0)
            continue;
        bodies->early = source_early_steps(
            &bodies->table, workers, &(struct source_took){.nothing = true});
        compare_early(out, bodies);
        sched_table_free(&bodies->table);
    }
    free(bodies);
}
