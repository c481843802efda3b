/* libdls: dynamic loop self-scheduling for the loops of any program.
 *
 * A loop has iterations 0 to I-1.  Workers ask for chunks of consecutive
 * iterations until none is left; a scheme decides how large each chunk is.  The
 * library creates no threads, prints nothing and never ends the program.  It
 * has no global state: everything is in the handles below.
 *
 *     dls_loop *loop;
 *     if (dls_open(&loop, "fss", iterations, threads, NULL) != 0) {
 *         fprintf(stderr, "%s\n", dls_error(loop));
 *         return 1;
 *     }
 *     // in each thread, worker = 0 .. threads-1:
 *     int64_t begin, end;
 *     while (dls_next(loop, worker, &begin, &end) == 1)
 *         for (int64_t i = begin; i < end; i++)
 *             work(i);
 *     // when all threads are back:
 *     dls_close(loop, NULL);
 *
 * Errors.  Functions return a negative errno.  After dls_open, dls_next,
 * dls_leave, dls_again and dls_costs, dls_error gives the reason in one line:
 * the mistake and the allowed values.  The library reports the misuse that it
 * can detect; the comments name the misuse that it cannot detect.
 *
 * Link with -ldls (pkg-config libdls). */
#ifndef DLS_H
#define DLS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DLS_VERSION "1.0"

/* The version of the library at run time.  It may be newer than DLS_VERSION,
 * the version at compile time. */
const char *dls_version(void);

/* One loop, shared by its workers. */
typedef struct dls_loop dls_loop;

/* A set of the program's own schemes, in addition to the built-in ones. */
typedef struct dls_context dls_context;

/* ---- open ---- */

/* Options of a loop.  Set `size` and leave every member that you do not need 0:
 *
 *     dls_options options = {.size = sizeof(options), .name = "rays"};
 *
 * The library copies texts, powers and costs; the context must outlive the
 * loop. */
typedef struct dls_options {
    size_t size; /* sizeof(dls_options) */
    /* The name of this loop in DLS_SCHEDULE and reports; NULL: "loop". */
    const char *name;
    /* key=value,key=value; NULL: none.
     *     min-chunk=n  the smallest chunk, except for the last (default 1)
     *     stats=1      measure times for dls_statistics (default 0; each chunk
     *                  then costs two readings of the processor's clock) */
    const char *text;
    /* The relative speed of each worker, `workers` positive numbers, for
     * schemes that use powers (wf, dtss, ...); NULL: all are equal. */
    const double *power;
    const dls_context *context; /* NULL: built-in schemes only */
    /* The cost of each iteration in any unit, `iterations` numbers of 0 or
     * more.  Some schemes need them (hss, binlpt, static:by=cost); NULL: costs
     * are unknown, and dls_open refuses those schemes. */
    const double *costs;
} dls_options;

/* Opens a loop.  scheme: a name with its keys, such as "gss" or "css:chunk=64";
 * `dlsbench list schemes` describes all of them.  iterations: 0 or more.
 * workers: 1 to 1048576.  options: NULL for none.
 *
 * The environment variable DLS_SCHEDULE replaces the scheme without
 * recompiling.  `DLS_SCHEDULE=fss` applies to every loop.  `DLS_SCHEDULE=@file`
 * reads lines `name = scheme` from a file (`#` begins a comment; `* = scheme`
 * applies to all other loops).
 *
 * `DLS_REPORT=dir` measures every loop, as stats=1 does.  dls_again and
 * dls_close append a record of each step to files in that folder; `dlsbench
 * summary dir` makes tables of them.  A step with unfinished iterations has no
 * record.
 *
 * Returns 0 or a negative errno: -EINVAL for an invalid argument, -ENOMEM, or
 * the reason why a file failed (-ENOENT, ...): DLS_SCHEDULE's cannot be read,
 * or DLS_REPORT's cannot be written.  After an error *loop is still a handle
 * (NULL only if memory ran out): dls_error(*loop) has the reason.  Close it in
 * any case. */
int dls_open(dls_loop **loop, const char *scheme, int64_t iterations,
             int workers, const dls_options *options);

/* The reason of the last error, one line; "" if there was none.  The text
 * belongs to the loop and changes with its next error.  NULL, which dls_open
 * gives when memory runs out, has a text too. */
const char *dls_error(const dls_loop *loop);

/* ---- run ---- */

/* The next chunk of this worker: iterations [*begin, *end).  The call also
 * reports that the worker has finished its previous chunk.
 *
 * Returns 1 with a chunk; 0 if there is none for this worker (*begin and *end
 * stay as they were); or a negative errno: -EINVAL for a worker number out of
 * range, -ESHUTDOWN for a worker that has left.  Over ranks also -EPERM where
 * only the main thread may ask, -ENOMEM (ask again), or -EIO.
 *
 * Call it from threads of any kind.  A worker number belongs to one thread at a
 * time; the library does not detect two threads with one number.  0 is not a
 * barrier: other workers may still compute.  A worker may call again after 0,
 * and gets a chunk if another worker has left and returned one. */
int dls_next(dls_loop *loop, int worker, int64_t *begin, int64_t *end);

/* The worker stops before dls_next has returned 0 to it.  Its last chunk counts
 * as finished.  A chunk that the scheme reserves for it (its block under
 * static, its first chunk under wcss) goes to the workers that ask next.
 * dls_next refuses the worker until dls_again, which needs all iterations
 * finished: if the last worker leaves with work left, only dls_close remains.
 * Returns 0 or -EINVAL. */
int dls_leave(dls_loop *loop, int worker);

/* Executes the loop once more, for instance as the next time step, with the
 * same scheme and workers and this number of iterations; all workers may ask
 * again.  Schemes that learn keep their knowledge.  One thread calls it while
 * no other is in dls_next or dls_leave.
 *
 * Returns 0; -EBUSY if iterations are unfinished (dls_unfinished counts them)
 * or -EINVAL for a negative number: nothing has changed; the reason why
 * DLS_REPORT cannot be written, such as -ENOSPC: call again.  After -EINVAL for
 * a loop that the scheme refuses, or -ENOMEM, only dls_error and dls_close may
 * be called. */
int dls_again(dls_loop *loop, int64_t iterations);

/* Replaces options.costs from the next dls_again on; a loop with as many
 * iterations keeps its costs until then.  Call it when all iterations are
 * finished.  Returns 0; -EINVAL for costs that are NULL, negative or not
 * finite; -EBUSY; or -ENOMEM.  An error leaves the costs as they were.  Schemes
 * that use no costs ignore them. */
int dls_costs(dls_loop *loop, const double *costs, int64_t iterations);

/* Unfinished iterations: not handed out, or in the chunk of a worker that has
 * neither asked again nor left.  Call it while no worker is in dls_next.
 * Otherwise it may be off by some chunks in either direction. */
int64_t dls_unfinished(const dls_loop *loop);

/* Frees the loop in any case; NULL is allowed.  No worker may use the loop
 * after the call; the library cannot detect it.  Returns 0, -EBUSY if
 * iterations are unfinished, or the reason why DLS_REPORT cannot be written.
 * *unfinished counts those iterations; it may be NULL. */
int dls_close(dls_loop *loop, int64_t *unfinished);

/* ---- look ---- */

/* Totals of a loop since dls_open or dls_again.  Times are in seconds, and 0
 * without the option stats=1. */
typedef struct dls_stats {
    size_t size;        /* sizeof(dls_stats), set by the caller */
    int64_t iterations; /* finished */
    int64_t chunks;     /* handed out */
    double busy_s;      /* in chunks, sum over the workers */
    double ask_s;       /* in dls_next, sum over the workers */
    /* The longest busy time of a worker divided by the mean, minus 1; 0 for
     * one worker. */
    double imbalance;
} dls_stats;

/* Totals of one worker, or of all with worker = -1.  Call it while no worker is
 * in dls_next.  Returns 0 or -EINVAL. */
int dls_statistics(const dls_loop *loop, int worker, dls_stats *stats);

/* The scheme of the loop with all its keys, as dls_open chose it.  The text
 * belongs to the loop. */
const char *dls_scheme_of(const dls_loop *loop);

/* ---- the program's own schemes ---- */

/* A loop that a scheme divides into chunks. */
typedef struct dls_shape {
    int64_t iterations;  /* at least 1 */
    int workers;         /* at least 1 */
    const double *power; /* `workers` entries; NULL: all are equal */
} dls_shape;

/* A numeric key of a scheme: name:key=value.  A table of keys ends with an
 * entry whose name is NULL. */
typedef struct dls_key {
    const char *name;
    double fallback; /* the value where none is given */
    double min, max; /* allowed, both ends included */
    const char *help;
} dls_key;

/* A scheme.  One thread at a time calls the functions.  Everything that they
 * know of a loop is in its state. */
typedef struct dls_scheme {
    size_t size; /* sizeof(dls_scheme) */
    const char *name;
    const dls_key *keys; /* NULL: none; at most 12 */
    size_t state_size;   /* bytes of its state, aligned to 8 */
    /* Prepares the zeroed state; called by dls_open, and by dls_again where
     * `again` is NULL.  value: the values of the keys, in their order.  Returns
     * 0; any other value refuses the loop. */
    int (*init)(void *state, const dls_shape *shape, const double *value);
    /* The size of this worker's next chunk, with `remaining` iterations left
     * (at least 1).  The library raises it to the smallest chunk and limits it
     * to the remaining iterations. */
    int64_t (*next)(void *state, int worker, int64_t remaining);
    /* The worker took `time` for its last chunk of `size` iterations.  The unit
     * is unknown, but the same for all workers.  NULL: the scheme does not
     * learn. */
    void (*feedback)(void *state, int worker, int64_t size, double time);
    /* The loop is executed again: start over, but keep the learned knowledge.
     * NULL: the library zeroes the state and calls init. */
    void (*again)(void *state, const dls_shape *shape);
} dls_scheme;

/* Returns 0 or -ENOMEM. */
int dls_context_open(dls_context **context);

/* Adds a scheme.  The struct is copied; its name and keys belong to the caller
 * and must outlive the context.  Returns 0, or: -EINVAL: no name, init or next;
 * a name too long or with white space or one of `:,=/#@*`; more than 12 keys;
 * or a wrong size; -EEXIST: the context or the library has a scheme of that
 * name; -ENOMEM. */
int dls_context_add(dls_context *context, const dls_scheme *scheme);

/* Frees a context that no loop uses any more.  NULL is allowed. */
void dls_context_close(dls_context *context);

#ifdef __cplusplus
}
#endif

#endif
