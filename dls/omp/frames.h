/* The state of a thread and its counts: continues omp_internal.h. */
#ifndef DLS_OMP_FRAMES_H
#define DLS_OMP_FRAMES_H

#include "dls/omp/omp_internal.h"

#include <string.h>

/* ---- omp_watch.c ---- */

/* The time that a thread has lost so far. */
struct sums {
    struct counters_locks locks;
    double watched, lost; /* seconds, as in counters_threads */
};

/* Reads the processor time; `computed`: since the last reading. */
void watch_read(uint64_t now, bool computed);

struct sums sums_since(const struct sums *before);
/* Under the site's lock. */
void sums_add(struct counters_site *counted, const struct sums *sums);

/* Around a call that waits for a lock. 0: this call is not timed. */
uint64_t watch_lock_begin(void);
void watch_lock_end(uint64_t began, const void *caller);

/* How many calls until the next timed one, at random; the mean depends on the
 * earlier calls, which took `ticks` in sum. */
int64_t watch_gap(double ticks, double calls);

/* The mean of watch_gap's numbers. */
int watch_gap_mean(double ticks, double calls);

/* Begins a visit with the site's lock, or without it; close_visit ends it. */
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

/* The time in which a thread computed. */
struct stint {
    uint64_t begin, end; /* engine_ticks */
};

/* When all threads would end with perfect balance, in ticks since `begin`.
 * Threads share the work as soon as they have arrived.  `bytes`: the distance
 * between the stints of two threads. */
double balanced_end(const struct stint *first, size_t bytes, int threads,
                    uint64_t begin);

/* Under the site's lock. */
void count_threads(struct counters_site *counted, int threads);

/* Memory that exactly the threads of one visit share, zeroed before it. */
struct visit_slot {
    _Atomic uintptr_t instance;
    _Atomic int32_t left;
};

/* A thread in a visit; the last thread that leaves reads all members. */
struct member {
    _Alignas(128) struct stint stint;
    int64_t iterations, chunks;
    struct counters_sample sample;
    struct sums sums; /* at its begin; when it leaves, the sums since then */
    struct source_state state;
    int64_t primed;                /* step of a table reserved for it, -1:
                                      none */
    uint64_t cost_since;           /* begin of its chunk, if costs are used */
    int64_t cost_start, cost_size; /* the chunk; size 0: none */
};

/* The data that a team shares in one visit of a loop. */
struct instance {
    struct source_counter counter;
    struct engine_lock lock;
    _Alignas(128) _Atomic int64_t done; /* stealing: iterations handed out */
    struct instance *next;
    struct loop_site *site;
    int threads;
    int64_t iterations;
    bool steals;
    bool prepared;            /* the scheme's state is initialized */
    struct sched_table table; /* steps 0: none */
    struct sched sched;
    void *memory;
    size_t memory_bytes;
    struct steal_range *range; /* of each thread; NULL: no stealing */
    double *seen;              /* ticks of each iteration; NULL: not recorded */
    struct member *member;
};

struct frame;

/* The thread takes part in the visit of `slot`. */
void instance_join(struct frame *frame, struct visit_slot *slot);

/* No more threads of the team will arrive: a visit that some thread has not
 * left is not counted. */
void instance_abandon(struct visit_slot *slot);

/* The thread has had its last chunk; the team's last one counts the visit. */
void instance_leave(struct frame *frame);

/* Counts a visit that was measured in one thread only. */
void instance_count_alone(struct loop_site *site, uint64_t begin, uint64_t end);

/* ---- omp_costs.c ---- */

/* Builds a visit's table for a scheme that uses costs.  It takes the costs of
 * the last visit if that had as many iterations.  Returns 0 or -errno. */
int costs_begin(struct instance *instance, int64_t iterations,
                struct error *err);

/* In tables with chunks in any order, moves the chunk with the last iteration
 * to the end. */
void costs_move_last(struct sched_table *table);

/* Marks all costs of the visit as unknown. */
void costs_watch(struct instance *instance, int64_t iterations);

/* Around each chunk. */
void costs_begin_chunk(struct frame *frame, const struct chunk *chunk);
void costs_end_chunk(struct frame *frame);

/* After the visit: its costs become the site's, or are recorded.  Under the
 * site's lock. */
void costs_keep(struct loop_site *site, const struct instance *instance);

/* ---- omp_handout.c ---- */

/* The state of a thread in a loop; nested loops form a stack. */
struct frame {
    struct frame *below;
    int64_t quiet; /* requests until the next that is more than a count */
    const struct sched_table *table;
    struct source_counter *counter;
    uint64_t first, step, end; /* in the type of the loop */
    uint64_t taken;            /* iterations so far, or the sum of to - from */
    int64_t chunks;
    bool replaced; /* we hand out the chunks, not the runtime */
    struct {
        bool is; /* from a table only, and nobody needs their number */
        /* The first `even` steps have one size, and `stride` is that size in
         * the loop's type. 0: the sizes in the table differ. */
        uint64_t even, stride;
    } bare;
    bool over;
    int32_t thread, threads;
    int64_t iterations;
    struct loop_site *site; /* NULL: the table of sites is full */
    const struct runtime *runtime;
    struct visit_slot *slot;
    struct instance *instance; /* NULL: this visit is not counted */
    struct member *member;
    struct {
        uint64_t since; /* begin of the sampled chunk, 0: none */
        uint64_t asked; /* its end, 0: no sampled chunk */
        double weight;  /* how many chunks the sampled one represents */
    } timed;
    struct {
        bool allocated;
        bool alone; /* only this thread's time is counted */
        bool kmp;   /* a loop that LLVM's compiler made */
        bool known; /* kmpc.c: its visit is known */
        /* The runtime's first chunk, not handed out yet: `first` to `end`. */
        bool pending;
    } is;
    const void *task;             /* that executes it; NULL: not known */
    struct visit_slot alone_slot; /* the slot of a thread without a team */
};

/* A parallel region that the thread is in: all members that other threads read
 * are in one cache line. */
struct region {
    _Alignas(64) void *reductions; /* GOMP_parallel_reductions looks here */
    void (*body)(void *);
    void *data;
    struct loop_site *site;
    struct team *team; /* NULL: not measured here */
    uint64_t stamp;    /* the team's current stamp */
    struct mate *outside;
};

/* ---- omp_blocks.c ---- */

/* What the calls of a block for number and size of the team return. */
struct unit {
    const struct cutter *blocks;
    int number, of;
};

/* Finds out whether a region's static loop may be cut; NULL: it may not, and
 * `note` says why.  Reads files: no lock may be held. */
struct cutter *blocks_find(const struct module *module, const void *address,
                           const struct runtime *runtime,
                           char note[COUNTERS_NAME_MAX]);

/* One visit of a region that is cut in blocks. */
struct cut {
    struct region region;
    struct cutter *blocks;
    struct loop_site *loop;
    struct visit_slot slot;
    int per; /* blocks per thread */
    struct engine_lock lock;
    double ticks, squares; /* of the blocks that are finished */
    int64_t count;
    int threads;
};

/* Around the visit, by the thread that begins it; false: it runs uncut. */
bool blocks_begin(struct cut *cut, const void *caller);
void blocks_end(const struct cut *cut);
/* Each thread of the region calls it and runs blocks. */
void blocks_run(struct cut *cut);

/* Ends the program: `what` would give a wrong result in a block. */
_Noreturn void blocks_fail(const char *what);

/* The state of a thread. */
enum { FRAMES_INSIDE = 12 };
struct here {
    struct frame *top;
    const struct unit *unit; /* NULL: the thread has its true number */
    const struct region *region;
    struct mate *mate; /* NULL, or see omp_team.h */
    /* A program compiled by gcc calls LLVM's runtime: the address of the call,
     * and the site of the region that it begins. */
    const void *caller;
    struct loop_site *entering;
    struct sums sums;
    struct {
        int64_t since, quiet; /* calls since the last timed one; calls until the
                                 next */
        int64_t window;       /* calls in the current window, and its begin */
        uint64_t began;
        bool samples; /* only a sample of calls is timed */
        double brief; /* ticks of the last short wait */
    } locks;
    const void *data;      /* of the region that it was in before */
    uint64_t waited, left; /* ticks at barriers; since when at the last one */
    struct {
        uint64_t ticks, waited;
        double now_s, cpu_s;
        long blocked;
        uint64_t least; /* at least so many ticks until the next reading */
    } watch;            /* at the last reading */
    uint64_t random;
    int used; /* of `inside` */
    struct frame inside[FRAMES_INSIDE];
};
extern __thread struct here here __attribute__((tls_model("initial-exec")));

/* Ticks between two readings of the processor time: some hundred times as long
 * as a reading, which takes 0.5 to 2.5 us (most in virtual machines). */
enum { WATCH_TICKS = 1 << 21 };

/* A thread begins, and ends, to compute.  Sometimes the processor time is
 * read. */
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

/* Pushes a new frame for the call from this address.  Never NULL: if memory
 * runs out, the program ends. */
struct frame *frame_push(const struct runtime *runtime, struct loop_site *site);
void frame_pop(void);
/* Pops the frames above `top`: their loops were cancelled with their region. */
void frames_drop(struct frame *top);

/* Drops the frames of a finished task.  Its team may be gone already. */
void frames_forget(const void *task);

/* The thread joins the visit of `slot`, and begins it if it is the first. */
void frame_join(struct frame *frame, struct visit_slot *slot);

/* The next chunk of a loop whose chunks we hand out.  False: none is left. */
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

/* Around a request to the runtime, in a loop that is only measured. */
void frame_watch_begin(struct frame *frame);
bool frame_watch_end(struct frame *frame, bool more);

/* ---- ompt.c: OMPT, the interface of OpenMP for tools (5.0, chapter 4) ----
 *
 * Finds which threads share a visit if LLVM's runtime manages the teams: the
 * n-th loop of a team is one visit, because all its threads meet the same loops
 * in the same order. */

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

/* The task and the team of a thread. */
struct ompt_place {
    void *task;  /* its implicit task; NULL: outside all regions */
    void *first; /* the team's memory */
    int threads, thread;
};

/* Whether a runtime uses this library as its tool.  If none does, the first
 * call reports why. */
bool ompt_is_active(void);

/* False if the team is not known: there is no tool, or the task is explicit. */
bool ompt_find_place(struct ompt_place *place);

/* The memory of the task's next loop. */
struct visit_slot *ompt_next_slot(const struct ompt_place *place);

#endif
