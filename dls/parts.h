/* The private parts of the library, shared by its files: open.c opens and
 * closes loops, next.c hands out, schedule.c reads DLS_SCHEDULE, context.c
 * keeps the schemes of programs. */
#ifndef DLS_PARTS_H
#define DLS_PARTS_H

#include "dls/dls.h"
#include "harness/comm/source.h"
#include "sched/schemes/registry.h"

#include <locale.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Only what the public headers declare leaves the library. */
#define DLS_PUBLIC __attribute__((visibility("default")))

/* One worker's end, on separate cache lines. */
struct dls_worker {
    /* The counter alone leads through a table: the short way of dls_next.  If
     * not, there is more to do. */
    _Alignas(128) bool counts;
    int64_t out;    /* iterations of the chunk it has, 0: none */
    int64_t run;    /* iterations finished */
    int64_t chunks; /* that it got */
    union {
        struct source base;
        struct source_table table;
        struct source_state state;
    } source;
    bool asked, left;
    uint64_t busy, ask; /* engine_ticks */
    uint64_t since;     /* it got its chunk */
};

struct dls_loop {
    struct dls_worker *worker;
    struct source_counter *counter;
    int workers;
    int code; /* of dls_open: a handle that failed has only its error */
    int64_t iterations;
    bool measures; /* stats=1 */

    const struct sched_ops *scheme;
    struct spec spec;
    const dls_scheme *own; /* a scheme of the program's; NULL: a built-in one */
    int64_t min_chunk;
    double *power; /* NULL: equal */
    double *cost;  /* before each iteration; NULL: not known, or not needed */
    int64_t cost_count;
    bool prepared; /* the scheme has begun: `again` continues it */

    struct sched sched;
    void *memory; /* the scheme's state */
    size_t memory_bytes;
    struct sched_table table; /* steps 0: none */
    struct engine_lock *lock; /* of the state */

    /* Chunks that workers have given back, under their lock. */
    struct engine_lock back_lock;
    _Atomic int back_count;
    struct chunk *back;

    /* One moment on both clocks. */
    double opened_s;
    uint64_t opened_ticks;
    struct error error;
};

/* ---- context.c ---- */

/* A loop as the schemes see it.  sched hands its address on as it is, so that
 * the functions of a program's scheme find the program's. */
struct own_loop {
    struct sched_loop base; /* first */
    const dls_scheme *own;
};

/* Finds and parses a scheme of the context (NULL: none), else a built-in one;
 * then *own is NULL.  Returns 0 or -EINVAL. */
int own_parse(const dls_context *context, const char *text,
              const struct sched_ops **ops, struct spec *spec,
              const dls_scheme **own, struct error *err);

/* ---- schedule.c ---- */

/* The scheme of a loop, and where it was asked for. */
struct schedule {
    char scheme[SPEC_CANONICAL_MAX];
    char from[SPEC_CANONICAL_MAX]; /* "DLS_SCHEDULE: file:3"; "": the program */
    bool named;                    /* by a line with this very name */
};

/* What the environment asks for, for a loop of this name, else what the program
 * gives.  Returns 0 or -errno. */
int schedule_resolve(const char *name, const char *given,
                     struct schedule *schedule, struct error *err);

/* ---- costs.c ---- */

/* Keeps the sums of these costs where the scheme needs them; NULL: none.
 * Returns 0, -EINVAL or -ENOMEM. */
int costs_copy(dls_loop *loop, const double *costs, int64_t count);

/* Whether the costs that the scheme needs are those of the loop that begins.
 * Returns 0 or -EINVAL. */
int costs_check(dls_loop *loop);

/* ---- open.c ---- */

/* The program may have set a locale that writes 0.5 as 0,5.  Between the two,
 * this thread reads and writes numbers as in C. */
locale_t numbers_as_in_c(void);
void numbers_as_before(locale_t before);

#endif
