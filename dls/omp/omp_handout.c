/* Hands out the chunks of an OpenMP loop's visit, and times some of them. */
#include "dls/omp/omp_team.h"

#include <stdlib.h>
#include <string.h>

__thread struct here here __attribute__((tls_model("initial-exec")));

/* ---- frames ---- */

struct frame *frame_push(const struct runtime *runtime, struct loop_site *site)
{
    bool inside = here.used < FRAMES_INSIDE;
    struct frame *frame =
        inside ? &here.inside[here.used++] : malloc(sizeof(*frame));
    if (frame == NULL) {
        settings_say("out of memory for a nested loop");
        _Exit(1);
    }
    memset(frame, 0, sizeof(*frame));
    frame->below = here.top;
    frame->is.allocated = !inside;
    frame->site = site;
    frame->runtime = runtime;
    here.top = frame;
    return frame;
}

static void finish_member(struct frame *frame)
{
    struct member *member = frame->member;
    uint64_t step = frame->step, taken = frame->taken;
    if (!frame->over)
        member->stint.end = engine_ticks();
    if (frame->site->measures) {
        watch_end(member->stint.end);
        member->sums = sums_since(&member->sums);
    }
    if (!frame->replaced && !frame->is.kmp && (int64_t)step < 0) {
        step = -step;
        taken = -taken;
    }
    /* The observed value is the distance between bounds. */
    if (!frame->replaced && !frame->is.kmp && step > 1)
        taken = taken / step + (taken % step != 0);
    member->iterations = (int64_t)taken;
    member->chunks = frame->chunks;
    instance_leave(frame);
}

void frame_pop(void)
{
    struct frame *frame = here.top;
    here.top = frame->below;
    if (frame->instance != NULL)
        finish_member(frame);
    else if (frame->is.alone)
        instance_count_alone(frame->site, frame->timed.since, engine_ticks());
    if (frame->is.allocated)
        free(frame);
    else
        here.used--;
}

void frames_forget(const void *task)
{
    while (task != NULL && here.top != NULL && here.top->task == task) {
        here.top->instance = NULL;
        frame_pop();
    }
}

void frames_drop(struct frame *top)
{
    while (here.top != top)
        frame_pop();
}

/* ---- samples ---- */

/* How many chunks are skipped before the next timed one, and its weight. */
static int64_t next_gap(struct frame *frame)
{
    const struct counters_sample *seen = &frame->site->counted->sample;
    frame->timed.weight = watch_gap_mean(seen->chunk_ticks, seen->chunk_weight);
    return watch_gap(seen->chunk_ticks, seen->chunk_weight);
}

static bool is_stamped(const struct frame *frame)
{
    const struct strategy *strategy = frame->site->strategy;
    return frame->site->measures || frame->site->stamps ||
           (strategy != NULL && strategy->ops != NULL &&
            (strategy->ops->flags & SCHED_BY_POWER));
}

/* Its chunks come only from a table, without counting. */
static void begin_bare(struct frame *frame)
{
    const struct sched_table *table = frame->table;
    frame->bare.is = true;
    if (table->start != NULL)
        return;
    frame->bare.even = (uint64_t)table->steps - 1;
    frame->bare.stride = (uint64_t)table->fixed_size * frame->step;
}

static void begin_stamped(struct frame *frame)
{
    frame->member->stint.begin = engine_ticks();
    if (!frame->site->measures)
        return;
    if (frame->site->counted->open.since == 0)
        frame->site->counted->open.since = frame->member->stint.begin;
    mate_meet(KIND_LOOP);
    watch_begin(frame->member->stint.begin);
    frame->member->sums = here.sums;
}

void frame_join(struct frame *frame, struct visit_slot *slot)
{
    instance_join(frame, slot);
    if (frame->replaced && frame->instance->table.steps > 0) {
        frame->table = &frame->instance->table;
        frame->counter = &frame->instance->counter;
    }
    bool measures = frame->site->measures;
    frame->quiet = measures ? next_gap(frame) : INT64_MAX;
    if (frame->replaced && (frame->table == NULL || frame->site->stamps ||
                            frame->member->primed >= 0))
        frame->quiet = 0;
    if (is_stamped(frame))
        begin_stamped(frame);
    else if (frame->quiet > 0 && frame->table != NULL)
        begin_bare(frame);
}

/* The sampled chunk is over. */
static uint64_t end_sample(struct frame *frame)
{
    uint64_t now = engine_ticks();
    struct counters_sample *sample = &frame->member->sample;
    double ticks = (double)(now - frame->timed.since);
    watch_end(now);
    sample->chunks++;
    sample->chunk_weight += frame->timed.weight;
    sample->chunk_ticks += frame->timed.weight * ticks;
    sample->chunk_squares += frame->timed.weight * ticks * ticks;
    if (ticks > sample->chunk_max)
        sample->chunk_max = ticks;
    frame->timed.since = 0;
    return now;
}

/* After a request that got a chunk: how many are not measured now. */
static void begin_sample(struct frame *frame, uint64_t asked)
{
    struct counters_sample *sample = &frame->member->sample;
    uint64_t now = engine_ticks();
    frame->quiet = 1;
    if (asked != 0) {
        sample->ask_weight += frame->timed.weight;
        sample->ask_ticks += frame->timed.weight * (double)(now - asked);
        frame->quiet = next_gap(frame);
    }
    if (frame->quiet == 1)
        frame->timed.since = now;
}

bool frame_done(struct frame *frame)
{
    if (!frame->over && is_stamped(frame))
        frame->member->stint.end = engine_ticks();
    frame->over = true;
    frame->quiet = 1; /* further requests also return nothing */
    return false;
}

void frame_watch_begin(struct frame *frame)
{
    frame->timed.asked = frame->timed.since != 0 ? end_sample(frame) : 0;
}

bool frame_watch_end(struct frame *frame, bool more)
{
    if (!more)
        return frame_done(frame);
    begin_sample(frame, frame->timed.asked);
    return true;
}

/* ---- stealing ---- */

/* Takes a piece from the front of the thread's own range. */
static bool take_own(struct frame *frame, struct chunk *chunk)
{
    struct steal_range *range = &frame->instance->range[frame->thread];
    int64_t piece = frame->site->strategy->piece;
    uint64_t ends = atomic_load_explicit(&range->ends, memory_order_acquire);
    while (steal_size(ends) > 0) {
        int64_t begin = steal_begin(ends), size = steal_size(ends);
        size = size < piece ? size : piece;
        if (atomic_compare_exchange_weak(
                &range->ends, &ends,
                steal_ends(begin + size, steal_end(ends)))) {
            *chunk = (struct chunk){.start = begin, .size = size};
            return true;
        }
    }
    return false;
}

/* Moves half of another thread's range to the thread's empty range. */
static bool rob_range(struct frame *frame, int victim)
{
    struct steal_range *from = &frame->instance->range[victim];
    struct steal_range *to = &frame->instance->range[frame->thread];
    uint64_t ends = atomic_load_explicit(&from->ends, memory_order_acquire);
    while (steal_size(ends) > 0) {
        int64_t half =
            steal_half(steal_size(ends), frame->site->strategy->piece);
        int64_t cut = steal_end(ends) - half;
        if (atomic_compare_exchange_weak(&from->ends, &ends,
                                         steal_ends(steal_begin(ends), cut))) {
            atomic_store_explicit(&to->ends, steal_ends(cut, cut + half),
                                  memory_order_release);
            return true;
        }
    }
    return false;
}

/* The last iteration, when all others are out. */
static bool take_last(struct frame *frame, struct chunk *chunk)
{
    int64_t all = frame->iterations - 1;
    if (!atomic_compare_exchange_strong(&frame->instance->done, &all, all + 1))
        return false;
    *chunk = (struct chunk){.start = all, .size = 1};
    return true;
}

/* Takes from the own range, else steals half of another.  Only `done` tells
 * that nothing is left: a stolen half is in no range while it moves. */
static bool take_stolen(struct frame *frame, struct chunk *chunk)
{
    struct instance *instance = frame->instance;
    struct engine_idle idle = {0};
    const struct engine_patience patience = {.spin_s = 20e-6,
                                             .nap_ns = ENGINE_SHORT_NAP_NS};
    for (;;) {
        if (take_own(frame, chunk)) {
            atomic_fetch_add(&instance->done, chunk->size);
            return true;
        }
        bool robbed = false;
        for (int i = 1; !robbed && i < frame->threads; i++)
            robbed = rob_range(frame, (frame->thread + i) % frame->threads);
        if (robbed)
            continue;
        if (take_last(frame, chunk))
            return true;
        /* Other threads have uncounted chunks, or nothing is left. */
        if (atomic_load(&instance->done) >= frame->iterations)
            return false;
        engine_idle(&idle, &patience, NULL);
    }
}

/* ---- chunks ---- */

static bool take_chunk(struct frame *frame, struct chunk *chunk)
{
    struct member *member = frame->member;
    if (frame->instance->steals)
        return take_stolen(frame, chunk);
    if (frame->table == NULL)
        return source_next(&member->state.base, chunk);
    int64_t step = member->primed;
    member->primed = -1;
    if (step < 0)
        step = source_step(frame->counter);
    if (step < 0 || step >= frame->table->steps)
        return false;
    *chunk = sched_table_chunk(frame->table, step);
    return true;
}

bool frame_take_slowly(struct frame *frame, struct chunk *chunk)
{
    uint64_t asked = frame->timed.since != 0 ? end_sample(frame) : 0;
    bool stamps = frame->site->stamps;
    if (stamps)
        costs_end_chunk(frame);
    if (frame->over || frame->iterations == 0 || !take_chunk(frame, chunk))
        return frame_done(frame);
    frame->chunks++;
    frame->taken += (uint64_t)chunk->size;
    if (frame->site->measures)
        begin_sample(frame, asked);
    if (frame->table == NULL || stamps) {
        frame->quiet = 1;
        frame->timed.weight =
            frame->timed.weight < 2 ? 1 : 2; /* every other at least */
    } else if (!frame->site->measures)
        frame->quiet = INT64_MAX;
    if (stamps)
        costs_begin_chunk(frame, chunk);
    return true;
}
