/* Chunk arithmetic: how many iterations the next request gets.
 *
 * Pure: no MPI, no threads, no clock, no input or output.  A scheme is one file
 * that ends in one `const struct sched_ops`, plus one line in
 * sched/schemes/schemes.def.  The state of a scheme is flat memory without
 * pointers, so that it may be in a window shared by several processes.
 *
 * Words and symbols: I iterations, p workers, C_i the size of chunk i, V_j the
 * power of worker j, R the iterations not yet handed out. */
#ifndef SCHED_SCHED_H
#define SCHED_SCHED_H

#include "base/error.h"
#include "base/spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Consecutive iterations [start, start + size) handed out in one step. */
struct chunk {
    int64_t start;
    int64_t size;
    int64_t step; /* position in the sequence, from 0 */
};

/* The loop to schedule. */
struct sched_table;
struct sched_loop {
    int64_t iterations;  /* I, at least 1 */
    int workers;         /* p, at least 1 */
    const double *power; /* V_j, p entries, each > 0; NULL: all equal 1 */

    /* The next two are never copied into a state: they stay the caller's while
     * the loop is scheduled, in every process that calls for it. */

    /* The costs of the iterations, in any unit: cost[i] is the cost of all
     * before iteration i, I + 1 ascending entries.  Only differences count, so
     * a part of a loop has the entries from its first on.  NULL: unknown. */
    const double *cost;
    /* The chunks of a scheme with `order`, made by sched_table_build. */
    const struct sched_table *order;
};

/* The size depends on the asking worker (only through its power): with equal
 * powers the sequence is the same for every order of requests. */
#define SCHED_BY_POWER 1u
/* The first chunk of every worker is set before the loop starts, in the order
 * of decreasing power (equal powers: by worker number), and is kept for it:
 * static blocks, and wcss's "fast workers are served first". */
#define SCHED_PRIMED 2u

/* feedback wants the time from one request of the worker to its next; without
 * the flag, that from getting a chunk to the next request. */
#define SCHED_WHOLE_TIME 4u

/* Knowledge from one repetition of the loop is meant for the next. */
#define SCHED_KEEPS 8u

/* The scheme counts with the costs of iterations and needs sched_loop.cost: it
 * has next_by_cost. */
#define SCHED_NEEDS_COST 16u

/* Preset first chunks: worker j always gets the j-th, whatever the powers, each
 * time the loop is executed. */
#define SCHED_BY_NUMBER 32u

/* feedback wants seconds; without the flag, any unit. */
#define SCHED_SECONDS 64u

/* This worker never gets a chunk; while first chunks are set before the loop:
 * no first chunk. */
#define SCHED_NO_CHUNK INT64_MIN

struct sched_ops {
    /* Short name: file, option, result column and plot use this one. */
    const char *name;
    /* A second name accepted in specs, or NULL; results record `name`. */
    const char *alias;
    /* Paper, with equation or algorithm. */
    const char *citation;
    /* One line: the formula in words, for `dlsbench list schemes`. */
    const char *summary;
    /* Keys of the spec; required, a table of one empty entry when none. */
    const struct spec_param *params;
    /* The meaning of a spec without keys, e.g. "qss:delta=3", where two keys
     * exclude each other and none can have a fallback.  NULL: the spec
     * itself. */
    const char *bare;
    unsigned flags;

    /* Further flags of a spec with these keys, except SCHED_PRIMED.
     * Optional. */
    unsigned (*more_flags)(const struct spec *spec);

    /* Refuses keys that contradict each other, while the spec is parsed and
     * before there is a loop.  Returns 0 or -EINVAL with a text.  Optional. */
    int (*check)(const struct spec *spec, struct error *err);

    /* The table of a spec with these keys in place of this one, of the same
     * name and keys.  Optional. */
    const struct sched_ops *(*variant)(const struct spec *spec);

    /* The scheme counts with available powers A instead of V.  Then
     * sched_loop's power is V/Q, with Q threads in the run queue of that
     * worker's core, and this returns the scheme's A for it; 0: this worker
     * gets no chunks.  NULL: it counts with V. */
    double (*available)(const struct spec *spec, double power);

    /* Bytes of its state, and further bytes for each worker; multiples of 8. */
    size_t state_size, worker_size;

    /* Called once per loop before the first request; the state is zeroed.
     * The loop and its powers are gone after the call: copy what is needed.
     * spec->value[] is in the order of params.  Returns 0 or -EINVAL with a
     * text (e.g. first < last).  Optional. */
    int (*init)(void *state, const struct sched_loop *loop,
                const struct spec *spec, struct error *err);

    /* Called once per request, by one caller at a time.  `remaining` is R, at
     * least 1.  Returns the size the formula gives, whatever it is: the
     * caller raises it to the run's minimum chunk (at least 1) and clamps it
     * to what remains.  SCHED_NO_CHUNK: this worker gets none.  Required, but
     * where every spec needs costs or has an order. */
    int64_t (*next)(void *state, int worker, int64_t remaining);

    /* In place of next under SCHED_NEEDS_COST.  cost[n] - cost[0] is the cost
     * of the next n iterations, n = 0 .. remaining. */
    int64_t (*next_by_cost)(void *state, int worker, int64_t remaining,
                            const double *cost);

    /* For chunks that do not ascend: instead of next, sets all of them at once,
     * by step, in `chunk`.  `chunk` has room for *count (order_room at least, I
     * at most).  Each has min_chunk iterations or more, if the loop has.  Such
     * a scheme sets no first chunks and learns nothing.  Sets *count.  Returns
     * 0 or -ENOMEM.  Optional. */
    int (*order)(const struct sched_loop *loop, const struct spec *spec,
                 int64_t min_chunk, struct chunk *chunk, int64_t *count);
    int64_t (*order_room)(const struct sched_loop *loop,
                          const struct spec *spec);

    /* For schemes that learn while the loop runs: this worker has finished a
     * chunk of this scheme, `size` iterations in `time`.  All workers of the
     * loop use the same unit of time, which means nothing without
     * SCHED_SECONDS.  time may be 0 or less if a clock is too coarse.
     *
     * Called as next is, by one caller at a time, before the worker's next
     * request, or before the one after if requests leave early.  The last
     * chunks may go unreported.  Such a sequence cannot have a table.
     * Optional. */
    void (*feedback)(void *state, int worker, int64_t size, double time);

    /* The loop is executed again, by the same workers with the same powers: a
     * time step, or the next range that a master cuts; its number of iterations
     * may differ.  Keeps the acquired knowledge and begins the chunks anew,
     * preset first chunks included.  NULL: init is called instead, on zeroed
     * state.  Optional. */
    void (*again)(void *state, const struct sched_loop *loop);

    /* All chunks have this one size (ss, css): then a step number alone gives
     * the chunk and no table is needed.  Optional. */
    int64_t (*fixed_size)(const void *state);

    /* A remark for the user about this loop under this scheme, e.g. "D is 0:
     * all chunks have 781 iterations".  Leaves text empty if there is none.
     * Optional. */
    void (*note)(const void *state, char *text, size_t size);

    /* For a scheme made while the program runs; NULL: it has a file here. */
    const struct sched_made *made;
};

/* The hooks of a scheme made while the program runs, which receive its table.
 * Each replaces the hook of the same name in sched_ops, where feedback and
 * again then only say, by not being NULL, that they exist.  The size may depend
 * on the asking worker in any way: such a sequence cannot have a table. */
struct sched_made {
    int (*init)(const struct sched_ops *ops, void *state,
                const struct sched_loop *loop, const struct spec *spec,
                struct error *err);
    int64_t (*next)(const struct sched_ops *ops, void *state, int worker,
                    int64_t remaining);
    void (*feedback)(const struct sched_ops *ops, void *state, int worker,
                     int64_t size, double time);
    void (*again)(const struct sched_ops *ops, void *state,
                  const struct sched_loop *loop);
};

/* ---- one loop under one scheme ---- */

/* Shared by all workers, flat, without pointers.  Fields are private to
 * sched/sched.c; the struct is here so that its place can be chosen. */
struct sched_head {
    int64_t iterations;
    int64_t min_chunk;
    int64_t next_start;
    int64_t next_step;
    int32_t workers;
    int32_t primed; /* number of primed entries: workers or 0 */
    int32_t kept;   /* steps below it were set for one worker each */
    int32_t spare;
    int64_t state_offset;
    /* followed by: struct sched_primed[primed], then the scheme's state */
};

/* A process's view of a loop.  Several processes may each have a view of one
 * head in shared memory.  The functions below do not lock: the caller ensures
 * that only one runs at a time. */
struct sched {
    const struct sched_ops *ops;
    struct sched_head *head;
    /* The loop's, outside the state; NULL if the scheme does not use them. */
    const double *cost;
    const struct sched_table *order;
};

/* All flags of the scheme with these keys. */
unsigned sched_flags(const struct sched_ops *ops, const struct spec *spec);

/* Powers further apart than this are a mistake, and the powers of dtss as whole
 * numbers must fit 32 bits. */
#define SCHED_POWER_RATIO_MAX 1e9

/* Bytes that sched_init needs for this loop. */
size_t sched_bytes(const struct sched_ops *ops, const struct sched_loop *loop);

/* Whether sched_init accepts the loop, except for memory and order.  Returns 0
 * or -EINVAL. */
int sched_check(const struct sched_ops *ops, const struct spec *spec,
                const struct sched_loop *loop, int64_t min_chunk,
                struct error *err);

/* Prepares a loop in `memory` (sched_bytes bytes, aligned to 8).  min_chunk
 * is the run's minimum chunk, at least 1 (Han: 5).  Checks the loop: I >= 1,
 * p >= 1, powers finite, > 0 and at most SCHED_POWER_RATIO_MAX apart, costs or
 * an order where the scheme needs them.  Allocates nothing.  Returns 0 or
 * -EINVAL. */
int sched_init(struct sched *sched, void *memory, const struct sched_ops *ops,
               const struct spec *spec, const struct sched_loop *loop,
               int64_t min_chunk, struct error *err);

/* The loop of a sched that sched_init has prepared is executed once more, or
 * another with the same scheme, workers, powers and minimum chunk: a scheme
 * that learns keeps its knowledge.  Returns 0, or -EINVAL where the scheme
 * refuses this other loop, as sched_init does. */
int sched_again(struct sched *sched, const struct spec *spec,
                const struct sched_loop *loop);

/* Views a loop that another process has prepared in shared memory; `loop` is
 * the same. */
void sched_attach(struct sched *sched, void *memory,
                  const struct sched_ops *ops, const struct spec *spec,
                  const struct sched_loop *loop);

/* The next chunk for this worker: its primed one first, if the scheme has them.
 * Returns false if nothing is left for it (and then always). */
bool sched_next(struct sched *sched, int worker, struct chunk *chunk);

/* The chunk that was set for this worker before the loop; false: none, or it
 * has it. */
bool sched_take_primed(struct sched *sched, int worker, struct chunk *chunk);

/* For callers that count the chunks themselves, with schemes without first
 * chunks and without order: the size of the next chunk when `remaining` are
 * left, at least 1; raised to the minimum chunk and clamped.  0: this worker
 * gets none. */
int64_t sched_next_size(const struct sched *sched, int worker,
                        int64_t remaining);

/* Tells a scheme that learns the time of a chunk; see sched_ops.feedback, which
 * must not be NULL. */
void sched_feedback(const struct sched *sched, int worker, int64_t size,
                    double time);

/* Whether one sequence holds for every order of requests: the loop can have a
 * table. */
bool sched_has_sequence(const struct sched_ops *ops, const struct spec *spec,
                        const struct sched_loop *loop);

/* The size of every chunk but the last, where the scheme has one for all (at
 * least the run's minimum chunk); otherwise 0. */
int64_t sched_fixed_size(const struct sched *sched);

/* The scheme's note on this loop, an empty text when it has none. */
void sched_note(const struct sched *sched, char *text, size_t size);

/* ---- tables: chunk starts of a sequence independent of the asking worker */

#define SCHED_TABLE_STEPS_MAX ((int64_t)1 << 22)

struct sched_table {
    int64_t steps;      /* number of chunks */
    int64_t fixed_size; /* > 0: chunk of step s starts at s * fixed_size */
    int64_t iterations;
    int64_t *start; /* steps + 1 entries, start[steps] = I; NULL when fixed */
    int64_t *end;   /* of each step: start + 1 where chunks ascend, else apart;
                       NULL when fixed */
    int32_t primed; /* the first `primed` steps belong to one worker each */
    int32_t *rank;  /* by worker: its primed step; NULL unless primed */
};

/* Makes the table of a loop whose sequence does not depend on the asking worker
 * (sched_has_sequence): the scheme does not learn, and it is not SCHED_BY_POWER
 * or all powers are equal. A fixed-size sequence needs no table, and its steps
 * are unlimited.  Free with sched_table_free.
 *
 * Returns 0; -EINVAL (as sched_init); -ENOTSUP when the sequence depends on the
 * asking worker; -E2BIG beyond SCHED_TABLE_STEPS_MAX steps; -ENOMEM. */
int sched_table_build(struct sched_table *table, const struct sched_ops *ops,
                      const struct spec *spec, const struct sched_loop *loop,
                      int64_t min_chunk, struct error *err);
void sched_table_free(struct sched_table *table);

/* The chunk of a step, 0 <= step < steps. */
static inline struct chunk sched_table_chunk(const struct sched_table *table,
                                             int64_t step)
{
    struct chunk chunk = {.step = step};
    if (table->start != NULL) {
        chunk.start = table->start[step];
        chunk.size = table->end[step] - chunk.start;
    } else {
        chunk.start = step * table->fixed_size;
        chunk.size = table->iterations - chunk.start;
        if (chunk.size > table->fixed_size)
            chunk.size = table->fixed_size;
    }
    return chunk;
}

#endif
