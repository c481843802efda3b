/* The state of a thread and its counts: the second half of omp_internal.h. */
#ifndef DLS_OMP_FRAMES_H
#define DLS_OMP_FRAMES_H

#include "dls/omp/omp_internal.h"

#include <string.h>

/* ---- omp_watch.c ---- */

/* The time that a thread has lost so far. */
struct sums {
    struct counters_locks locks;
    double watched, lost; /* as in counters_threads */
};

/* Reads the processor's time; `computed`: since the reading before. */
void watch_read(uint64_t now, bool computed);

struct sums sums_since(const struct sums *before);
/* Under the site's lock. */
void sums_add(struct counters_site *counted, const struct sums *sums);

/* Around a call that waits for a lock; 0: this one is not timed. */
uint64_t watch_lock_begin(void);
void watch_lock_end(uint64_t began, const void *caller);

/* A random number of calls, of which the last one is timed, where the mean of
 * those before took so long. */
int64_t watch_gap(double ticks, double calls);

/* The mean of such numbers. */
int watch_gap_mean(double ticks, double calls);

/* A visit begins under the site's lock, or without it; and is over. */
static inline void open_visit_locked(struct counters_site *counted,
                                     uint64_t now)
{
    int64_t begun =
        atomic_load_explicit(&counted->open.begun, memory_order_relaxed);
    if (begun ==
        atomic_load_explicit(&counted->open.over, memory_order_relaxed))
        counted->open.since = now;
    atomic_store_explicit(&counted->open.begun, begun + 1,
                          memory_order_relaxed);
}

static inline void open_visit(struct counters_site *counted, uint64_t now)
{
    int64_t over =
        atomic_load_explicit(&counted->open.over, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&counted->open.begun, 1,
                                  memory_order_relaxed) == over)
        counted->open.since = now;
}

/* Under the site's lock. */
static inline void close_visit(struct counters_site *counted)
{
    int64_t over =
        atomic_load_explicit(&counted->open.over, memory_order_relaxed);
    atomic_store_explicit(&counted->open.over, over + 1, memory_order_relaxed);
}

/* ---- instance.c ---- */

/* A thread's part in something. */
struct stint {
    uint64_t begin, end; /* engine_ticks */
};

/* When all would end with perfect balance: what they computed, shared by those
 * that have arrived until then.  Ticks since `begin`.  `bytes`: from one
 * thread's stint to the next one's. */
double balanced_end(const struct stint *first, size_t bytes, int threads,
                    uint64_t begin);

/* Under the site's lock. */
void count_threads(struct counters_site *counted, int threads);

/* Memory that exactly the threads of one visit share, zeroed before it. */
struct slot {
    _Atomic uintptr_t instance;
    _Atomic int32_t left;
};

/* A thread in a visit: the last thread that leaves reads those of all. */
struct member {
    _Alignas(128) struct stint stint;
    int64_t iterations, chunks;
    struct counters_sample sample;
    struct sums sums; /* at its begin, then since then */
    struct source_state state;
    int64_t primed;                /* its own step of a table, -1: none */
    uint64_t cost_since;           /* of its chunk under a scheme by cost */
    int64_t cost_start, cost_size; /* size 0: it has none */
};

/* The data that a team shares in one visit of a loop. */
struct instance {
    struct source_counter counter;
    struct engine_lock lock;
    _Alignas(128) _Atomic int64_t done; /* stealing: iterations handed out */
    struct instance *next;
    struct site *site;
    int threads;
    int64_t iterations;
    bool steals;
    bool prepared;            /* the scheme's state is of an earlier visit */
    struct sched_table table; /* steps 0: none */
    struct sched sched;
    void *memory;
    size_t memory_bytes;
    struct steal_range *range; /* of each thread; NULL: no stealing */
    double *seen;              /* ticks of each iteration; NULL: not asked */
    struct member *member;
};

struct frame;

/* The thread takes part in the visit of `slot`. */
void instance_join(struct frame *frame, struct slot *slot);

/* No thread of the team will come any more: a visit that was not left by all is
 * not counted. */
void instance_abandon(struct slot *slot);

/* The thread has had its last chunk; the last one of the team counts. */
void instance_leave(struct frame *frame);

/* Counts a visit of which only one thread is known. */
void instance_count_alone(struct site *site, uint64_t begin, uint64_t end);

/* ---- omp_costs.c ---- */

/* The table of a visit under a scheme by cost: with the costs of the last
 * visit, where that had as many iterations.  Returns 0 or -errno. */
int costs_begin(struct instance *instance, int64_t iterations,
                struct error *err);

/* In tables with chunks in any order, moves the chunk with the last iteration
 * to the end. */
void costs_move_last(struct sched_table *table);

/* Nothing is known of the visit's costs yet. */
void costs_watch(struct instance *instance, int64_t iterations);

/* Around each chunk. */
void costs_begin_chunk(struct frame *frame, const struct chunk *chunk);
void costs_end_chunk(struct frame *frame);

/* The visit is over: its costs are the site's, or recorded.  Under the site's
 * lock. */
void costs_keep(struct site *site, const struct instance *instance);

/* ---- omp_handout.c ---- */

/* A thread's end of a loop that it is in, on top of those that it is in as
 * well. */
struct frame {
    struct frame *below;
    int64_t quiet; /* requests until one that has more to do than to count */
    const struct sched_table *table;
    struct source_counter *counter;
    uint64_t first, step, end; /* in the type of the loop */
    uint64_t taken;            /* sum of iterations, or of to - from */
    int64_t chunks;
    bool own; /* the chunks are ours */
    struct {
        bool is; /* from a table, and nobody asks how many it took */
        /* Steps of one size that end before the loop does, 0: the table's
         * differ; and how far one leads in the type of the loop. */
        uint64_t even, stride;
    } bare;
    bool over;
    int32_t thread, threads;
    int64_t iterations;
    struct site *site; /* NULL: no room for it */
    const struct runtime *runtime;
    struct slot *slot;
    struct instance *instance; /* NULL: nothing is counted */
    struct member *member;
    struct {
        uint64_t since; /* the sampled chunk began, 0: none */
        uint64_t asked; /* it ended, 0: none did */
        double weight;  /* chunks that this one represents */
    } timed;
    struct {
        bool allocated;
        bool alone; /* only this thread's time is counted */
        bool kmp;   /* a loop of LLVM's */
        bool known; /* kmpc.c: its visit is */
        /* The runtime's first chunk waits, from `first` to `end`. */
        bool pending;
    } is;
    const void *task;       /* that it is in; NULL: not known */
    struct slot alone_slot; /* of a thread that is alone */
};

/* A parallel region that the thread is in: all that the others read of it, in
 * one line of memory. */
struct region {
    _Alignas(64) void *reductions; /* GOMP_parallel_reductions looks here */
    void (*body)(void *);
    void *data;
    struct site *site;
    struct team *team; /* NULL: it is not measured here */
    uint64_t stamp;    /* of the team now */
    struct mate *outside;
};

/* ---- omp_blocks.c ---- */

/* A thread that computes a block asks for its number: what it is told. */
struct unit {
    const struct blocks *blocks;
    int number, of;
};

/* Finds out whether a region's static loop may be cut; NULL: it may not, and
 * `note` says why.  Reads files: no lock may be held. */
struct blocks *blocks_find(const struct module *module, const void *address,
                           const struct runtime *runtime,
                           char note[COUNTERS_NAME_MAX]);

/* A visit of such a region. */
struct cut {
    struct region region;
    struct blocks *blocks;
    struct site *loop;
    struct slot slot;
    int per; /* blocks for each thread */
    struct engine_lock lock;
    double ticks, squares; /* of the blocks, as far as they are out */
    int64_t count;
    int threads;
};

/* Around the visit, by the thread that begins it; false: it is left alone. */
bool blocks_begin(struct cut *cut, const void *caller);
void blocks_end(const struct cut *cut);
/* The work of each thread in it. */
void blocks_run(struct cut *cut);

/* A team's common work would be wrong in such a block: ends the program. */
_Noreturn void blocks_fail(const char *what);

/* The state of a thread. */
enum { FRAMES_INSIDE = 12 };
struct here {
    struct frame *top;
    const struct unit *unit; /* NULL: it has its own number */
    const struct region *region;
    struct mate *mate; /* NULL, or see omp_team.h */
    /* A program of gcc's calls LLVM's runtime, from this address; for a region
     * of this site. */
    const void *caller;
    struct site *entering;
    struct sums sums;
    struct {
        int64_t since, quiet; /* calls since the last that was timed; until one
                                 is */
        int64_t window;       /* calls of the window, which began then */
        uint64_t began;
        bool samples; /* the last window's calls were close together */
        double brief; /* ticks of the last short one */
    } locks;
    const void *data;      /* of the region that it was in before */
    uint64_t waited, left; /* ticks at barriers; it came to its last one */
    struct {
        uint64_t ticks, waited;
        double now_s, cpu_s;
        long blocked;
        uint64_t least; /* ticks from it to the next one at an end */
    } watch;            /* at the last reading */
    uint64_t random;
    int used; /* of `inside` */
    struct frame inside[FRAMES_INSIDE];
};
extern __thread struct here here __attribute__((tls_model("initial-exec")));

/* Between two readings of the processor's time, which take 0.5 to 2.5 us (most
 * in virtual machines): some hundred of them. */
enum { WATCH_TICKS = 1 << 21 };

/* The thread begins to compute, and stops: now and then, the processor's time
 * is read. */
static inline void watch_begin(uint64_t now)
{
    if (now - here.watch.ticks >= WATCH_TICKS)
        watch_read(now, false);
}

static inline void watch_end(uint64_t now)
{
    if (now - here.watch.ticks >= here.watch.least)
        watch_read(now, true);
}

static inline void blocks_guard(const char *what)
{
    if (!OMP_LIKELY(here.unit == NULL))
        blocks_fail(what);
}

/* A new frame on top, for the call from this address; never NULL: memory that
 * is not there ends the program. */
struct frame *frame_push(const struct runtime *runtime, struct site *site);
void frame_pop(void);
/* Those above are of loops that were cancelled together with their region. */
void frames_drop(struct frame *top);

/* Drops the frames of a finished task; its team may have ended as well. */
void frames_forget(const void *task);

/* The thread joins the visit of `slot`, which begins. */
void frame_join(struct frame *frame, struct slot *slot);

/* The next chunk of a loop whose chunks are ours; false: there is none. */
bool frame_take_slowly(struct frame *frame, struct chunk *chunk);
bool frame_done(struct frame *frame);

static inline bool frame_take(struct frame *frame, struct chunk *chunk)
{
    if (!frame->bare.is && --frame->quiet <= 0)
        return frame_take_slowly(frame, chunk);
    int64_t step = source_step(frame->counter);
    if (step >= frame->table->steps)
        return frame_done(frame);
    *chunk = sched_table_chunk(frame->table, step);
    if (!frame->bare.is) {
        frame->taken += (uint64_t)chunk->size;
        frame->chunks++;
    }
    return true;
}

/* A request to the runtime begins, and ends, in a loop that is only watched. */
void frame_watch_begin(struct frame *frame);
bool frame_watch_end(struct frame *frame, bool more);

/* ---- ompt.c: by OMPT, the interface of OpenMP for tools (5.0, chapter 4) ----
 *
 * Which threads share a visit where LLVM's runtime keeps the teams: the n-th
 * loop of a team is one visit, because all its threads meet the same loops in
 * the same order. */

/* Names and numbers are those of the OpenMP specification. */
union ompt_data {
    uint64_t value;
    void *ptr;
};
typedef void (*ompt_callback)(void);
typedef int ompt_set_fn(int, ompt_callback);
enum { OMPT_BEGIN = 1 };

#define OMPT_SET(set, which, function)                                         \
    do {                                                                       \
        ompt_callback callback;                                                \
        __typeof__(&(function)) typed = (function);                            \
        memcpy(&callback, &typed, sizeof(callback));                           \
        set(which, callback);                                                  \
    } while (0)

/* Counts the events of threads in regions. */
void ompt_watch_events(ompt_set_fn *set);

/* Where a thread is. */
struct ompt_place {
    void *task;  /* its implicit task; NULL: it is alone, outside of regions */
    void *first; /* the team's memory */
    int threads, thread;
};

/* Whether a runtime has taken this library for its tool; where none will, the
 * first call says why. */
bool ompt_is_active(void);

/* False where the team is not known: there is no tool, or the task is none of a
 * team's own. */
bool ompt_find_place(struct ompt_place *place);

/* The memory of the task's next loop. */
struct slot *ompt_next_slot(const struct ompt_place *place);

#endif
