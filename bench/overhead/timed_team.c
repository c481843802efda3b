#include "bench/overhead/timed_team.h"

#include "harness/process/need.h"
#include "sched/schemes/scheme_registry.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 256 };

struct timed {
    struct launch_context *context;
    struct engine_team *team;
    int64_t (*body)(int thread, void *arg);
    void *arg;
    double begin_s, end_s;
    int64_t chunks[THREADS_MAX];
};

static void timed_body(int thread, void *arg)
{
    struct timed *timed = arg;
    struct launch_context *context = timed->context;
    struct engine_patience patience = {.spin_s = 1};
    struct error err;
    topo_bind_compact(context->place.topo, thread, context->threads, &err);
    engine_team_barrier(timed->team, &patience);
    if (thread == 0)
        timed->begin_s = engine_now();
    engine_team_barrier(timed->team, &patience);
    timed->chunks[thread] = timed->body(thread, timed->arg);
    engine_team_barrier(timed->team, &patience);
    if (thread == 0)
        timed->end_s = engine_now();
}

double team_time_chunks(struct launch_context *context,
                        struct engine_team *team,
                        int64_t (*body)(int thread, void *arg), void *arg,
                        int64_t *chunks)
{
    struct timed timed = {
        .context = context, .team = team, .body = body, .arg = arg};
    int64_t all = 0;
    engine_team_run(team, timed_body, &timed);
    for (int t = 0; t < context->threads; t++)
        all += timed.chunks[t];
    if (chunks != NULL)
        *chunks = all;
    return 1e9 * (timed.end_s - timed.begin_s) / (double)all;
}

struct bare {
    struct source_counter *counter;
    int64_t steps;
};

static int64_t count_steps(int thread, void *arg)
{
    const struct bare *bare = arg;
    int64_t mine = 0;
    (void)thread;
    while (atomic_fetch_add_explicit(&bare->counter->step, 1,
                                     memory_order_relaxed) < bare->steps)
        mine++;
    return mine;
}

double team_time_counter(struct launch_context *context,
                         struct source_counter *counter, int64_t steps)
{
    struct bare bare = {counter, steps};
    atomic_store(&counter->step, 0);
    return team_time_chunks(context, context->team, count_steps, &bare, NULL);
}

int64_t team_call_steps(struct source_counter *counter, int64_t steps,
                        const struct kernel_ops *kernel, const void *instance)
{
    _Alignas(128) char scratch[128] = {0};
    int64_t mine = 0, step = source_step(counter);
    while (step < steps) {
        int64_t next = source_step(counter);
        kernel->run(instance, scratch, step, 1, NULL, NULL);
        step = next;
        mine++;
    }
    return mine;
}

struct bare_called {
    struct bare bare;
    const struct kernel_ops *kernel;
    const void *instance;
};

static int64_t call_steps(int thread, void *arg)
{
    const struct bare_called *called = arg;
    (void)thread;
    return team_call_steps(called->bare.counter, called->bare.steps,
                           called->kernel, called->instance);
}

double team_time_calls(struct launch_context *context,
                       struct source_counter *counter, int64_t steps,
                       const struct kernel_ops *kernel, const void *instance)
{
    struct bare_called called = {{counter, steps}, kernel, instance};
    atomic_store(&counter->step, 0);
    return team_time_chunks(context, context->team, call_steps, &called, NULL);
}

int64_t team_run_source(struct source *source, const struct kernel_ops *kernel,
                        const void *instance)
{
    _Alignas(128) char scratch[128] = {0};
    struct worker worker = {.source = source,
                            .kernel = kernel,
                            .instance = instance,
                            .scratch = scratch};
    parallel_run(&worker);
    return worker.chunks;
}

int team_null_kernel(const struct kernel_ops **kernel, void **instance,
                     struct error *err)
{
    struct spec spec;
    int code = kernel_parse("null:size=1", kernel, &spec, err);
    return code != 0 ? code : (*kernel)->create(&spec, instance, err);
}

int team_table(struct sched_table *table, const char *scheme,
               int64_t iterations, int workers, struct error *err)
{
    const struct sched_ops *ops;
    struct spec spec;
    const struct sched_loop loop = {.iterations = iterations,
                                    .workers = workers};
    int code = sched_parse(scheme, &ops, &spec, err);
    return code != 0 ? code
                     : sched_table_build(table, ops, &spec, &loop, 1, err);
}

void *team_memory(size_t size)
{
    enum { LINES = 128 };
    size_t whole = (size + LINES - 1) / LINES * LINES;
    void *memory = aligned_alloc(LINES, whole);
    if (memory == NULL)
        need_failed();
    return memset(memory, 0, whole);
}
