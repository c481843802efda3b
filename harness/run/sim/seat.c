#include "harness/run/sim/run_parts.h"

#include "harness/engine/sim/world.h"
#include "harness/guard/need.h"
#include "harness/loop/sim/machine.h"
#include "harness/transport/reissue/reissue.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

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
    seat->compute_s += work;
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
    const struct loop *loop = instance;
    (void)output;
    seat_compute(scratch,
                 loop->cost_before[start + size] - loop->cost_before[start],
                 poll);
}

static const struct kernel_ops charging_kernel = {.name = "charge",
                                                  .run = charge_run};

/* ---- chunks ---- */

static struct handed *add_handed(struct run *run)
{
    need_room(&run->handed, &run->handed_room, run->handed_count + 1,
              sizeof(*run->handed));
    return &run->handed[run->handed_count++];
}

/* A request for the next chunk means that the one before is finished. */
static void end_chunk(struct seat *seat)
{
    if (seat->last >= 0)
        seat->run->handed[seat->last].ran.end = engine_ticks();
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
    if (seat->worker.log != NULL)
        return true;
    struct handed *handed = add_handed(seat->run);
    *handed = (struct handed){.ran = {.start = chunk->start,
                                      .size = chunk->size,
                                      .begin = engine_ticks()},
                              .step = chunk->step,
                              .worker = (int32_t)(seat - seat->run->seat)};
    seat->last = seat->run->handed_count - 1;
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
    int rank = run->tree.worker_rank[seat - run->seat];
    const struct reissue *book = transport_book(&run->transport);
    bool over = book != NULL && reissue_is_over(book);
    double start = engine_now();
    if (end_poll(&run->part[rank].end) && !over)
        seat->source.serve_s += engine_now() - start;
}

/* ---- the seat ---- */

void seat_open(struct run *run, int worker)
{
    struct seat *seat = &run->seat[worker];
    int rank = run->tree.worker_rank[worker];
    int thread = worker - run->tree.rank_worker[rank];
    int place = rank * run->context->threads + thread;
    struct transport_end *end = &run->part[rank].end;
    struct source *inner = end_source(end, thread);
    *seat = (struct seat){
        .source = {.next = seat_next,
                   .ask_ahead = inner->ask_ahead ? seat_ahead : NULL,
                   .ahead = inner->ahead,
                   .worker = worker},
        .inner = inner,
        .run = run,
        .poll = {poll_call, seat},
        .cost = end_cost(end, thread),
        .power = world_here()->place[place].power,
        .queue = run->powers.queue ? run->powers.queue[worker] : 1,
        .last = -1,
        .worker = {.source = &seat->source,
                   .kernel = &charging_kernel,
                   .instance = run->loop,
                   .scratch = seat,
                   .output = run->loop->output,
                   .output_bytes = run->loop->output_bytes}};
    perturb_seat(seat);
    slices_open(&seat->slices, machine_slices(world_here()->machine),
                seat->queue - 1, run->repetition);
    if (thread == 0 && end_polls(end))
        seat->worker.poll = &seat->poll;
}

void seat_rewind(struct run *run, int worker)
{
    int rank = run->tree.worker_rank[worker];
    int thread = worker - run->tree.rank_worker[rank];
    struct seat *seat = &run->seat[worker];
    seat->inner = end_source(&run->part[rank].end, thread);
}

void seat_leave(struct seat *seat)
{
    end_chunk(seat);
    seat->wait_s += seat->inner->wait_s;
}
