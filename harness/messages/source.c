#include "harness/messages/source.h"

/* Returns the worker's primed chunk; later ones come from the counter alone. */
static bool primed_next(struct source *base, struct chunk *chunk)
{
    struct source_table *source = (struct source_table *)base;
    base->table = source->table;
    *chunk = sched_table_chunk(source->table, source->primed);
    return true;
}

static bool table_next(struct source *base, struct chunk *chunk)
{
    return source_count(base, chunk);
}

void source_table_open(struct source_table *source, int worker,
                       const struct sched_table *table,
                       struct source_counter *counter)
{
    int64_t primed = table->rank != NULL ? table->rank[worker] : -1;
    *source = (struct source_table){
        .base = {.next = primed >= 0 ? primed_next : table_next,
                 .table = primed >= 0 ? NULL : table,
                 .counter = counter,
                 .worker = worker},
        .table = table,
        .primed = primed};
}

/* ---- asking early ---- */

/* The last chunks of each worker are never requested early. */
enum { LAST_CHUNKS = 2 };

/* In every time step. */
static bool is_short(const struct sched_table *table,
                     const struct source_took *took, int64_t step)
{
    const struct chunk chunk = sched_table_chunk(table, step);
    for (int s = 0; s < took->steps; s++) {
        const double *before = took->before + s * (table->iterations + 1);
        if (before[chunk.start + chunk.size] - before[chunk.start] >
            SOURCE_SHORT_S)
            return false;
    }
    return true;
}

struct source_early source_early_steps(const struct sched_table *table,
                                       int workers,
                                       const struct source_took *took)
{
    int64_t until = table->steps - (int64_t)LAST_CHUNKS * workers;
    int64_t from = took->nothing ? table->primed : table->steps;
    if (!took->nothing && took->before == NULL)
        return (struct source_early){0, 0};
    while (from > table->primed && is_short(table, took, from - 1))
        from--;
    return from < until ? (struct source_early){from, until}
                        : (struct source_early){0, 0};
}

/* ---- a scheme's state ---- */

static bool state_next(struct source *base, struct chunk *chunk)
{
    struct source_state *source = (struct source_state *)base;
    engine_lock(source->lock);
    bool more = sched_next(&source->sched, base->worker, chunk);
    engine_unlock(source->lock);
    return more;
}

/* The time is taken outside the lock, so that it is not the others'. */
static bool learning_next(struct source *base, struct chunk *chunk)
{
    struct source_state *source = (struct source_state *)base;
    uint64_t asked = engine_ticks();
    engine_lock(source->lock);
    if (source->size > 0 && !base->dropped)
        sched_feedback(
            &source->sched, base->worker, source->size,
            (double)(int64_t)(asked - source->since - base->blocked_ticks));
    bool more = sched_next(&source->sched, base->worker, chunk);
    engine_unlock(source->lock);
    source->size = more ? chunk->size : 0;
    source->since = source->whole ? asked : engine_ticks();
    base->blocked_ticks = 0;
    base->dropped = false;
    return more;
}

static double now_s(const struct source_state *source)
{
    return source->tick_s > 0 ? (double)engine_ticks() * source->tick_s
                              : engine_now();
}

/* For schemes that count in seconds: the same moments. */
static bool timing_next(struct source *base, struct chunk *chunk)
{
    struct source_state *source = (struct source_state *)base;
    double asked_s = now_s(source);
    engine_lock(source->lock);
    if (source->size > 0 && !base->dropped)
        sched_feedback(&source->sched, base->worker, source->size,
                       asked_s - source->since_s - base->blocked_s);
    bool more = sched_next(&source->sched, base->worker, chunk);
    engine_unlock(source->lock);
    source->size = more ? chunk->size : 0;
    source->since_s = source->whole ? asked_s : now_s(source);
    base->blocked_s = 0;
    base->dropped = false;
    return more;
}

void source_state_open(struct source_state *source, int worker,
                       const struct sched *sched, struct engine_lock *lock,
                       bool learns, double tick_s)
{
    const struct sched_ops *ops = sched->ops;
    *source = (struct source_state){
        .base = {.next = !learns                      ? state_next
                         : ops->flags & SCHED_SECONDS ? timing_next
                                                      : learning_next,
                 .worker = worker},
        .sched = *sched,
        .lock = lock,
        .tick_s = tick_s,
        .whole = (ops->flags & SCHED_WHOLE_TIME) != 0};
}

void source_back_put(struct source_back *back, const struct chunk *chunk)
{
    engine_lock(&back->lock);
    int count = atomic_load_explicit(&back->count, memory_order_relaxed);
    back->chunk[count] = *chunk;
    atomic_store_explicit(&back->count, count + 1, memory_order_relaxed);
    engine_unlock(&back->lock);
}

bool source_back_take(struct source_back *back, struct chunk *chunk)
{
    if (atomic_load_explicit(&back->count, memory_order_relaxed) == 0)
        return false;
    engine_lock(&back->lock);
    int count = atomic_load_explicit(&back->count, memory_order_relaxed);
    if (count > 0) {
        *chunk = back->chunk[count - 1];
        atomic_store_explicit(&back->count, count - 1, memory_order_relaxed);
    }
    engine_unlock(&back->lock);
    return count > 0;
}

static bool none_next(struct source *source, struct chunk *chunk)
{
    (void)source;
    (void)chunk;
    return false;
}

void source_none_open(struct source *source, int worker)
{
    *source = (struct source){.next = none_next, .worker = worker};
}
