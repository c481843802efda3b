/* Workers that charge time: their places and measurements. */
#include "harness/repetition/sim/repetition_impl.h"

#include "harness/engine/sim/world.h"
#include "harness/problem/sim/machine.h"
#include "harness/process/need.h"
#include "harness/transport/reissue/reissue.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Work between two polls of a computing master, as kernels do natively.  Where
 * all ranks poll, the number for a chunk is limited: each takes time to
 * simulate. */
static const double SLICE_S = 20e-6;
enum { POLLS_MAX = 64 };

/* ---- work ---- */

/* The core is shared with the worker's competitors: in time slices as measured
 * on this machine, otherwise fairly at every moment. */
static void compute_slice(struct sim_worker *one, double seconds)
{
    double start = engine_now(), speed = world_here()->speed;
    double flops = seconds * speed / one->power;
    if (one->slices.tick_s > 0)
        slices_compute(&one->slices, flops, speed);
    else
        world_compute(seconds * speed * one->queue / one->power);
    double work = engine_now() - start;
    one->run->result[number_of(one)].compute_s += work;
    perturb_after(one, start, work);
}

void sim_worker_compute(struct sim_worker *one, double seconds,
                        const struct kernel_poll *poll)
{
    double slice = SLICE_S;
    if (one->run->transport.ops->rules->all_poll)
        slice = fmax(slice, seconds / POLLS_MAX);
    while (poll != NULL && seconds > slice) {
        compute_slice(one, slice);
        seconds -= slice;
        kernel_poll(poll);
    }
    if (seconds > 0)
        compute_slice(one, seconds);
}

/* Replaces the loop's kernel: takes the time of the iterations. */
static void charge_run(const void *instance, void *scratch, int64_t start,
                       int64_t size, void *output,
                       const struct kernel_poll *poll)
{
    struct sim_worker *one = scratch;
    const double *before = loop_cost(instance, one->run->steps.step);
    (void)output;
    sim_worker_compute(one, before[start + size] - before[start], poll);
}

static const struct kernel_ops charging_kernel = {.name = "charge",
                                                  .run = charge_run};

/* ---- chunks ---- */

/* A request for the next chunk means that the one before is finished. */
static void end_chunk(struct sim_worker *one)
{
    if (one->last >= 0)
        one->run->impl->handed[one->last].ran.end = engine_ticks();
    one->last = -1;
}

static bool charged_next(struct source *source, struct chunk *chunk)
{
    struct sim_worker *one = (struct sim_worker *)source;
    end_chunk(one);
    perturb_before(one);
    if (one->cost != ENGINE_COSTS)
        engine_charge(one->cost);
    one->inner->blocked_s = source->blocked_s;
    one->inner->blocked_ticks = source->blocked_ticks;
    source->blocked_s = 0;
    source->blocked_ticks = 0;
    double begin_s = engine_now(), before_s = one->inner->wait_s;
    bool more = source_next(one->inner, chunk);
    recent_add(&one->recent, begin_s, engine_now(),
               one->inner->wait_s - before_s);
    if (!more)
        return false;
    /* Loops of several time steps have a separate log. */
    struct run_impl *impl = one->run->impl;
    int worker = number_of(one);
    if (one->run->worker[worker].log != NULL)
        return true;
    need_room(&impl->handed, &impl->handed_room, impl->handed_count + 1,
              sizeof(*impl->handed));
    impl->handed[impl->handed_count++] =
        (struct logged){.ran = {.start = chunk->start,
                                .size = chunk->size,
                                .begin = engine_ticks()},
                        .worker = worker};
    one->last = impl->handed_count - 1;
    return true;
}

static void charged_ahead(struct source *source)
{
    struct sim_worker *one = (struct sim_worker *)source;
    one->inner->ask_ahead(one->inner);
}

/* ---- serving ---- */

static void poll_call(void *arg)
{
    struct sim_worker *one = arg;
    struct run *run = one->run;
    const struct reissue *ledger = transport_ledger(&run->transport);
    bool over = ledger != NULL && reissue_is_over(ledger);
    double start = engine_now();
    if (end_poll(&run_rank_of(run, number_of(one))->end) && !over)
        one->source.serve_s += engine_now() - start;
}

/* ---- opening and closing ---- */

void run_open_impl(struct run *run)
{
    struct run_impl *impl = run->impl = need_zeroed(1, sizeof(*impl));
    impl->each = need_zeroed((size_t)run->workers + 1, sizeof(*impl->each));
}

int run_open_workers(struct run *run, struct error *err)
{
    return run->steps.count > 1 ? run_open_logs(run, err) : 0;
}

void run_close_impl(struct run *run)
{
    if (run->impl->log != NULL)
        munmap(run->impl->log, run->impl->mapped);
    free(run->impl->each);
    free(run->impl->handed);
    free(run->impl->hit);
    free(run->impl);
}

/* ---- a repetition ---- */

const struct world_place *host_of_worker(const struct run *run, int worker)
{
    int rank = run->tree.worker_rank[worker];
    int place = rank * run->context->threads + run_thread_of(run, worker);
    return &world_here()->place[place];
}

static struct worker open_worker(const struct run *run, struct sim_worker *one)
{
    const struct run_impl *impl = run->impl;
    bool polls = run_thread_of(run, number_of(one)) == 0 &&
                 end_polls(&run_rank_of(run, number_of(one))->end);
    return (struct worker){
        .source = &one->source,
        .kernel = &charging_kernel,
        .instance = run->loop,
        .scratch = one,
        .output = run->loop->output,
        .output_bytes = run->loop->output_bytes,
        .poll = polls ? &one->poll : NULL,
        .log =
            impl->log ? impl->log + (size_t)number_of(one) * impl->room : NULL,
        .stamp = run->dependent.dmps != NULL || impl->log != NULL};
}

static void open_sim_worker(struct run *run, int i)
{
    struct sim_worker *one = &run->impl->each[i];
    struct transport_end *end = &run_rank_of(run, i)->end;
    int thread = run_thread_of(run, i);
    struct source *inner = end_source(end, thread);
    *one = (struct sim_worker){
        .source = {.next = charged_next,
                   .ask_ahead = inner->ask_ahead ? charged_ahead : NULL,
                   .ahead = inner->ahead,
                   .worker = i},
        .inner = inner,
        .run = run,
        .poll = {poll_call, one},
        .cost = end_cost(end, thread),
        .power = host_of_worker(run, i)->power,
        .queue = run->powers.queue ? run->powers.queue[i] : 1,
        .last = -1};
    perturb_open_worker(one);
    slices_open(&one->slices, machine_slices(world_here()->machine),
                one->queue - 1, run->impl->repetition);
    run->worker[i] = open_worker(run, one);
}

/* Serving adds up through the passes. */
void run_ready_worker(struct run *run, int i, bool further)
{
    struct sim_worker *one = &run->impl->each[i];
    if (!further) {
        open_sim_worker(run, i);
        return;
    }
    one->inner = end_source(&run_rank_of(run, i)->end, run_thread_of(run, i));
    run->result[i].serve_s = 0;
}

void run_worked(struct run *run, const struct run_member *member)
{
    struct sim_worker *one = &run->impl->each[member->worker];
    end_chunk(one);
    one->source.wait_s = one->inner->wait_s;
}

/* ---- results ---- */

void run_measured(const struct run *run, int i, struct worker_result *result)
{
    const struct sim_worker *one = &run->impl->each[i];
    for (int k = 0; one->hit != 0 && k < run->setup->perturbs.count; k++)
        result->lost_s += one->toll[k].lost_s;
    result->held_apart_s = result->lost_s;
    result->core = result->processor = result->numa = -1;
    result->bound = true;
    result->host = (uintptr_t)host_of_worker(run, i)->host;
    result->recent = recent_since(&one->recent, run_rank_of(run, i)->start_s);
}

static struct logged *take_logs(const struct run *run, int64_t *count)
{
    int64_t n = 0;
    for (int w = 0; w < run->workers; w++)
        n += run->worker[w].logged;
    struct logged *all = need_zeroed((size_t)n + 1, sizeof(*all));
    n = 0;
    for (int w = 0; w < run->workers; w++)
        for (int64_t i = 0; i < run->worker[w].logged; i++)
            all[n++] = (struct logged){run->worker[w].log[i], w};
    *count = n;
    return all;
}

static struct logged *take_handed(struct run_impl *impl, int64_t *count)
{
    struct logged *all = impl->handed;
    *count = impl->handed_count;
    impl->handed = NULL;
    impl->handed_count = impl->handed_room = 0;
    return all != NULL ? all : need_zeroed(1, sizeof(*all));
}

/* All clocks are one: times are since the start of rank 0. */
struct logged *run_take_log(struct run *run, int64_t *count)
{
    struct logged *all = run->impl->log != NULL ? take_logs(run, count)
                                                : take_handed(run->impl, count);
    uint64_t start =
        (uint64_t)(run->rank->start_s / run->context->tick_s + 0.5);
    for (int64_t i = 0; i < *count; i++) {
        all[i].ran.begin -= start;
        all[i].ran.end -= start;
    }
    return all;
}
