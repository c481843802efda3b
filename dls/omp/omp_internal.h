/* The private parts of the preload library, shared by its files (frames.h goes
 * on):
 *
 *   gomp*.c        the entries of libgomp that it stands in front of
 *   locks.c        those of locks, whoever's they are
 *   kmpc.c         those of LLVM's libomp
 *   ompt.c         the teams of libomp
 *   runtime.c      the real entries behind them, for each caller
 *   modules.c      the file that a caller is in
 *   sites.c        which loop it is, by the address that it is called from
 *   settings.c     what the environment asks for: which scheme a loop gets
 *   instance.c     one visit of a loop by one team of threads
 *   omp_costs.c    what iterations cost, for schemes that count with it
 *   omp_handout.c  the chunks of a visit, and the time that they take
 *   omp_blocks.c   static loops of the program itself, cut in blocks
 *   omp_team.c     the threads of a region from one barrier to the next
 *   omp_watch.c    what threads lose to others: cores, and locks;
 *                  how much of the time they are in regions
 *   mapped.c       the file of what was counted; who has the library
 *
 * It has data of its own: calls come from programs that know nothing of it. */
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
    const char *name;    /* as the loader has it; empty: the program */
    uint64_t base;       /* addresses less those in the file */
    uint64_t unloaded;   /* modules of the process that were, until now */
    const void *dynamic; /* what the loader reads of it; NULL: nothing */
    char path[COUNTERS_NAME_MAX];
    char build_id[COUNTERS_ID_SIZE];
};

/* The module of an address.  Never waits for a thread that opens a library. */
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
#define ENTRY(symbol) ENTRY_##symbol,
#include "dls/omp/gomp.def"
    ENTRIES
};

struct runtime {
    void (*entry[ENTRIES])(void); /* NULL: this runtime has none */
    /* omp_get_num_threads, omp_get_thread_num, omp_get_max_threads */
    int (*threads)(void), (*thread)(void), (*most)(void);
    /* GOMP_loop_start gives memory that the threads of a visit share. */
    bool shares;
    bool llvm; /* it is LLVM's, with libgomp's entries beside its own */
    char file[COUNTERS_NAME_MAX];
};

/* The runtime that this module, or the code at this address, would call without
 * this library, by the entries of LLVM's compilers or by gcc's.  Never NULL; if
 * none is found, one without entries.  The first call may wait for a thread
 * that opens a library: hold no lock. */
const struct runtime *runtime_of(const struct module *module, bool by_llvm);
const struct runtime *runtime_at(const void *address, bool by_llvm);

/* LLVM's runtime that this address is in is initialized. */
void runtime_begins(const void *address);

/* Nobody else adds a runtime in between: around a fork. */
void runtimes_hold(void);
void runtimes_release(void);

/* ---- settings.c ---- */

struct site;

/* The properties of a loop that its call tells. */
struct clause {
    uint32_t clause, flags;
    int64_t chunk;
    const void *caller;        /* who began the region; NULL: not known */
    const struct site *region; /* NULL: that which the thread is in */
    const char *source;        /* see omp_counters.h; NULL: there is none */
    bool by_llvm;              /* its compiler was LLVM's */
};

/* Whether anything is to be done at all; read once. */
struct settings {
    const char *folder; /* NULL: nothing is counted */
    bool schedules;     /* DLS_SCHEDULE is set */
    bool rules;         /* to a file */
    bool dynamic;       /* also dynamic and guided loops */
    bool checked;       /* of static ones also those that may depend on it */
    const char *tables; /* of static loops; NULL: they are left alone */
    bool records;       /* the costs of iterations */
    bool strips;        /* threads over time */
};
const struct settings *settings(void);

/* By which rules know a loop. */
struct loop_names {
    char function[256], line[512]; /* file:line; empty: not known */
    char build[COUNTERS_NAME_MAX]; /* module, build and offset */
};

/* The names of a loop at this address, if rules may change it.  Asks `dlsbench
 * omp`: hold no lock. */
void settings_find_names(const struct module *module, const void *address,
                         const struct clause *clause, struct loop_names *names);

/* The strategy for a loop; NULL: its runtime alone, and `why` says why where
 * that is no matter of course (an empty text otherwise). */
const struct strategy *settings_choose(const struct counters_site *site,
                                       const struct loop_names *names,
                                       char why[COUNTERS_NAME_MAX]);

/* The strategy does not take a loop, and says why: one line for each strategy.
 */
void settings_refuse(const struct strategy *strategy, const struct error *err,
                     char why[COUNTERS_NAME_MAX]);

/* Gives a descriptor to `dlsbench omp`; false: it cannot be reached. */
bool settings_hand_over(int file);

/* One line on stderr. */
void settings_say(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* The memory; without it the process says what it was for, and ends. */
void *settings_need(void *memory, const char *what);

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
    const struct strategy *strategy;
    bool measures;
    bool chooses;      /* the strategy takes some numbers of iterations only */
    bool by_cost;      /* it counts with the costs of iterations */
    bool records;      /* they are recorded */
    bool stamps;       /* one of both: the time of each chunk is taken */
    atomic_bool shown; /* that the strategy has handed out chunks */
    struct engine_lock lock; /* of what follows, and of `counted` */
    struct instance *idle;   /* that no visit uses */
    int idles;
    struct team *team;     /* that no region uses: omp_team.h */
    struct blocks *blocks; /* of a region that may be cut; NULL: it is not */
    const void *address;
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

/* The site of a part of a region between two calls of barriers, NULL: its begin
 * or end. */
struct site *site_find_part(struct site *region, const void *from,
                            const void *to);

/* Whether the chunks of a visit are the strategy's: the same for all threads of
 * the team.  Where they are not, the runtime hands them out. */
bool site_takes(struct site *site, uint64_t iterations, int threads);

/* The strategy hands out chunks, from now on. */
void site_show(struct site *site);

/* Nobody else makes or changes a site in between: around a fork. */
void sites_hold(void);
void sites_release(void);

#endif
