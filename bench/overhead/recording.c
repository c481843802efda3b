/* The cost of recording: the suite's loop under ss with an empty body, with
 * nothing recorded, with the chunks of each worker (timing: worker) and with
 * their times (timing: chunk). */
#include "bench/overhead/contest.h"
#include "bench/overhead/overhead.h"
#include "bench/overhead/timed_team.h"

#include "harness/protocol/parallel/parallel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LOGGED = 1 << 20, THREADS_MAX = 64 };

enum recording { NOTHING, CHUNKS_ONLY, TIMES };

struct recorded {
    struct launch_context *context;
    struct source_counter counter;
    struct sched_table table;
    const struct kernel_ops *null;
    void *instance;
    struct ran *log[THREADS_MAX];
    enum recording ours, now;
};

static int64_t run_recorded(int thread, void *arg)
{
    struct recorded *r = arg;
    struct source_table source;
    _Alignas(64) char scratch[64] = {0};
    struct worker worker = {.source = &source.base,
                            .kernel = r->null,
                            .instance = r->instance,
                            .scratch = scratch,
                            .log = r->now == NOTHING ? NULL : r->log[thread],
                            .stamp = r->now == TIMES};
    source_table_open(&source, thread, &r->table, &r->counter);
    parallel_run(&worker);
    return worker.chunks;
}

static double time_recording(struct recorded *r, enum recording what)
{
    r->now = what;
    atomic_store(&r->counter.step, r->table.primed);
    return team_time_chunks(r->context, r->context->team, run_recorded, r,
                            NULL);
}

static double time_nothing(void *arg)
{
    return time_recording(arg, NOTHING);
}

static double time_ours(void *arg)
{
    struct recorded *r = arg;
    return time_recording(r, r->ours);
}

static int open_recorded(struct recorded *r, struct error *err)
{
    int code = team_null_kernel(&r->null, &r->instance, err);
    if (code == 0)
        code = team_table(&r->table, "ss", LOGGED, 2, err);
    for (int t = 0; code == 0 && t < r->context->threads; t++) {
        size_t bytes = LOGGED * sizeof(**r->log);
        r->log[t] = malloc(bytes);
        if (r->log[t] == NULL)
            return error_set(err, ENOMEM, "out of memory for the log");
        memset(r->log[t], 0, bytes); /* touches its pages */
    }
    return code;
}

static void compare_recordings(FILE *out, struct recorded *r)
{
    static const struct {
        const char *name;
        enum recording what;
        double aim;
    } rows[] = {{"nothing recorded", NOTHING, 0},
                {"timing: worker", CHUNKS_ONLY, 1.02},
                {"timing: chunk", TIMES, 0}};
    contest_head(out,
                 "Recording, ss, an empty loop, %d threads, beside the same "
                 "without records",
                 r->context->threads);
    for (int i = 0; i < 3; i++) {
        const struct contest row = {.name = rows[i].name,
                                    .ours = time_ours,
                                    .bare = time_nothing,
                                    .arg = r,
                                    .aim = rows[i].aim};
        r->ours = rows[i].what;
        contest_run(out, r->context, &row, 1, NULL);
    }
}

void overhead_recording(FILE *out, struct launch_context *context)
{
    struct recorded *r = team_memory(sizeof(*r));
    struct error err = {""};
    r->context = context;
    if (context->threads > THREADS_MAX || open_recorded(r, &err) != 0)
        fprintf(out, "recording: %s\n", err.text);
    else
        compare_recordings(out, r);
    for (int t = 0; t < THREADS_MAX; t++)
        free(r->log[t]);
    sched_table_free(&r->table);
    if (r->instance != NULL)
        r->null->destroy(r->instance);
    free(r);
}
