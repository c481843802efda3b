#include "harness/transport/source.h"

static bool table_next(struct source *base, struct chunk *chunk)
{
    struct source_table *source = (struct source_table *)base;
    const struct sched_table *table = source->table;
    int64_t step = source->primed;
    if (step >= 0)
        source->primed = -1;
    else
        step = atomic_fetch_add_explicit(&source->counter->step, 1,
                                         memory_order_relaxed);
    if (step >= table->steps)
        return false;
    *chunk = sched_table_chunk(table, step);
    return true;
}

void source_table_open(struct source_table *source, int worker,
                       const struct sched_table *table,
                       struct source_counter *counter)
{
    *source =
        (struct source_table){.base = {.next = table_next, .worker = worker},
                              .table = table,
                              .counter = counter,
                              .primed = -1};
    if (table->rank != NULL)
        source->primed = table->rank[worker];
}

static bool state_next(struct source *base, struct chunk *chunk)
{
    struct source_state *source = (struct source_state *)base;
    engine_lock(source->lock);
    bool more = sched_next(&source->sched, base->worker, chunk);
    engine_unlock(source->lock);
    return more;
}

void source_state_open(struct source_state *source, int worker,
                       const struct sched *sched, struct engine_lock *lock)
{
    *source =
        (struct source_state){.base = {.next = state_next, .worker = worker},
                              .sched = *sched,
                              .lock = lock};
}
