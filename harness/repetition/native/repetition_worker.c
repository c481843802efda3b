/* Opens the workers of this rank: memory, kernel, log. */
#include "harness/repetition/native/repetition_impl.h"

#include "base/pages.h"
#include "harness/process/need.h"
#include "harness/transport/reissue/reissue.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of address space that may be set aside for one list. */
#define MAPPED_MAX 0x1p46

/* Between two slices of thread 0's work.  Only what really was served counts
 * as time not spent computing, and only until the loop's end. */
static void poll_call(void *arg)
{
    struct run *run = arg;
    const struct reissue *ledger = run->impl->ledger;
    if (!run_hands_out(run))
        return;
    uint64_t before = engine_ticks();
    if (!looks_due(&run->impl->looks, before))
        return;
    bool over = ledger != NULL && reissue_is_over(ledger);
    bool any = end_polls(&run->rank->end) && end_poll(&run->rank->end);
    if (run->dependent.dmps != NULL)
        any = links_progress(&run->dependent.dmps->links) || any;
    double tick_s = run->context->tick_s;
    looks_after(&run->impl->looks, any, before, tick_s);
    if (any && !over)
        run->worker[0].source->serve_s +=
            (double)(engine_ticks() - before) * tick_s;
}

static bool needs_poll(const struct run *run)
{
    return end_polls(&run->rank->end) ||
           (run->dependent.dmps != NULL && run->dependent.dmps->links.remote);
}

/* A chunk may be run in parts: its data begin with those of the chunk's first
 * iteration. */
static void feed_run(const void *instance, void *scratch, int64_t start,
                     int64_t size, void *output, const struct kernel_poll *poll)
{
    const struct feed *feed = instance;
    const struct loop *loop = feed->loop;
    const int64_t *before = loop->input.before;
    int64_t first;
    const char *data = end_data(feed->end, feed->worker, &first);
    loop->kernel->input->run(loop->instance, scratch, start, size,
                             data + (before[start] - before[first]), output,
                             poll);
}

/* Represents the loop's kernel in the protocol: only its run exists. */
static const struct kernel_ops feed_kernel = {.name = "feed", .run = feed_run};

/* How many time steps have logged chunks: one if all are equal. */
static int logged_steps(const struct run *run)
{
    const struct dmps *dmps = run->dependent.dmps;
    bool all = run->passes > 1 || (dmps != NULL && dmps->every_step);
    return all ? run->loop->grid.steps : 1;
}

/* The protocol calls another kernel in place of the loop's for time steps
 * (run_step_kernel) and for input data that travel (feed_kernel). */
static int open_worker(struct run *run, int i, struct error *err)
{
    struct loop *loop = run->loop;
    int steps = logged_steps(run);
    bool log = loop->output_bytes > 0 || run->context->keep_log;
    struct worker *worker = &run->worker[i];
    *worker = (struct worker){.kernel = loop->kernel,
                              .instance = loop->instance,
                              .output = end_output(&run->rank->end, i),
                              .output_bytes = loop->output_bytes,
                              .stamp = run->setup->stamps};
    if (run->steps.count > 1) {
        worker->kernel = &run_step_kernel;
        worker->instance = loop;
    }
    if (loop->fed) {
        run->impl->feed = (struct feed){loop, &run->rank->end, i};
        worker->kernel = &feed_kernel;
        worker->instance = &run->impl->feed;
    }
    run->impl->memory.scratch_bytes =
        (loop->scratch_bytes + 127) / 128 * 128 + 128;
    run->impl->memory.scratch[i] = pages_map(run->impl->memory.scratch_bytes);
    if (run->impl->memory.scratch[i] == NULL)
        return error_set(err, ENOMEM, "no memory for worker %d", i);
    worker->scratch = run->impl->memory.scratch[i];
    double log_bytes = (double)loop->iterations * steps * sizeof(struct ran);
    run->impl->memory.log_bytes =
        (size_t)loop->iterations * (size_t)steps * sizeof(struct ran);
    if (log && (log_bytes > MAPPED_MAX ||
                (worker->log = pages_map(run->impl->memory.log_bytes)) == NULL))
        return error_set(err, ENOMEM,
                         "no memory to log %lld chunks in each of %d time "
                         "steps",
                         (long long)loop->iterations, steps);
    if (i == 0 && needs_poll(run)) {
        run->impl->poll = (struct kernel_poll){poll_call, run};
        run->impl->ledger = transport_ledger(&run->transport);
        worker->poll = &run->impl->poll;
    }
    run_perturb_poll(run, i);
    return 0;
}

void run_open_impl(struct run *run)
{
    size_t n = (size_t)run->workers + 1;
    struct run_impl *impl = run->impl = need_zeroed(1, sizeof(*impl));
    if (run->setup->cell.reissue > 0)
        impl->recent = need_zeroed(n, sizeof(*impl->recent));
    impl->memory.scratch = need_zeroed(n, sizeof(*impl->memory.scratch));
    impl->places.seen = need_zeroed(n, sizeof(*impl->places.seen));
    impl->mark = need_zeroed(n, sizeof(*impl->mark));
    if (run->context->counters != NULL)
        run->counted = need_zeroed(n, sizeof(*run->counted));
}

struct placing {
    struct run *run;
    struct error *err;
    int code; /* of the first thread that failed */
    atomic_flag said;
};

static void place_body(int thread, void *arg)
{
    struct placing *placing = arg;
    struct error err;
    if (thread >= placing->run->workers)
        return;
    int code = run_place_memory(placing->run, thread, &err);
    if (code == 0 || atomic_flag_test_and_set(&placing->said))
        return;
    placing->code = code;
    *placing->err = err;
}

int run_open_workers(struct run *run, struct error *err)
{
    struct placing placing = {run, err, 0, ATOMIC_FLAG_INIT};
    for (int i = 0; i < run->workers; i++) {
        int code = open_worker(run, i, err);
        if (code != 0)
            return code;
    }
    engine_team_run(run->context->team, place_body, &placing);
    run_touch_first(run);
    if (placing.code == 0)
        run->loop->placed = true;
    return placing.code;
}

void run_close_impl(struct run *run)
{
    struct run_impl *impl = run->impl;
    run_perturb_close(run);
    run_end_touch(run);
    load_close(&impl->disturb.load);
    struct run_memory *memory = &run->impl->memory;
    for (int i = 0; i < run->workers; i++) {
        pages_unmap(run->worker[i].log, memory->log_bytes);
        pages_unmap(memory->scratch[i], memory->scratch_bytes);
    }
    free(memory->scratch);
    free(run->counted);
    free(impl->places.seen);
    free(impl->places.processor);
    free(impl->picture.extent);
    free(impl->recent);
    free(impl->mark);
    free(impl);
}

/* ---- a repetition ---- */

static struct source *open_source(struct run *run, int i)
{
    struct source *source = end_source(&run->rank->end, i);
    source->watch =
        counters_watch(run->context->counters, context_slot(run->context, i));
    source = run_perturb_source(run, i, source);
    if (run->impl->recent == NULL)
        return source;
    return recent_open(&run->impl->recent[i], source);
}

void run_ready_worker(struct run *run, int i, bool further)
{
    struct worker *worker = &run->worker[i];
    worker->source = open_source(run, i);
    if (further)
        return;
    worker->chunks = 0;
    worker->logged = 0;
    worker->iterations = 0;
    worker->compute_ticks = 0;
    memset(run->impl->memory.scratch[i], 0, run->loop->scratch_bytes);
}

void run_worked(struct run *run, const struct run_member *member)
{
    counters_pause(run->context->counters,
                   context_slot(run->context, member->thread));
}

/* The time of a stamped chunk that is not computing is subtracted. */
void run_measured(const struct run *run, int i, struct worker_result *result)
{
    const struct launch_context *context = run->context;
    const struct worker *w = &run->worker[i];
    result->compute_s =
        w->stamp ? (double)w->compute_ticks * context->tick_s - result->serve_s
                 : w->end_s - w->begin_s - result->wait_s - result->serve_s;
    result->compute_s -= result->sync_s + result->held_apart_s;
    if (run->impl->recent != NULL)
        result->recent =
            recent_since(&run->impl->recent[i].recent, run->rank->start_s);
    result->host = context->place.group[context->comm.rank];
}

struct logged *run_take_log(struct run *run, int64_t *count)
{
    int64_t n = 0;
    for (int i = 0; i < run->workers; i++)
        n += run->worker[i].log ? run->worker[i].logged : 0;
    struct logged *log = need_zeroed((size_t)n + 1, sizeof(*log));
    *count = 0;
    for (int i = 0; i < run->workers; i++) {
        const struct worker *w = &run->worker[i];
        for (int64_t c = 0; w->log != NULL && c < w->logged; c++) {
            struct logged *entry = &log[(*count)++];
            *entry = (struct logged){w->log[c], run->first + i};
            entry->ran.begin -= w->stamp ? run->impl->start_ticks : 0;
            entry->ran.end -= w->stamp ? run->impl->start_ticks : 0;
        }
    }
    return log;
}
