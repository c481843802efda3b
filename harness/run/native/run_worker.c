#include "harness/run/run_parts.h"

#include "harness/guard/need.h"
#include "harness/transport/reissue/reissue.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Bytes of address space that may be set aside for one list. */
#define MAPPED_MAX 0x1p46

/* Between two slices of thread 0's work.  Only what really was served counts
 * as time not spent computing, and only until the loop's end. */
static void poll_call(void *arg)
{
    struct run *run = arg;
    const struct reissue *book = transport_book(&run->transport);
    uint64_t before = engine_ticks();
    bool over = book != NULL && reissue_is_over(book);
    bool any = end_polls(&run->end) && end_poll(&run->end);
    if (run->dependent.has_dmps)
        any = links_progress(&run->dependent.dmps.links) || any;
    if (any && !over)
        run->worker[0].source->serve_s +=
            (double)(engine_ticks() - before) * run->context->tick_s;
}

static bool needs_poll(const struct run *run)
{
    return end_polls(&run->end) ||
           (run->dependent.has_dmps && run->dependent.dmps.links.remote);
}

/* Whole pages, not yet touched by any thread. */
static void *map_pages(size_t bytes)
{
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

/* Time steps whose chunks are logged: one, when they are the same in all. */
static int logged_steps(const struct run *run)
{
    bool all = run->passes > 1 || run->dependent.dmps.every_step;
    return run->dependent.has_dmps && all ? run->loop->grid.steps : 1;
}

static int open_worker(struct run *run, int i, struct error *err)
{
    struct loop *loop = run->loop;
    int steps = logged_steps(run);
    bool log = loop->output_bytes > 0 || run->context->keep_log;
    struct worker *worker = &run->worker[i];
    *worker = (struct worker){.kernel = loop->kernel,
                              .instance = loop->instance,
                              .output = end_output(&run->end, i),
                              .output_bytes = loop->output_bytes,
                              .stamp = run->setup->stamps};
    if (loop->fed) {
        run->feed = (struct feed){loop, &run->end, i};
        worker->kernel = &feed_kernel;
        worker->instance = &run->feed;
    }
    run->memory.scratch_bytes = (loop->scratch_bytes + 127) / 128 * 128 + 128;
    run->memory.scratch[i] = map_pages(run->memory.scratch_bytes);
    if (run->memory.scratch[i] == NULL)
        return error_set(err, ENOMEM, "no memory for worker %d", i);
    worker->scratch = run->memory.scratch[i];
    double log_bytes = (double)loop->iterations * steps * sizeof(struct ran);
    run->memory.log_bytes =
        (size_t)loop->iterations * (size_t)steps * sizeof(struct ran);
    if (log && (log_bytes > MAPPED_MAX ||
                (worker->log = map_pages(run->memory.log_bytes)) == NULL))
        return error_set(err, ENOMEM,
                         "no memory to log %lld chunks in each of %d time "
                         "steps",
                         (long long)loop->iterations, steps);
    if (i == 0 && needs_poll(run)) {
        run->poll = (struct kernel_poll){poll_call, run};
        worker->poll = &run->poll;
    }
    run_perturb_poll(run, i);
    return 0;
}

void run_allocate(struct run *run)
{
    size_t n = (size_t)run->workers + 1;
    run->worker = need_zeroed(n, sizeof(*run->worker));
    run->result = need_zeroed(n, sizeof(*run->result));
    if (run->setup->cell.reissue > 0)
        run->recent = need_zeroed(n, sizeof(*run->recent));
    run->memory.scratch = need_zeroed(n, sizeof(*run->memory.scratch));
    run->places.seen = need_zeroed(n, sizeof(*run->places.seen));
    if (run->context->counters != NULL)
        run->counted = need_zeroed(n, sizeof(*run->counted));
}

struct placing {
    struct run *run;
    struct error *err;
    int code; /* of the first thread that could not */
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
    if (placing.code == 0)
        run->loop->placed = true;
    return placing.code;
}

void run_close_workers(struct run *run)
{
    for (int i = 0; run->worker != NULL && i < run->workers; i++)
        if (run->worker[i].log != NULL)
            munmap(run->worker[i].log, run->memory.log_bytes);
    for (int i = 0; run->memory.scratch != NULL && i < run->workers; i++)
        if (run->memory.scratch[i] != NULL)
            munmap(run->memory.scratch[i], run->memory.scratch_bytes);
    free(run->places.seen);
    free(run->memory.scratch);
    free(run->counted);
    free(run->recent);
    free(run->result);
    free(run->worker);
}
