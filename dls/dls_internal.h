/* Private declarations shared by the files of the library: dls_open.c opens and
 * closes loops, next.c hands out chunks, schedule.c reads DLS_SCHEDULE.
 * program_schemes.c stores the schemes of programs. mpi/ is the library for
 * loops over ranks, which builds on this one. */
#ifndef DLS_DLS_INTERNAL_H
#define DLS_DLS_INTERNAL_H

#include "dls/dls.h"
#include "harness/messages/source.h"
#include "sched/schemes/scheme_registry.h"

#include <locale.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Other symbols than those of the public headers are hidden. */
#define DLS_PUBLIC __attribute__((visibility("default")))

/* The work of one worker so far. */
struct dls_work {
    int64_t out;    /* iterations of its current chunk, 0: none */
    int64_t run;    /* iterations finished */
    int64_t chunks; /* handed out to it */
};

/* The state of one worker, on separate cache lines. */
struct dls_worker {
    /* The source's counter, if chunks come only from it and a table: dls_next
     * then takes a short path.  NULL: it takes the long path.  This is a copy:
     * following a pointer in each step takes time. */
    _Alignas(128) struct source_counter *counter;
    struct sched_table table;
    /* Its chunks on the short path since its last request on the long path.
     * One more member would be one more store before the next step.  So
     * worker_work derives all counts from these two. */
    uint64_t counted;       /* chunks and iterations, coded as in next.c */
    int64_t last;           /* if sizes differ: the step of its current chunk */
    struct dls_work before; /* before that; its chunk is finished */
    struct source *source;
    union {
        struct source base;
        struct source_table table;
        struct source_state state;
    } own; /* the source, if the loop has one process */
    bool asked, left;
    uint64_t busy, ask; /* engine_ticks */
    uint64_t since;     /* when it got its chunk */
    uint64_t begun;     /* when it first asked */
    uint64_t ended;     /* when its last chunk was finished */
};

/* The functions that loops over ranks replace. */
struct loop_over {
    /* Returns as dls_next does. */
    int (*next)(dls_loop *loop, int worker, struct chunk *chunk);
    /* The worker leaves: its last chunk is finished, its reserved work goes to
     * others. */
    int (*leave)(dls_loop *loop, int worker);
    int (*again)(dls_loop *loop, int64_t iterations);
    /* In simulation, before a worker asks or leaves: advances the time by its
     * chunk and the request. */
    void (*pass)(dls_loop *loop, int worker);
    int (*close)(dls_loop *loop, int64_t *unfinished);
};

struct dls_loop {
    const struct loop_over *over; /* NULL: the threads of one process */
    struct dls_worker *worker;
    struct source_counter *counter;
    int workers;
    int code; /* of dls_open; negative: only its error remains */
    int64_t iterations;
    int64_t unfinished; /* over ranks: as last counted over all of them */
    bool measures;      /* stats=1, or DLS_REPORT */
    bool notes;         /* over ranks: data or charges need each chunk */

    const struct sched_ops *scheme;
    struct spec spec;
    int64_t min_chunk;
    double *power; /* NULL: equal */
    double *cost;  /* sums before each iteration; NULL: unknown or not needed */
    int64_t cost_count;
    bool prepared; /* the scheme is initialized: dls_again continues it */

    struct sched sched;
    struct {
        void *at;
        size_t bytes;
    } memory;                 /* the scheme's state */
    struct sched_table table; /* steps 0: none */
    struct engine_lock *lock; /* of the state */

    struct source_back *back; /* its lock is also the error's */

    struct engine_moment opened;
    struct loop_report *report; /* loop_report.h; NULL: without DLS_REPORT */
    struct error error;
};

/* ---- program_schemes.c ---- */

/* Finds and parses a scheme of the dls_context (NULL: none), else a built-in
 * one.  Returns 0 or -EINVAL. */
int own_parse(const void *context, const char *text,
              const struct sched_ops **ops, struct spec *spec,
              struct error *err);

/* ---- schedule.c ---- */

/* The scheme of a loop, and the text that requested it. */
struct schedule {
    char scheme[SPEC_CANONICAL_MAX];
    char from[SPEC_CANONICAL_MAX]; /* "DLS_SCHEDULE: file:3"; "": program */
    bool named;                    /* by a line with this very name */
};

/* The scheme that the environment requests for a loop of this name, else that
 * of the program.  Returns 0 or -errno. */
int schedule_resolve(const char *name, const char *given,
                     struct schedule *schedule, struct error *err);

/* ---- dls_costs.c ---- */

/* Stores the prefix sums of these costs if they are wanted or the scheme needs
 * them; NULL: none.  Returns 0, -EINVAL or -ENOMEM. */
int costs_copy(dls_loop *loop, const double *costs, int64_t count, bool wanted);

/* Whether the loop that begins has the costs that its scheme needs.  Returns 0
 * or -EINVAL. */
int costs_check(dls_loop *loop);

/* ---- dls_open.c ---- */

/* The first keys of the options' text; loops over ranks have more. */
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

/* Copies a struct of the program, which begins with its size, into a zeroed one
 * of `known_size`, the size that this library knows.  False: a member that the
 * library does not know is not 0. */
bool copy_sized(const void *given, void *known, size_t known_size);
/* copy_sized, with the error in the loop.  Returns 0 or -EINVAL. */
int loop_copy_sized(dls_loop *loop, const void *given, void *known,
                    size_t known_size, const char *type);
/* Sets the loop's error, for one of several threads.  Returns -code. */
int loop_refuse(dls_loop *loop, int code, const char *why);

/* Copies the options (NULL: none) as far as this library knows them, and parses
 * their text.  Sets min_chunk and measures.  Returns 0 or -EINVAL. */
int loop_read_options(dls_loop *loop, const dls_options *options,
                      const struct spec_param *params, dls_options *known,
                      struct spec *text);
/* Returns 0, -EINVAL, or -ENOTSUP for threads in simulation. */
int loop_check(dls_loop *loop, const char *scheme, int64_t iterations,
               int workers, int workers_min);
/* Allocates the workers.  Returns 0 or -ENOMEM. */
int loop_allocate(dls_loop *loop);
/* Resets all counts; no worker has asked yet. */
void loop_begin(dls_loop *loop);
struct dls_work worker_work(const struct dls_worker *worker);
int64_t loop_run(const dls_loop *loop);
int loop_refuse_unfinished(dls_loop *loop, int64_t left);
/* Frees the members of the loop, but not the handle. */
void loop_drop(dls_loop *loop);
/* loop_drop after an error: the handle keeps only its error.  Returns the
 * code. */
int loop_fail(dls_loop *loop, int code);

/* Seconds of a tick, measured by both clocks since the loop was opened. */
double loop_tick_s(const dls_loop *loop);

/* The program may have set a locale that writes 0.5 as 0,5.  Between these two
 * calls the thread reads and writes numbers as in C. */
locale_t numbers_as_in_c(void);
void numbers_as_before(locale_t before);

#endif
