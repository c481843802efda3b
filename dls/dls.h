/* libdls: dynamic loop self-scheduling for the loops of any program.
 *
 * A loop has iterations 0 to I-1.  Workers ask for chunks of consecutive
 * iterations until none is left; a scheme decides how large each chunk is.  The
 * library owns no threads, prints nothing, never ends the program and has no
 * global state: everything is in the handles below.
 *
 *     dls_loop *loop;
 *     if (dls_open(&loop, "fss", iterations, threads, NULL) != 0)
 *         fprintf(stderr, "%s\n", dls_error(loop));
 *     // in each thread, worker = 0 .. threads-1:
 *     int64_t begin, end;
 *     while (dls_next(loop, worker, &begin, &end) == 1)
 *         for (int64_t i = begin; i < end; i++)
 *             work(i);
 *     // when all threads are back:
 *     dls_close(loop, NULL);
 *
 * Errors.  Functions return a negative errno.  After dls_open, dls_next,
 * dls_leave, dls_again and dls_costs, dls_error gives one line that says what
 * is wrong and what is allowed.  Misuse that the library can see is an error;
 * the comments say what it cannot see.
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

/* The version of the library that the program runs with, which may be newer
 * than the DLS_VERSION it was compiled with. */
const char *dls_version(void);

/* One loop, shared by its workers. */
typedef struct dls_loop dls_loop;

/* A set of the program's own schemes, in addition to the built-in ones. */
typedef struct dls_context dls_context;

/* ---- open ---- */

/* Choices other than the scheme.  Set `size` and leave every member that you do
 * not need 0:
 *
 *     dls_options options = {.size = sizeof(options), .name = "rays"};
 *
 * Texts, powers and costs are copied; the context must outlive the loop. */
typedef struct dls_options {
    size_t size; /* sizeof(dls_options) */
    /* The name of this loop in DLS_SCHEDULE and reports; NULL: "loop". */
    const char *name;
    /* key=value,key=value; NULL: none.
     *   min-chunk=n  no chunk is smaller, but the last (default 1)
     *   stats=1      times are measured, for dls_statistics (default 0; costs
     *                two readings of the processor's clock for each chunk) */
    const char *text;
    /* The relative speed of each worker, `workers` positive numbers, for
     * schemes that count with them (wf, dtss, ...); NULL: all are equal. */
    const double *power;
    const dls_context *context; /* NULL: built-in schemes only */
    /* What each iteration costs, `iterations` numbers of 0 and more in any
     * unit, for schemes that count with them (hss, binlpt, static:by=cost);
     * NULL: not known, and those schemes are refused. */
    const double *costs;
} dls_options;

/* Opens a loop.  scheme: a name with its keys, such as "gss" or
 * "css:chunk=64"; `dlsbench list schemes` describes all of them.  iterations:
 * 0 or more.  workers: 1 to 1048576.  options: NULL for none.
 *
 * The environment variable DLS_SCHEDULE replaces the scheme without
 * recompiling: `DLS_SCHEDULE=fss` for every loop, or `DLS_SCHEDULE=@file` for
 * those named in lines `name = scheme` of a file (`#` begins a comment, `* =
 * scheme` is for all other loops).
 *
 * `DLS_REPORT=dir` measures every loop, as stats=1 does, and appends to files
 * in that folder what each did, in each step: lines that the programs of
 * DLSBench make tables of (dlsbench summary dir).  dls_again and dls_close
 * write them; a step with iterations that were not run has none.
 *
 * Returns 0 or a negative errno: -EINVAL for an invalid argument, -ENOMEM, or
 * the reason why the file of DLS_SCHEDULE cannot be read or the folder of
 * DLS_REPORT cannot be written, such as -ENOENT.
 * *loop is a handle in both cases (NULL only without memory), so that
 * dls_error(*loop) has the reason; close it in both cases. */
int dls_open(dls_loop **loop, const char *scheme, int64_t iterations,
             int workers, const dls_options *options);

/* The reason of the last error, one line; "" when there was none.  The text
 * belongs to the loop and changes with its next error.  There is also a
 * text for NULL, which dls_open gives when memory runs out. */
const char *dls_error(const dls_loop *loop);

/* ---- run ---- */

/* The next chunk of this worker: iterations [*begin, *end).  The call means
 * that the worker's chunk before is finished.
 *
 * Returns 1 with a chunk; 0 when there is none for this worker, then *begin
 * and *end are as they were; or a negative errno: -EINVAL for a worker that is
 * out of range, -ESHUTDOWN for one that has left.  Over ranks also -EPERM where
 * only the main thread may ask, -ENOMEM (ask again), or -EIO.
 *
 * Call it from threads of any kind.  A worker number belongs to one thread at
 * a time; two threads with one number at the same time are not noticed.
 * 0 is not a barrier: other workers may still compute.  It may be called again
 * after 0, and gives a chunk if another worker has left and given one back. */
int dls_next(dls_loop *loop, int worker, int64_t *begin, int64_t *end);

/* This worker stops before dls_next returned 0 to it.  Its last chunk is
 * finished.  The chunk that a scheme keeps for it (its block under static, its
 * first chunk under wcss) goes to the workers that ask next.  Then dls_next
 * refuses it until dls_again, which needs all iterations to be finished: when
 * the last worker leaves with work left, dls_close is what remains.  Returns 0
 * or -EINVAL. */
int dls_leave(dls_loop *loop, int worker);

/* The loop is executed once more, a time step for instance, with the same
 * scheme and workers and this number of iterations; all workers may ask again.
 * Schemes that learn keep their knowledge.  One thread calls it, while no other
 * is in dls_next or dls_leave.
 *
 * Returns 0; -EBUSY when iterations were not run: then nothing has changed,
 * and dls_unfinished says how many; -EINVAL for a number below 0: then nothing
 * has changed, either; -EINVAL for a loop that the scheme refuses and -ENOMEM:
 * then only dls_error and dls_close are left; or the reason why DLS_REPORT
 * cannot be written, such as -ENOSPC: then it may be called again.
 */
int dls_again(dls_loop *loop, int64_t iterations);

/* The costs of the iterations from the next dls_again on, as options.costs
 * before the first time; a loop of as many iterations keeps its costs until
 * then.  Called when all iterations are finished.  Returns 0; -EINVAL for costs
 * that are NULL, negative or not finite, -EBUSY, or -ENOMEM: then the costs are
 * as before.  Schemes that use no costs ignore the numbers. */
int dls_costs(dls_loop *loop, const double *costs, int64_t iterations);

/* Unfinished iterations: not handed out, or in the chunk of a worker that has
 * neither asked again nor left.  Call it while no worker is in dls_next.
 * Otherwise it may be off by some chunks in either direction. */
int64_t dls_unfinished(const dls_loop *loop);

/* Frees the loop, in every case; NULL is allowed.  No worker may use it any
 * more, which the library cannot see.  Returns 0; -EBUSY when iterations were
 * not run; *unfinished (NULL: not asked for) has how many; or the reason why
 * DLS_REPORT cannot be written. */
int dls_close(dls_loop *loop, int64_t *unfinished);

/* ---- look ---- */

/* What a loop has done since it was opened or since dls_again.  Times are in
 * seconds, and 0 without the option stats=1. */
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

/* Of one worker, or of all with worker = -1.  Call it as dls_unfinished.
 * Returns 0 or -EINVAL. */
int dls_statistics(const dls_loop *loop, int worker, dls_stats *stats);

/* The scheme of the loop with all its keys, as it was decided by dls_open.
 * The text belongs to the loop. */
const char *dls_scheme_of(const dls_loop *loop);

/* ---- schemes of your own ---- */

/* The loop that a scheme is to cut. */
typedef struct dls_shape {
    int64_t iterations;  /* at least 1 */
    int workers;         /* at least 1 */
    const double *power; /* `workers` entries; NULL: all are equal */
} dls_shape;

/* A key of a scheme, a number: name:key=value.  A table of keys ends with an
 * entry whose name is NULL. */
typedef struct dls_key {
    const char *name;
    double fallback; /* the value where none is given */
    double min, max; /* allowed, both ends included */
    const char *help;
} dls_key;

/* A scheme.  The functions are called by one thread at a time; what they know
 * of a loop is in its state. */
typedef struct dls_scheme {
    size_t size; /* sizeof(dls_scheme) */
    const char *name;
    const dls_key *keys; /* NULL: none; at most 12 */
    size_t state_size;   /* bytes of its state, which is aligned to 8 */
    /* Prepares the state, which is zeroed; called by dls_open, and by dls_again
     * where `again` is NULL.  value: of the keys, in their order.
     * Returns 0; any other value refuses the loop. */
    int (*init)(void *state, const dls_shape *shape, const double *value);
    /* The size of the next chunk, for this worker, of `remaining` iterations
     * (at least 1).  The library raises any number to the smallest chunk and
     * cuts it to what remains. */
    int64_t (*next)(void *state, int worker, int64_t remaining);
    /* The worker took `time` for its last chunk of `size` iterations; the unit
     * is the same for all workers and otherwise not known.  NULL: the scheme
     * does not learn. */
    void (*feedback)(void *state, int worker, int64_t size, double time);
    /* The loop is executed again: begin anew, and keep the acquired knowledge.
     * NULL: init is called on zeroed state. */
    void (*again)(void *state, const dls_shape *shape);
} dls_scheme;

/* Returns 0 or -ENOMEM. */
int dls_context_open(dls_context **context);

/* Adds a scheme; the struct is copied, its name and its keys stay the caller's
 * and outlive the context.  Returns 0; -EINVAL for a scheme without name, init
 * or next, for a name that is too long or has one of `:,=/#@*` or white space,
 * for more than 12 keys, and for a wrong size; -EEXIST when the context has one
 * of that name, or the library has; -ENOMEM. */
int dls_context_add(dls_context *context, const dls_scheme *scheme);

/* No loop may use it any more.  NULL is allowed. */
void dls_context_close(dls_context *context);

#ifdef __cplusplus
}
#endif

#endif
