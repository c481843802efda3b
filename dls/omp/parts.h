/* The private parts of the preload library, shared by its files:
 *
 *   gomp*.c     the entries of libgomp that it stands in front of
 *   kmpc.c      those of LLVM's libomp
 *   ompt.c      the teams of libomp
 *   runtime.c   the real entries behind them, for each caller
 *   modules.c   the file that a caller is in
 *   sites.c     which loop it is, by the address that it is called from
 *   settings.c  what the environment asks for: which scheme a loop gets
 *   instance.c  one visit of a loop by one team of threads
 *   costs.c     what iterations cost, for schemes that count with it
 *   handout.c   the chunks of a visit, and the time that they take
 *   mapped.c    the file of what was counted
 *   loaded.c    which processes have the library
 *
 * It has data of its own: calls come from programs that know nothing of it. */
#ifndef DLS_OMP_PARTS_H
#define DLS_OMP_PARTS_H

#include "dls/way.h"
#include "dls/omp/counters.h"
#include "harness/comm/source.h"
#include "harness/transport/steal/steal_range.h"
#include "sched/schemes/registry.h"

#include <stdbool.h>
#include <stddef.h>

#define OMP_ENTRY __attribute__((visibility("default")))
#define OMP_LIKELY(x) __builtin_expect(!!(x), 1)

/* ---- modules.c ---- */

/* A loaded file: the program or a library. */
struct module {
    bool known;
    const char *name;    /* as the loader has it; empty: the program */
    uint64_t base;       /* addresses less those in the file */
    uint64_t unloaded;   /* modules of the process that were, until now */
    const void *dynamic; /* what the loader reads of it; NULL: nothing */
    char path[COUNTERS_NAME_MAX];
    char build_id[COUNTERS_ID_SIZE];
};

/* The module that an address is in.  Waits for no thread that opens a
 * library. */
void module_find(const void *address, struct module *found);

/* The function at this address that the module exports; NULL: none.  Nor does
 * this wait. */
const char *module_symbol(const struct module *module, const void *address);

/* The other way: a function that the module exports by this name; NULL: none.
 * And the only module of the process that exports one, if it stays to the end;
 * without its build.  Both wait for nobody. */
const void *module_function(const struct module *module, const char *name);
bool module_that_defines(const char *name, struct module *found);

/* ---- runtime.c ---- */

enum runtime_entry {
#define CHUNKED(name, clause, flags)                                           \
    ENTRY_##name##_start, ENTRY_##name##_next, ENTRY_ull_##name##_start,       \
        ENTRY_ull_##name##_next,
#define PLAIN CHUNKED
#define PARALLEL_CHUNKED(name, clause, flags) ENTRY_parallel_##name,
#define PARALLEL_PLAIN PARALLEL_CHUNKED
#include "dls/omp/gomp.def"
#define ENTRY(name) ENTRY_##name,
#include "dls/omp/others.def"
    ENTRIES
};

struct runtime {
    void (*entry[ENTRIES])(void);          /* NULL: this runtime has none */
    int (*threads)(void), (*thread)(void); /* omp_get_num_threads, ... */
    /* GOMP_loop_start gives memory that the threads of a visit share. */
    bool shares;
    bool llvm; /* it is LLVM's, with libgomp's entries beside its own */
    char file[COUNTERS_NAME_MAX];
};

/* The runtime that the code of this module, or at this address, would call
 * without this library, by the entries of LLVM's compilers or by gcc's.  Never
 * NULL; one without entries where none is found.  The first call may wait for a
 * thread that opens a library: no lock may be held. */
const struct runtime *runtime_of(const struct module *module, bool by_llvm);
const struct runtime *runtime_at(const void *address, bool by_llvm);

/* LLVM's runtime that this address is in is initialized. */
void runtime_begins(const void *address);

/* Nobody else adds a runtime in between: around a fork. */
void runtimes_hold(void);
void runtimes_release(void);

/* ---- settings.c ---- */

/* What a call says of its loop. */
struct clause {
    uint32_t clause, flags;
    int64_t chunk;
    const void *caller; /* who began the region; NULL: not known */
    const char *source; /* see counters.h; NULL: there is none */
    bool by_llvm;       /* its compiler was LLVM's */
};

/* Whether anything is to be done at all; read once. */
struct settings {
    const char *folder; /* NULL: nothing is counted */
    bool schedules;     /* DLS_SCHEDULE is set */
    bool rules;         /* to a file */
    bool dynamic;       /* dynamic and guided loops, too */
    bool records;       /* the costs of iterations */
};
const struct settings *settings(void);

/* By which rules know a loop. */
struct loop_names {
    char function[256], line[512]; /* file:line; empty: not known */
    char build[COUNTERS_NAME_MAX]; /* module, build and offset */
};

/* Those of a loop at this address, where rules may change it.  Asks `dlsbench
 * omp`: no lock may be held. */
void settings_find_names(const struct module *module, const void *address,
                         const struct clause *clause, struct loop_names *names);

/* The way for a loop; NULL: its runtime alone, and `why` says why where that
 * is no matter of course (an empty text otherwise). */
const struct way *settings_choose(const struct counters_site *site,
                                  const struct loop_names *names,
                                  char why[COUNTERS_NAME_MAX]);

/* The way does not take a loop, and says why: one line for each way. */
void settings_refuse(const struct way *way, const struct error *err,
                     char why[COUNTERS_NAME_MAX]);

/* Gives a descriptor to `dlsbench omp`; false: it cannot be reached. */
bool settings_hand_over(int file);

/* One line on stderr. */
void settings_say(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* ---- mapped.c ---- */

/* The counters of this process, in a file where a folder is given; NULL: out
 * of memory. */
struct counters *mapped(void);

/* A thread takes part in a region: at its first one, where it may run is
 * added. */
void mapped_thread(void);

/* ---- sites.c ---- */

struct instance;

struct site {
    _Atomic uintptr_t key;
    struct counters_site *counted;
    const struct runtime *runtime;
    const struct way *way;
    bool measures;
    bool chooses;            /* the way takes some numbers of iterations only */
    bool by_cost;            /* it counts with the costs of iterations */
    bool records;            /* they are recorded */
    bool stamps;             /* one of both: the time of each chunk is taken */
    atomic_bool shown;       /* that the way has handed out chunks */
    struct engine_lock lock; /* of what follows, and of `counted` */
    struct instance *idle;   /* that no visit uses */
    int idles;
    /* Iterations and ticks of each thread in the first visits. */
    int speeds, speed_visits;
    double *speed_iterations, *speed_ticks;
    /* Ticks of the first i iterations, i = 0 .. costs, in the last visit. */
    double *cost;
    int64_t costs;                     /* 0: none are known */
    int64_t recorded, recorded_visits; /* iterations, visits */
};

/* The site of an address and of the clause and flags there, made at its first
 * call; NULL: there is no room for more. */
struct site *site_find(const void *address, const struct clause *clause);

/* Whether the chunks of a visit are the way's: the same for all threads of the
 * team.  Where they are not, the runtime hands them out. */
bool site_takes(struct site *site, uint64_t iterations, int threads);

/* The way hands out chunks, from now on. */
void site_show(struct site *site);

/* Nobody else makes or changes a site in between: around a fork. */
void sites_hold(void);
void sites_release(void);

/* ---- instance.c ---- */

/* Memory that exactly the threads of one visit share, zeroed before it. */
struct slot {
    _Atomic uintptr_t instance;
    _Atomic int32_t left;
};

/* A thread in a visit: the last thread that leaves reads those of all. */
struct member {
    _Alignas(128) uint64_t begin, end; /* engine_ticks */
    int64_t iterations, chunks;
    int64_t sampled, asked;
    double chunk_ticks, chunk_squares, chunk_max, ask_ticks;
    struct source_state state;
    int64_t primed;                /* its own step of a table, -1: none */
    uint64_t cost_since;           /* of its chunk under a scheme by cost */
    int64_t cost_start, cost_size; /* size 0: it has none */
};

/* What a team shares in one visit of a loop. */
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

/* The thread takes part in the visit that `slot` stands for. */
void instance_join(struct frame *frame, struct slot *slot);

/* No thread of the team will come any more: a visit that was not left by all is
 * not counted. */
void instance_abandon(struct slot *slot);

/* The thread has had its last chunk; the last one of the team counts. */
void instance_leave(struct frame *frame);

/* Counts a visit of which only one thread is known. */
void instance_count_alone(struct site *site, uint64_t begin, uint64_t end);

/* ---- costs.c ---- */

/* The table of a visit under a scheme by cost: with the costs of the last
 * visit, where that had as many iterations.  Returns 0 or -errno. */
int costs_begin(struct instance *instance, int64_t iterations,
                struct error *err);

/* Of chunks in any order the one with the last iteration goes out after all
 * others. */
void costs_move_last(struct sched_table *table);

/* Nothing is known of the visit's costs yet. */
void costs_watch(struct instance *instance, int64_t iterations);

/* Around each chunk. */
void costs_begin_chunk(struct frame *frame, const struct chunk *chunk);
void costs_end_chunk(struct frame *frame);

/* The visit is over: its costs are the site's, or recorded.  Under the site's
 * lock. */
void costs_keep(struct site *site, const struct instance *instance);

/* ---- handout.c ---- */

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
    uint64_t since; /* the sampled chunk began, 0: none */
    uint64_t asked; /* it ended, 0: none did */
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

/* A parallel region that the thread is in. */
struct region {
    void (*body)(void *);
    void *data;
    struct site *site;
};

/* What a thread is in. */
enum { FRAMES_INSIDE = 12 };
struct here {
    struct frame *top;
    const struct region *region;
    uint64_t random;
    int used; /* of `inside` */
    struct frame inside[FRAMES_INSIDE];
};
extern __thread struct here here __attribute__((tls_model("initial-exec")));

/* A new frame on top, for the call from this address; never NULL: memory that
 * is not there ends the program. */
struct frame *frame_push(const struct runtime *runtime, struct site *site);
void frame_pop(void);
/* Those above are of loops that were cancelled together with their region. */
void frames_drop(struct frame *top);

/* Those of a task that is over, and perhaps its team with it. */
void frames_forget(const void *task);

/* The thread joins the visit that `slot` stands for, which begins. */
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

/* A request to the runtime begins, and is over: for loops that are only
 * watched. */
void frame_watch_begin(struct frame *frame);
bool frame_watch_end(struct frame *frame, bool more);

#endif
