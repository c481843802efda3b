/* Workers that charge time: their places, and what was measured of them. */
#include "harness/repetition/sim/run_own.h"

#include "harness/engine/sim/world.h"
#include "harness/problem/sim/machine.h"
#include "harness/program/need.h"
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

/* A core is shared with what competes with the worker: in the slices that this
 * machine was seen to have, else fairly at every moment. */
static void compute_slice(struct seat *seat, double seconds)
{
    double start = engine_now(), speed = world_here()->speed;
    double flops = seconds * speed / seat->power;
    if (seat->slices.tick_s > 0)
        slices_compute(&seat->slices, flops, speed);
    else
        world_compute(seconds * speed * seat->queue / seat->power);
    double work = engine_now() - start;
    seat->run->result[seat_worker(seat)].compute_s += work;
    perturb_after(seat, start, work);
}

void seat_compute(struct seat *seat, double seconds,
                  const struct kernel_poll *poll)
{
    double slice = SLICE_S;
    if (seat->run->transport.ops->rules->all_poll)
        slice = fmax(slice, seconds / POLLS_MAX);
    while (poll != NULL && seconds > slice) {
        compute_slice(seat, slice);
        seconds -= slice;
        kernel_poll(poll);
    }
    if (seconds > 0)
        compute_slice(seat, seconds);
}

/* Stands for the loop's kernel: takes the time that the iterations cost. */
static void charge_run(const void *instance, void *scratch, int64_t start,
                       int64_t size, void *output,
                       const struct kernel_poll *poll)
{
    struct seat *seat = scratch;
    const double *before = loop_cost(instance, seat->run->steps.step);
    (void)output;
    seat_compute(seat, before[start + size] - before[start], poll);
}

static const struct kernel_ops charging_kernel = {.name = "charge",
                                                  .run = charge_run};

/* ---- chunks ---- */

static struct logged *add_handed(struct run_own *own)
{
    need_room(&own->handed, &own->handed_room, own->handed_count + 1,
              sizeof(*own->handed));
    return &own->handed[own->handed_count++];
}

/* A request for the next chunk means that the one before is finished. */
static void end_chunk(struct seat *seat)
{
    if (seat->last >= 0)
        seat->run->own->handed[seat->last].ran.end = engine_ticks();
    seat->last = -1;
}

static bool seat_next(struct source *source, struct chunk *chunk)
{
    struct seat *seat = (struct seat *)source;
    end_chunk(seat);
    perturb_before(seat);
    if (seat->cost != ENGINE_COSTS)
        engine_charge(seat->cost);
    seat->inner->blocked_s = source->blocked_s;
    seat->inner->blocked_ticks = source->blocked_ticks;
    source->blocked_s = 0;
    source->blocked_ticks = 0;
    double begin_s = engine_now(), before_s = seat->inner->wait_s;
    bool more = source_next(seat->inner, chunk);
    recent_add(&seat->recent, begin_s, engine_now(),
               seat->inner->wait_s - before_s);
    if (!more)
        return false;
    /* Loops of several time steps have a separate log. */
    struct run_own *own = seat->run->own;
    int worker = seat_worker(seat);
    if (seat->run->worker[worker].log != NULL)
        return true;
    *add_handed(own) = (struct logged){.ran = {.start = chunk->start,
                                               .size = chunk->size,
                                               .begin = engine_ticks()},
                                       .worker = worker};
    seat->last = own->handed_count - 1;
    return true;
}

static void seat_ahead(struct source *source)
{
    struct seat *seat = (struct seat *)source;
    seat->inner->ask_ahead(seat->inner);
}

/* ---- serving ---- */

static void poll_call(void *arg)
{
    struct seat *seat = arg;
    struct run *run = seat->run;
    const struct reissue *book = transport_book(&run->transport);
    bool over = book != NULL && reissue_is_over(book);
    double start = engine_now();
    if (end_poll(&run_rank_of(run, seat_worker(seat))->end) && !over)
        seat->source.serve_s += engine_now() - start;
}

/* ---- opening and closing ---- */

void run_open_own(struct run *run)
{
    struct run_own *own = run->own = need_zeroed(1, sizeof(*own));
    own->seat = need_zeroed((size_t)run->workers + 1, sizeof(*own->seat));
}

int run_open_workers(struct run *run, struct error *err)
{
    return run->steps.count > 1 ? run_open_logs(run, err) : 0;
}

void run_close_own(struct run *run)
{
    if (run->own->log != NULL)
        munmap(run->own->log, run->own->mapped);
    free(run->own->seat);
    free(run->own->handed);
    free(run->own->hit);
    free(run->own);
}

/* ---- a repetition ---- */

const struct world_place *seat_place(const struct run *run, int worker)
{
    int rank = run->tree.worker_rank[worker];
    int place = rank * run->context->threads + run_thread_of(run, worker);
    return &world_here()->place[place];
}

static struct worker open_worker(const struct run *run, struct seat *seat)
{
    const struct run_own *own = run->own;
    bool polls = run_thread_of(run, seat_worker(seat)) == 0 &&
                 end_polls(&run_rank_of(run, seat_worker(seat))->end);
    return (struct worker){
        .source = &seat->source,
        .kernel = &charging_kernel,
        .instance = run->loop,
        .scratch = seat,
        .output = run->loop->output,
        .output_bytes = run->loop->output_bytes,
        .poll = polls ? &seat->poll : NULL,
        .log =
            own->log ? own->log + (size_t)seat_worker(seat) * own->room : NULL,
        .stamp = run->dependent.dmps != NULL || own->log != NULL};
}

static void open_seat(struct run *run, int i)
{
    struct seat *seat = &run->own->seat[i];
    struct transport_end *end = &run_rank_of(run, i)->end;
    int thread = run_thread_of(run, i);
    struct source *inner = end_source(end, thread);
    *seat = (struct seat){
        .source = {.next = seat_next,
                   .ask_ahead = inner->ask_ahead ? seat_ahead : NULL,
                   .ahead = inner->ahead,
                   .worker = i},
        .inner = inner,
        .run = run,
        .poll = {poll_call, seat},
        .cost = end_cost(end, thread),
        .power = seat_place(run, i)->power,
        .queue = run->powers.queue ? run->powers.queue[i] : 1,
        .last = -1};
    perturb_seat(seat);
    slices_open(&seat->slices, machine_slices(world_here()->machine),
                seat->queue - 1, run->own->repetition);
    run->worker[i] = open_worker(run, seat);
}

/* Serving adds up through the passes. */
void run_seat_worker(struct run *run, int i, bool further)
{
    struct seat *seat = &run->own->seat[i];
    if (!further) {
        open_seat(run, i);
        return;
    }
    seat->inner = end_source(&run_rank_of(run, i)->end, run_thread_of(run, i));
    run->result[i].serve_s = 0;
}

void run_worked(struct run *run, const struct run_spot *spot)
{
    struct seat *seat = &run->own->seat[spot->worker];
    end_chunk(seat);
    seat->source.wait_s = seat->inner->wait_s;
}

/* ---- results ---- */

void run_measured(const struct run *run, int i, struct worker_result *result)
{
    const struct seat *seat = &run->own->seat[i];
    for (int k = 0; seat->hit != 0 && k < run->setup->perturbs.count; k++)
        result->lost_s += seat->toll[k].lost_s;
    result->held_apart_s = result->lost_s;
    result->core = result->processor = result->numa = -1;
    result->bound = true;
    result->host = (uintptr_t)seat_place(run, i)->host;
    result->recent = recent_since(&seat->recent, run_rank_of(run, i)->start_s);
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

static struct logged *take_handed(struct run_own *own, int64_t *count)
{
    struct logged *all = own->handed;
    *count = own->handed_count;
    own->handed = NULL;
    own->handed_count = own->handed_room = 0;
    return all != NULL ? all : need_zeroed(1, sizeof(*all));
}

/* All clocks are one: times are since the start of rank 0. */
struct logged *run_take_log(struct run *run, int64_t *count)
{
    struct logged *all = run->own->log != NULL ? take_logs(run, count)
                                               : take_handed(run->own, count);
    uint64_t start =
        (uint64_t)(run->rank->start_s / run->context->tick_s + 0.5);
    for (int64_t i = 0; i < *count; i++) {
        all[i].ran.begin -= start;
        all[i].ran.end -= start;
    }
    return all;
}
