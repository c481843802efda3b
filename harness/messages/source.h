/* Sources: where a worker gets its chunks.  Every hierarchy is a chain of
 * them; the run decides the chain from `hierarchy` and `transport`, and the
 * worker only calls next.
 *
 * A struct source is one worker's end: it belongs to one thread. */
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

/* Steps from..until - 1 of a table: a worker that runs one of these has asked
 * for its next chunk before. */
struct source_early {
    int64_t from, until;
};

struct source {
    /* The next chunk of this worker; false when there is none left, and then
     * the worker stops.  Calling it says that the chunk before is finished.
     * Blocks through the engine.  Call source_next instead. */
    bool (*next)(struct source *source, struct chunk *chunk);
    /* The chunks of a table (or of one fixed size), one fetch-and-add each;
     * NULL: only next knows. */
    const struct sched_table *table;
    struct source_counter *counter; /* starts at table->primed */
    struct source_early early;      /* none: zeroed */
    int64_t ahead_count;            /* chunks that were asked for early */
    /* For sources that request one ahead from a master in another rank: called
     * when only `ahead` iterations of the chunk remain, so that the answer
     * arrives before its end.  Not earlier: a chunk requested early is lost to
     * workers that become idle sooner.  NULL: never. */
    void (*ask_ahead)(struct source *source);
    int64_t ahead;
    /* The worker stops before next returned false, and asks no more.  Its chunk
     * before is finished, and what a master keeps for it goes to others.  NULL:
     * what is kept for it must be taken out with next. */
    void (*leave)(struct source *source);
    /* Chunks that others returned this way, if the workers share memory; NULL:
     * they do not, or a master keeps it. */
    struct source_back *back;
    int worker;
    double wait_s;  /* blocked in next, since the source was opened */
    double serve_s; /* spent on serving others instead of computing */
    /* Spent waiting for other workers since next was left, for schemes that
     * learn: added by protocols in which they wait for each other. */
    double blocked_s;
    uint64_t blocked_ticks; /* the same in engine_ticks */
    /* The chunk before does not count, because another worker's result did: set
     * by a source in front of this one, for schemes that learn. */
    bool dropped;
    struct engine_watch *watch; /* of its waits; NULL: none */
};

/* The worker begins to wait; returns since when, for source_go_on. */
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

/* The next chunk by the counter alone: for sources with a table. */
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

/* The next chunk for a source in front of another: the inner source learns the
 * time of waits for other workers, and the outer takes over the inner's waits
 * and services from then on. */
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

/* A table that several workers count through.  A worker that has a primed
 * chunk gets it first. */
struct source_table {
    struct source base;
    const struct sched_table *table;
    int64_t primed; /* this worker's own step, or -1 */
};

void source_table_open(struct source_table *source, int worker,
                       const struct sched_table *table,
                       struct source_counter *counter);

/* The time that one worker alone needs for the iterations of a loop. */
struct source_took {
    bool nothing; /* no time to speak of */
    /* Else seconds before each iteration, iterations + 1 of them, of each of
     * `steps` time steps one after the other; NULL: not known. */
    const double *before;
    int steps;
};

/* A short chunk takes no longer.  Longer ones gain a few hundredths at most by
 * being asked for early (docs/evidence/cost.md, Asking early). */
#define SOURCE_SHORT_S 1e-6

/* The steps that may be early.  From the first of them on all chunks are short,
 * and the last ones go to whoever is free: a loop that asks early ends at most
 * two short chunks later than one that does not, whatever its scheme. */
struct source_early source_early_steps(const struct sched_table *table,
                                       int workers,
                                       const struct source_took *took);

/* A scheme whose sizes depend on the asking worker: its state under a lock.
 * Where it learns, each request tells it the time of the chunk before, in
 * engine_ticks. */
struct source_state {
    struct source base;
    struct sched sched;
    struct engine_lock *lock; /* on the state's own cache line */
    bool whole;               /* SCHED_WHOLE_TIME */
    double tick_s;            /* SCHED_SECONDS: see source_state_open */
    double since_s;           /* SCHED_SECONDS: since, in seconds */
    int64_t size;             /* of the chunk that runs, 0: none */
    uint64_t since;           /* it counts from here */
};

/* learns: the scheme does, and the worker runs the chunks that it gets here.
 * tick_s: seconds of a tick, for a scheme that wants seconds; 0: not measured,
 * so that it gets them from a clock that costs more. */
void source_state_open(struct source_state *source, int worker,
                       const struct sched *sched, struct engine_lock *lock,
                       bool learns, double tick_s);

/* Chunks that workers who left have given back, for those who ask next: at most
 * one of each worker.  In memory that all of them share; zeroed, it is empty.
 */
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
/* False: there is none. */
bool source_back_take(struct source_back *back, struct chunk *chunk);

/* ---- for a worker that takes no part ---- */

/* There is never a chunk. */
void source_none_open(struct source *source, int worker);

#endif
