/* Sources: a worker gets its chunks from a source.  Every hierarchy is a chain
 * of sources; the run builds it by `hierarchy` and `transport`, and the worker
 * only calls next.
 *
 * A struct source is for one worker: it belongs to one thread. */
#ifndef HARNESS_MESSAGES_SOURCE_H
#define HARNESS_MESSAGES_SOURCE_H

#include "base/invariant.h"
#include "harness/engine/engine.h"
#include "sched/sched.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A counter of steps on a separate cache line. */
struct source_counter {
    _Alignas(128) _Atomic int64_t step;
    char rest[120];
};

/* Steps from..until - 1 of a table are early: a worker asks for its next chunk
 * before it runs one of these. */
struct source_early {
    int64_t from, until;
};

struct source {
    /* The next chunk of this worker; false if none is left, and then the worker
     * stops.  The call also reports that the previous chunk is finished.
     * Blocks through the engine.  Call source_next instead. */
    bool (*next)(struct source *source, struct chunk *chunk);
    /* If chunks come from a table (or have one fixed size), one fetch-and-add
     * each; NULL: only next can get them. */
    const struct sched_table *table;
    struct source_counter *counter; /* starts at table->primed */
    struct source_early early;      /* zeroed: none */
    int64_t ahead_count;            /* chunks requested early */
    /* For sources that request a chunk early from a master in another rank:
     * called when only `ahead` iterations of the chunk remain, so that the
     * answer arrives before its end.  Not earlier: a chunk requested early is
     * lost to workers that become idle sooner.  NULL: never. */
    void (*ask_ahead)(struct source *source);
    int64_t ahead;
    /* The worker stops before next returned false, and asks no more.  Its last
     * chunk is finished, and chunks reserved for it at a master go to others.
     * NULL: get its reserved chunks with next. */
    void (*leave)(struct source *source);
    /* Chunks that workers returned, if they share memory; NULL: they do not, or
     * a master has them. */
    struct source_back *back;
    int worker;
    double wait_s;  /* blocked in next, since the source was opened */
    double serve_s; /* spent on serving others instead of computing */
    /* Spent waiting for other workers since the last next, for schemes that
     * learn: protocols add it if their workers wait for each other. */
    double blocked_s;
    uint64_t blocked_ticks; /* likewise in engine_ticks */
    /* The previous chunk does not count, because another worker's result did:
     * set by a source before this one, for schemes that learn. */
    bool dropped;
    struct engine_watch *watch; /* called around its waits; NULL: none */
};

/* The worker begins to wait; returns the time, for source_go_on. */
static inline double source_wait(struct source *source)
{
    double since = engine_now();
    if (source->watch != NULL)
        source->watch->wait(source->watch);
    return since;
}

static inline void source_go_on(struct source *source, double since)
{
    if (source->watch != NULL)
        source->watch->go_on(source->watch);
    source->wait_s += engine_now() - since;
}

/* The next step of a shared sequence. */
static inline int64_t source_step(struct source_counter *counter)
{
    int64_t step =
        atomic_fetch_add_explicit(&counter->step, 1, memory_order_relaxed);
    invariant(step >= 0);
    return step;
}

/* The next chunk by the counter only, for sources with a table. */
static inline bool source_count(struct source *source, struct chunk *chunk)
{
    int64_t step = source_step(source->counter);
    invariant(step >= source->table->primed);
    if (step >= source->table->steps)
        return false;
    *chunk = sched_table_chunk(source->table, step);
    return true;
}

/* Called by workers. */
static inline bool source_next(struct source *source, struct chunk *chunk)
{
    if (source->table != NULL)
        return source_count(source, chunk);
    return source->next(source, chunk);
}

/* The next chunk for a source before another: the inner source gets the time of
 * waits for other workers, and the outer one takes over the inner one's waiting
 * and serving times. */
static inline bool source_pass(struct source *outer, struct source *inner,
                               struct chunk *chunk)
{
    inner->blocked_s = outer->blocked_s;
    inner->blocked_ticks = outer->blocked_ticks;
    outer->blocked_s = 0;
    outer->blocked_ticks = 0;
    bool more = source_next(inner, chunk);
    outer->wait_s += inner->wait_s;
    outer->serve_s += inner->serve_s;
    inner->wait_s = inner->serve_s = 0;
    return more;
}

/* ---- in one process, or between processes that share memory ---- */

/* A table that several workers share through a counter.  A worker with a primed
 * chunk gets that first. */
struct source_table {
    struct source base;
    const struct sched_table *table;
    int64_t primed; /* this worker's reserved step, or -1 */
};

void source_table_open(struct source_table *source, int worker,
                       const struct sched_table *table,
                       struct source_counter *counter);

/* The time that a single worker needs for the iterations of a loop. */
struct source_took {
    bool nothing; /* too short to measure */
    /* Otherwise seconds before each iteration, iterations + 1 entries for each
     * of `steps` time steps, one after the other; NULL: unknown. */
    const double *before;
    int steps;
};

/* The longest time of a short chunk.  Longer chunks gain at most a few
 * hundredths from an early request (docs/evidence/cost.md, Asking early). */
#define SOURCE_SHORT_S 1e-6

/* The early steps of a table.  From the first one on all chunks are short, and
 * the last chunks go to any idle worker: a loop that asks early ends at most
 * two short chunks later, under any scheme. */
struct source_early source_early_steps(const struct sched_table *table,
                                       int workers,
                                       const struct source_took *took);

/* A scheme whose sizes depend on the asking worker: its state under a lock.  If
 * it learns, each request reports the time of the previous chunk, in
 * engine_ticks. */
struct source_state {
    struct source base;
    struct sched sched;
    struct engine_lock *lock; /* on the cache line of the state */
    bool whole;               /* SCHED_WHOLE_TIME */
    double tick_s;            /* SCHED_SECONDS: see source_state_open */
    double since_s;           /* SCHED_SECONDS: `since` in seconds */
    int64_t size;             /* of the running chunk, 0: none */
    uint64_t since;           /* begin of the time to report */
};

/* learns: the scheme does, and the worker runs the chunks that it gets here.
 * tick_s: seconds of a tick, for a scheme that needs seconds; 0: unknown, so
 * that a slower clock is read. */
void source_state_open(struct source_state *source, int worker,
                       const struct sched *sched, struct engine_lock *lock,
                       bool learns, double tick_s);

/* Chunks returned by workers that left, for workers that ask next: at most one
 * per worker.  In memory shared by all of them; zeroed memory is empty. */
struct source_back {
    _Alignas(128) struct engine_lock lock;
    _Atomic int count;
    struct chunk chunk[];
};

static inline size_t source_back_bytes(int workers)
{
    return sizeof(struct source_back) + (size_t)workers * sizeof(struct chunk);
}

void source_back_put(struct source_back *back, const struct chunk *chunk);
/* False: it is empty. */
bool source_back_take(struct source_back *back, struct chunk *chunk);

/* ---- for a worker that takes no part ---- */

/* A source that never has a chunk. */
void source_none_open(struct source *source, int worker);

#endif
