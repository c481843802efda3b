/* The private declarations of the preload library (continued in frames.h):
 *
 *   gomp*.c        replace the entries of libgomp
 *   locks.c        the entries of locks, in any runtime
 *   kmpc.c         those of LLVM's libomp
 *   ompt.c         the teams of libomp
 *   runtime.c      the runtime's functions behind the entries, for each caller
 *   modules.c      the file that a caller is in
 *   sites.c        finds the loop by the address of its call
 *   settings.c     the environment: which scheme a loop gets
 *   instance.c     one visit of a loop by one team of threads
 *   omp_costs.c    the costs of iterations, for schemes that use them
 *   omp_handout.c  hands out the chunks of a visit and times them
 *   omp_blocks.c   cuts static loops of the program in blocks
 *   omp_team.c     the threads of a region from one barrier to the next
 *   omp_watch.c    time that threads lose to other programs and locks;
 *                  the time line of regions
 *   mapped.c       the file of the counts; which processes have the library
 *
 * It has global data: programs call it without a handle. */
#ifndef DLS_OMP_OMP_INTERNAL_H
#define DLS_OMP_OMP_INTERNAL_H

#include "dls/omp/omp_counters.h"
#include "dls/strategy.h"
#include "harness/messages/source.h"
#include "harness/transport/steal/steal_range.h"
#include "sched/schemes/scheme_registry.h"

#include <stdbool.h>
#include <stddef.h>

#define OMP_ENTRY __attribute__((visibility("default")))
#define OMP_LIKELY(x) __builtin_expect(!!(x), 1)

/* ---- modules.c ---- */

/* A loaded file: the program or a library. */
struct module {
    bool known;
    const char *name;    /* from the loader; empty: the program */
    uint64_t base;       /* load address less the address in the file */
    uint64_t unloaded;   /* modules of the process that were unloaded before */
    const void *dynamic; /* its dynamic section; NULL: unknown */
    char path[COUNTERS_NAME_MAX];
    char build_id[COUNTERS_ID_SIZE];
};

/* The module of an address.  Never waits for a thread that opens a library. */
void module_find(const void *address, struct module *found);

/* The function at this address that the module exports; NULL: none.  Never
 * waits either. */
const char *module_symbol(const struct module *module, const void *address);

/* module_function: the address of the function that a module exports by this
 * name; NULL: none. module_that_defines: the only module that exports it, if it
 * is never unloaded; without its build ID.  Neither waits for other threads. */
const void *module_function(const struct module *module, const char *name);
bool module_that_defines(const char *name, struct module *found);

/* ---- runtime.c ---- */

enum runtime_entry {
#define ENTRY(symbol) ENTRY_##symbol,
#include "dls/omp/gomp.def"
    ENTRIES
};

struct runtime {
    void (*entry[ENTRIES])(void); /* NULL: missing in this runtime */
    /* omp_get_num_threads, omp_get_thread_num, omp_get_max_threads */
    int (*threads)(void), (*thread)(void), (*most)(void);
    /* GOMP_loop_start returns memory that the threads of a visit share. */
    bool shares;
    bool llvm; /* LLVM's, which also has libgomp's entries */
    char file[COUNTERS_NAME_MAX];
};

/* The runtime that this module, or the code at this address, would call without
 * this library, by the entries of LLVM's compilers or by gcc's.  Never NULL: if
 * none is found, it has no entries.  The first call may wait for a thread that
 * opens a library: hold no lock. */
const struct runtime *runtime_of(const struct module *module, bool by_llvm);
const struct runtime *runtime_at(const void *address, bool by_llvm);

/* Called when LLVM's runtime with this address is initialized. */
void runtime_begins(const void *address);

/* Around a fork: no other thread adds a runtime in between. */
void runtimes_hold(void);
void runtimes_release(void);

/* ---- settings.c ---- */

struct loop_site;

/* The properties of a loop that are known from its call. */
struct clause {
    uint32_t clause, flags;
    int64_t chunk;
    const void *caller;             /* that began the region; NULL: not known */
    const struct loop_site *region; /* NULL: the thread's current region */
    const char *source;             /* see omp_counters.h; NULL: none */
    bool by_llvm;                   /* compiled by LLVM's compiler */
};

/* The environment's requests, read once. */
struct settings {
    const char *folder; /* NULL: nothing is counted */
    bool schedules;     /* DLS_SCHEDULE is set */
    bool rules;         /* DLS_SCHEDULE names a file of rules */
    bool dynamic;       /* also change dynamic and guided loops */
    bool checked;       /* also change static ones that may depend on it */
    const char *tables; /* of static loops; NULL: do not change them */
    bool records;       /* record the costs of iterations */
    bool strips;        /* record the time line of threads */
};
const struct settings *settings(void);

/* The names by which rules can select a loop. */
struct loop_names {
    char function[256], line[512]; /* file:line; empty: not known */
    char build[COUNTERS_NAME_MAX]; /* module, build and offset */
};

/* The names of a loop at this address, if rules may change it.  Asks `dlsbench
 * omp`: hold no lock. */
void settings_find_names(const struct module *module, const void *address,
                         const struct clause *clause, struct loop_names *names);

/* The strategy for a loop.  NULL: the runtime's; `why` gives the reason, or is
 * empty if no rule asks for another. */
const struct strategy *settings_choose(const struct counters_site *site,
                                       const struct loop_names *names,
                                       char why[COUNTERS_NAME_MAX]);

/* The strategy refuses a loop: sets `why`, and prints a line once per
 * strategy. */
void settings_refuse(const struct strategy *strategy, const struct error *err,
                     char why[COUNTERS_NAME_MAX]);

/* Sends a descriptor to `dlsbench omp`.  False: it cannot be reached. */
bool settings_hand_over(int file);

/* Prints one line on stderr. */
void settings_say(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* Returns the memory; NULL: reports what it was for and ends the process. */
void *settings_need(void *memory, const char *what);

/* ---- mapped.c ---- */

/* The counters of this process, in a file if a folder is given.  NULL: out of
 * memory. */
struct counters *mapped(void);

/* Called by a thread in a region: at its first one, adds the cores it may
 * use. */
void mapped_thread(void);

/* ---- sites.c ---- */

struct instance;

struct loop_site {
    _Atomic uintptr_t key;
    struct counters_site *counted;
    const struct runtime *runtime;
    const struct strategy *strategy;
    bool measures;
    bool chooses;      /* the strategy takes some numbers of iterations only */
    bool by_cost;      /* it uses the costs of iterations */
    bool records;      /* the costs are recorded */
    bool stamps;       /* by_cost or records: each chunk is timed */
    atomic_bool shown; /* the strategy has handed out chunks */
    struct engine_lock lock; /* of the following members and of `counted` */
    struct instance *idle;   /* instances that no visit uses */
    int idles;
    struct team *team;     /* teams that no region uses: omp_team.h */
    struct cutter *blocks; /* of a region that may be cut; NULL: not cut */
    const void *address;
    /* Iterations and ticks of each thread in the first visits. */
    int speeds, speed_visits;
    double *speed_iterations, *speed_ticks;
    /* Ticks of the first i iterations, i = 0 .. costs, in the last visit. */
    double *cost;
    int64_t costs;                     /* 0: unknown */
    int64_t recorded, recorded_visits; /* iterations, visits */
};

/* The site for an address, clause and flags, made at the first call.  NULL: the
 * table is full. */
struct loop_site *site_find(const void *address, const struct clause *clause);

/* The site of a part of a region, between two calls of barriers.  NULL: the
 * region's begin or end. */
struct loop_site *site_find_part(struct loop_site *region, const void *from,
                                 const void *to);

/* Whether the strategy hands out the chunks of a visit, the same for all
 * threads of the team.  Otherwise the runtime does. */
bool site_takes(struct loop_site *site, uint64_t iterations, int threads);

/* Records that the strategy has handed out chunks. */
void site_show(struct loop_site *site);

/* Around a fork: no other thread makes or changes a site in between. */
void sites_hold(void);
void sites_release(void);

#endif
