/* Private declarations shared by the files of the library: dls_open.c opens and
 * closes loops, next.c hands out chunks, schedule.c reads DLS_SCHEDULE.
 * program_schemes.c keeps the schemes of programs.  mpi/ is the library for
 * loops over ranks, which uses this one. */
#ifndef DLS_DLS_INTERNAL_H
#define DLS_DLS_INTERNAL_H

#include "dls/dls.h"
#include "harness/messages/source.h"
#include "sched/schemes/scheme_registry.h"

#include <locale.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Only what the public headers declare leaves the library. */
#define DLS_PUBLIC __attribute__((visibility("default")))

/* The work of one worker so far. */
struct dls_work {
    int64_t out;    /* iterations of the chunk it has, 0: none */
    int64_t run;    /* iterations finished */
    int64_t chunks; /* that it got */
};

/* One worker's end, on separate cache lines. */
struct dls_worker {
    /* Of its source, once the counter alone leads through a table: the short
     * way of dls_next.  NULL: there is more to do.  Copied, because from one
     * step to the next each pointer that must be followed takes its time. */
    _Alignas(128) struct source_counter *counter;
    struct sched_table table;
    /* Its chunks on the short way since the last time on the long one.  Another
     * number would be another store, which the next step has to wait for.  So
     * worker_work derives the others from these two. */
    uint64_t counted; /* next.c says what */
    int64_t last;     /* where the sizes differ: the step of the chunk it has */
    struct dls_work before; /* up to then; the chunk it had is finished now */
    struct source *source;
    union {
        struct source base;
        struct source_table table;
        struct source_state state;
    } own; /* the source of a loop in one process */
    bool asked, left;
    uint64_t busy, ask; /* engine_ticks */
    uint64_t since;     /* it got its chunk */
    uint64_t begun;     /* it asked first */
    uint64_t ended;     /* its last chunk was finished */
};

/* The functions in which a loop over ranks differs. */
struct loop_over {
    /* Returns as dls_next does. */
    int (*next)(dls_loop *loop, int worker, struct chunk *chunk);
    /* The worker leaves: its last chunk is finished, its reserved work goes to
     * others. */
    int (*leave)(dls_loop *loop, int worker);
    int (*again)(dls_loop *loop, int64_t iterations);
    /* In simulation, before a worker asks or leaves: the time of its chunk and
     * of asking passes. */
    void (*pass)(dls_loop *loop, int worker);
    int (*close)(dls_loop *loop, int64_t *unfinished);
};

struct dls_loop {
    const struct loop_over *over; /* NULL: the threads of one process */
    struct dls_worker *worker;
    struct source_counter *counter;
    int workers;
    int code; /* of dls_open: a handle that failed has only its error */
    int64_t iterations;
    int64_t unfinished; /* over ranks: as all of them found last */
    bool measures;      /* stats=1, or DLS_REPORT */
    bool notes;         /* over ranks: every chunk is noted, for its data */

    const struct sched_ops *scheme;
    struct spec spec;
    int64_t min_chunk;
    double *power; /* NULL: equal */
    double *cost;  /* before each iteration; NULL: not known, or not needed */
    int64_t cost_count;
    bool prepared; /* the scheme has begun: `again` continues it */

    struct sched sched;
    struct {
        void *at;
        size_t bytes;
    } memory;                 /* the scheme's state */
    struct sched_table table; /* steps 0: none */
    struct engine_lock *lock; /* of the state */

    struct source_back *back; /* its lock is also the error's */

    struct engine_moment opened;
    struct report *report; /* loop_report.h; NULL: DLS_REPORT asks for none */
    struct error error;
};

/* ---- program_schemes.c ---- */

/* Finds and parses a scheme of the dls_context (NULL: none), else a built-in
 * one.  Returns 0 or -EINVAL. */
int own_parse(const void *context, const char *text,
              const struct sched_ops **ops, struct spec *spec,
              struct error *err);

/* ---- schedule.c ---- */

/* The scheme of a loop, and where it was asked for. */
struct schedule {
    char scheme[SPEC_CANONICAL_MAX];
    char from[SPEC_CANONICAL_MAX]; /* "DLS_SCHEDULE: file:3"; "": the program */
    bool named;                    /* by a line with this very name */
};

/* The scheme that the environment requests for a loop of this name, else that
 * of the program.  Returns 0 or -errno. */
int schedule_resolve(const char *name, const char *given,
                     struct schedule *schedule, struct error *err);

/* ---- dls_costs.c ---- */

/* Keeps the sums of these costs where they are wanted or the scheme needs them;
 * NULL: none.  Returns 0, -EINVAL or -ENOMEM. */
int costs_copy(dls_loop *loop, const double *costs, int64_t count, bool wanted);

/* Whether the costs that the scheme needs are those of the loop that begins.
 * Returns 0 or -EINVAL. */
int costs_check(dls_loop *loop);

/* ---- dls_open.c ---- */

/* The keys of the options' text in every loop, the first of those in any. */
enum { OPTION_MIN_CHUNK, OPTION_STATS, OPTIONS };
#define OPTION_PARAMS                                                          \
    {.key = "min-chunk",                                                       \
     .type = SPEC_INTEGER,                                                     \
     .fallback = "1",                                                          \
     .min = 1,                                                                 \
     .max = 0x1p53,                                                            \
     .help = "smallest chunk"},                                                \
    {                                                                          \
        .key = "stats", .type = SPEC_INTEGER, .fallback = "0", .min = 0,       \
        .max = 1, .help = "1: times are measured"                              \
    }

/* Copies a struct of the program's that begins with its size into one that this
 * library knows, of `known_size` and zeroed.  False: a field that the library
 * does not know is not 0. */
bool copy_sized(const void *given, void *known, size_t known_size);
/* The same of a struct for a loop.  Returns 0 or -EINVAL. */
int loop_copy_sized(dls_loop *loop, const void *given, void *known,
                    size_t known_size, const char *type);
/* An error of one of several threads.  Returns -code. */
int loop_refuse(dls_loop *loop, int code, const char *why);

/* Copies what this library knows of the options (NULL: none), and parses their
 * text.  Sets min_chunk and measures.  Returns 0 or -EINVAL. */
int loop_read_options(dls_loop *loop, const dls_options *options,
                      const struct spec_param *params, dls_options *known,
                      struct spec *text);
/* Returns 0, -EINVAL, or -ENOTSUP for threads in simulation. */
int loop_check(dls_loop *loop, const char *scheme, int64_t iterations,
               int workers, int workers_min);
/* The room of its workers.  Returns 0 or -ENOMEM. */
int loop_allocate(dls_loop *loop);
/* All begins: nothing is counted, and no worker has asked. */
void loop_begin(dls_loop *loop);
struct dls_work worker_work(const struct dls_worker *worker);
int64_t loop_run(const dls_loop *loop);
int loop_refuse_unfinished(dls_loop *loop, int64_t left);
/* Frees what the loop has, not itself. */
void loop_drop(dls_loop *loop);
/* The same of a handle that has failed: it keeps its error alone.  Returns the
 * code. */
int loop_fail(dls_loop *loop, int code);

/* Seconds of a tick, by what both clocks show since the loop began. */
double loop_tick_s(const dls_loop *loop);

/* The program may have set a locale that writes 0.5 as 0,5.  Between the two,
 * this thread reads and writes numbers as in C. */
locale_t numbers_as_in_c(void);
void numbers_as_before(locale_t before);

#endif
