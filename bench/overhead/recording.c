/* What recording costs: the loop of the suite under ss with an empty body, with
 * nothing recorded, with the chunks of each worker (timing: worker) and with
 * their times (timing: chunk). */
#include "bench/overhead/overhead.h"
#include "bench/overhead/team.h"
#include "bench/overhead/rounds/turns.h"

#include "harness/protocol/parallel.h"
#include "kernels/kernel.h"
#include "sched/schemes/registry.h"

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

static int64_t body(int thread, void *arg)
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
    return team_time_chunks(r->context, r->context->team, body, r, NULL);
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

static void print_rows(FILE *out, struct recorded *r, const char *name,
                       enum recording what, double aim)
{
    struct turns turns = {.context = r->context,
                          .bare = time_nothing,
                          .ours = time_ours,
                          .arg = r};
    struct turns_group group[STATES_MAX];
    r->ours = what;
    if (turns_measure(&turns) != 0)
        return;
    for (int g = 0, groups = turns_group(&turns, group); g < groups; g++) {
        char text[32] = "-";
        if (aim > 0)
            snprintf(text, sizeof(text), "%.2f %s", aim,
                     state_judge(&group[g].state, group[g].ratio <= aim));
        fprintf(out, "  %-20s %8.1f %8.3f   %-12s", name, group[g].ours_ns,
                group[g].ratio, text);
        state_print(out, &group[g].state);
        fputc('\n', out);
    }
}

static int open_recorded(struct recorded *r, struct error *err)
{
    const struct sched_ops *ops;
    struct spec spec;
    const struct sched_loop loop = {.iterations = LOGGED, .workers = 2};
    int code = kernel_parse("null:size=1", &r->null, &spec, err);
    if (code == 0)
        code = r->null->create(&spec, &r->instance, err);
    if (code == 0)
        code = sched_parse("ss", &ops, &spec, err);
    if (code == 0)
        code = sched_table_build(&r->table, ops, &spec, &loop, 1, err);
    for (int t = 0; code == 0 && t < r->context->threads; t++) {
        size_t bytes = LOGGED * sizeof(**r->log);
        r->log[t] = malloc(bytes);
        if (r->log[t] == NULL)
            return error_set(err, ENOMEM, "out of memory for the log");
        memset(r->log[t], 0, bytes); /* its pages are there */
    }
    return code;
}

void overhead_recording(FILE *out, struct launch_context *context)
{
    struct recorded *r = aligned_alloc(128, (sizeof(*r) + 127) / 128 * 128);
    struct error err = {""};
    memset(r, 0, sizeof(*r));
    r->context = context;
    if (context->threads > THREADS_MAX || open_recorded(r, &err) != 0) {
        fprintf(out, "recording: %s\n", err.text);
    } else {
        fprintf(out,
                "\nWhat recording costs, ss, an empty loop, %d threads\n"
                "  %-20s %8s %8s   aim\n",
                context->threads, "recorded", "ns", "x none");
        print_rows(out, r, "nothing", NOTHING, 0);
        print_rows(out, r, "timing: worker", CHUNKS_ONLY, 1.02);
        print_rows(out, r, "timing: chunk", TIMES, 0);
    }
    for (int t = 0; t < THREADS_MAX; t++)
        free(r->log[t]);
    sched_table_free(&r->table);
    if (r->instance != NULL)
        r->null->destroy(r->instance);
    free(r);
}
