/* Kernels: the bodies of the scheduled loops.
 *
 * Pure: no MPI, no threads, no input or output while running.  A kernel is one
 * file that ends in one `const struct kernel_ops`, plus one line in
 * kernels/kernels.def.  An instance is read-only after create and is used by
 * many workers at once. */
#ifndef KERNELS_KERNEL_H
#define KERNELS_KERNEL_H

#include "base/error.h"
#include "base/spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Every machine computes the same bits: kernels are compiled with
 * -ffp-contract=off.  A function marked KERNEL_CLONES is compiled for several
 * instruction sets; the loader chooses one.  (Sanitizers are not ready by then,
 * so they go without, and clang before 14 cannot do it.)  Kernels with explicit
 * vectors choose in create, by __builtin_cpu_supports, and keep a pointer in
 * the instance. */
#if defined(__x86_64__) && __has_attribute(target_clones) &&                   \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) &&         \
    !defined(DLSBENCH_SANITIZED)
#define KERNEL_CLONES                                                          \
    __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define KERNEL_CLONES
#endif

/* A master that also computes serves requests between slices of its work. */
struct kernel_poll {
    void (*call)(void *arg);
    void *arg;
};

static inline void kernel_poll(const struct kernel_poll *poll)
{
    if (poll != NULL)
        poll->call(poll->arg);
}

/* Releases the whole pages in [memory, memory + bytes), so that the next thread
 * to write them gets them on its NUMA node; their data may be lost. */
struct kernel_pages {
    void (*give_up)(void *arg, void *memory, size_t bytes);
    void *arg;
};

/* ---- loops with dependences ----
 *
 * The iterations of such a kernel are the rows of a grid.  Rows are cut into
 * chunks (the chunk dimension, u_c); along the columns (the sync dimension,
 * u_s) a worker stops at synchronization points.  Row r needs row r - 1 up to
 * `reach` columns to the right of its own, and its own columns in order.  With
 * a `depth` of D it needs the D rows above it up to the same column.  A reach
 * below 0 stays that many columns to the left.
 *
 * A block of a chunk is a range of columns of its first row; every further
 * row lags `skew` columns behind the one above it, so that a chunk of n rows
 * has columns + (n - 1) * skew columns to go through.  Each rank has memory
 * for the whole grid and touches its own rows and the boundary above them.
 *
 * A boundary row means the last D rows of a chunk.  A chunk of fewer rows
 * passes on rows that it received, and these end -reach columns before its own.
 *
 * Before the block [from, to) of a chunk runs in a step, the boundary row above
 * it must be complete in this step up to column to + reach - 1.  Nothing to the
 * right of that is read.  With several time steps skew and reach are 0.  Then
 * the previous step of the chunk itself must be complete, and that of the row
 * below it (halo) up to column to - 1.
 *
 * Time steps may be done in place: a step may overwrite the same row and column
 * of the previous step.  The dependences above allow that, also if rows are
 * copied between ranks.  A point is written in step s only after step s - 1 of
 * the point below, the last in another row to read the old value.  So halo and
 * boundary of a row may share one place.  A send from there must be complete
 * before the next step overwrites it; the receiver has all of it by then, so
 * the wait is short. */
struct kernel_grid {
    int64_t columns;       /* u_s, at least 1 */
    size_t boundary_bytes; /* of one column of a boundary row */
    int skew;              /* columns that a row lags behind the one above */
    int reach;             /* columns that a row needs beyond its own */
    int depth;             /* D, rows above that a row needs; 0: 1 */
    int steps;             /* time steps, at least 1; the value of the
                              spec's key `steps`, where a kernel has it */
    size_t state_bytes;    /* of a rank, in addition to the output; or 0 */
};

static inline int64_t kernel_clamp(int64_t columns, int64_t most)
{
    if (columns < 0)
        return 0;
    return columns < most ? columns : most;
}

/* Columns of a boundary row that the chunk below reads; 0: chunks are
 * independent. */
static inline int64_t kernel_boundary_columns(const struct kernel_grid *grid)
{
    return kernel_clamp(grid->columns + grid->reach, grid->columns);
}

/* The columns that a block ending at column `to` reads. */
static inline int64_t kernel_columns_needed(const struct kernel_grid *grid,
                                            int64_t to)
{
    return kernel_clamp(to + grid->reach, kernel_boundary_columns(grid));
}

/* The columns complete after a chunk of `size` rows has run its block up to
 * `to`. */
static inline int64_t kernel_columns_given(const struct kernel_grid *grid,
                                           int64_t size, int64_t to)
{
    int64_t lag =
        (size - 1) * grid->skew - (size < grid->depth ? grid->reach : 0);
    return kernel_clamp(to - lag, kernel_boundary_columns(grid));
}

/* Columns [from, to) of the chunk [start, start + size) in a time step: row
 * start + k does [from - k * skew, to - k * skew), within the grid.
 *
 * above and below: the boundary of row start - 1 and the halo of row start +
 * size, from their column 0 on.  No other worker writes this memory while the
 * block runs.  Columns before the first and behind the last can be read,
 * boundary_bytes each, and are zero.  NULL: use `boundary` and `halo`.
 *
 * shared: other workers write the rows around the chunk, in the same memory. */
struct kernel_block {
    int step;
    int64_t start, size, from, to;
    const void *above, *below;
    bool shared;
};

struct kernel_dependence {
    /* The shape of the loop.  Required. */
    void (*grid)(const void *instance, struct kernel_grid *grid);

    /* Sets a rank's state up before a repetition (row -1, start values); the
     * memory was zeroed when it was made, not between repetitions.  Required.
     */
    void (*begin)(const void *instance, void *state, void *output);

    /* Blocks of a chunk come in ascending order without gaps from column 0;
     * their data are complete (see above).  `output` is the whole loop's.  poll
     * as for run.  The bits must not depend on chunks and blocks.  The time
     * may: rows of a chunk are under way together, so a single row is the
     * slowest.  Required. */
    void (*run_block)(const void *instance, void *state,
                      const struct kernel_block *block, void *output,
                      const struct kernel_poll *poll);

    /* The data that the row below needs of row `row` of this step: columns *
     * boundary_bytes, in order of the columns, in state or output.  The
     * protocol copies parts of it to the same place on other ranks.  row -1 is
     * never asked for.  Required. */
    void *(*boundary)(const void *instance, void *state, void *output, int step,
                      int64_t row);

    /* With several time steps: the data that row `row` - 1 needs in step `step`
     * of row `row` of the step before (same size as a boundary row; it is also
     * all that step `step` needs of the same row).  Never asked for in step 0,
     * which starts from the instance's own values.  NULL: steps is always 1. */
    void *(*halo)(const void *instance, void *state, void *output, int step,
                  int64_t row);
};

/* ---- time steps of independent loops ----
 *
 * The loop is run several times, with a barrier between steps; a step may read
 * the whole output of the previous one.  Each rank has its own state.  The
 * output of all ranks is brought together before advance.  The output of the
 * last step is that of the loop. */
struct kernel_steps {
    /* Time steps, at least 1: the value of the spec's key `steps`. */
    int (*count)(const void *instance);

    /* A rank's state, in addition to the output; at least 1 byte. */
    size_t (*state_bytes)(const void *instance);

    /* Sets a state up for step 0, before a repetition; the memory was zeroed
     * when it was made, not between repetitions. */
    void (*begin)(const void *instance, void *state);

    /* As kernel_ops.run, in the current step of the state. */
    void (*run)(const void *instance, const void *state, int64_t start,
                int64_t size, void *output, const struct kernel_poll *poll);

    /* From the output of this step, which is that of all ranks, to the next
     * step.  Called by one thread of each rank, while no other runs; the bits
     * of the state are the same on all ranks. */
    void (*advance)(const void *instance, void *state, const void *output);

    /* About how many operations of the cost one advance takes. */
    double (*advance_operations)(const void *instance);

    /* Operations of one iteration in the step that the state is at; NULL: those
     * of cost->operations in every step. */
    double (*operations)(const void *instance, const void *state,
                         int64_t iteration);
};

/* ---- input data ----
 *
 * The data that an iteration reads and a master has to send with it (data:
 * sent).  A kernel without input makes its data from the instance alone. */
struct kernel_input {
    /* Bytes of the input of one iteration: a multiple of 8, 0 or more. */
    size_t (*bytes)(const void *instance, int64_t iteration);

    /* Writes them to `to`, aligned to 8.  Called by the master before the
     * loop. */
    void (*make)(const void *instance, int64_t iteration, void *to);

    /* As kernel_ops.run and with the same bits, but on the received input of
     * these iterations, one after the other.  It must read all data from
     * there. */
    void (*run)(const void *instance, void *scratch, int64_t start,
                int64_t size, const void *input, void *output,
                const struct kernel_poll *poll);
};

/* The cost of iterations, for simulation: not seconds but operations, which do
 * not depend on the machine.  Either `operations`, if the number is known, or
 * `counted` and `coarse`, if only running the loop tells it. */
struct kernel_cost {
    const char *operation; /* the counted operation, e.g. "multiply-add" */
    double flops; /* per operation; 0: an operation is a second at power 1 */

    /* An instance without data, asked only for iterations, output_bytes, grid
     * and operations: a simulation computes nothing.  Also for specs that
     * create refuses because they are for simulation only.  NULL: create's.
     * Returns as create does. */
    int (*outline)(const struct spec *spec, void **instance, struct error *err);

    /* Operations of one iteration, exactly. */
    double (*operations)(const void *instance, int64_t iteration);

    /* How often an iteration starts something that costs time whatever follows
     * (Mandelbrot: points of a line).  NULL: once. */
    double (*starts)(const void *instance);

    /* Operations that an iteration's output, made by run, took. */
    double (*counted)(const void *instance, const void *output);

    /* An instance of the same iterations with only `points` points each,
     * evenly spread over all of them: output_bytes says how many.  To be
     * destroyed.  Returns 0 or -ENOMEM with a text. */
    int (*coarse)(const void *instance, int64_t points, void **coarse,
                  struct error *err);
};

struct kernel_ops {
    /* Short name: file, option, result column and plot use this one. */
    const char *name;
    const char *summary;             /* one line, for `dlsbench list kernels` */
    const char *citation;            /* origin of the loop */
    const struct spec_param *params; /* keys of the spec; required */

    /* Bytes that a process needs at most for an instance, its output and its
     * state, as far as the spec tells; a real number, so that it cannot
     * overflow.  Optional: NULL where only create can know, or where it is
     * little compared with the output. */
    double (*memory)(const struct spec *spec);

    /* I, as far as the spec tells.  Optional: NULL where it is far below 2^32,
     * or only create can know. */
    int64_t (*count)(const struct spec *spec);

    /* Reads the files that the spec names, or estimates what it cannot read, so
     * that errors are reported before a launch.  Returns as create does.
     * Optional: create reports them. */
    int (*examine)(const struct spec *spec, struct error *err);

    /* Makes an instance with its input data (same spec, same data, on every
     * machine and in every process).  Returns 0, -EINVAL, -ENOENT, -EIO or
     * -ENOMEM with a text; what does not fit into memory is refused here.
     * Required, as is destroy. */
    int (*create)(const struct spec *spec, void **instance, struct error *err);
    void (*destroy)(void *instance);

    /* I, at least 1.  Required. */
    int64_t (*iterations)(const void *instance);

    /* Bytes of output per iteration; 0: the kernel keeps a tally instead of
     * output (null).  Required. */
    size_t (*output_bytes)(const void *instance);

    /* Bytes of private memory that each worker needs (aligned to 64, zeroed
     * before every repetition); NULL: none. */
    size_t (*scratch_bytes)(const void *instance);

    /* Runs iterations [start, start + size).  `output` points at the output of
     * iteration `start`; iteration i writes only its own output_bytes.  Called
     * by many workers at once with ranges that do not overlap, and with any
     * division into ranges: the bits must not depend on it.
     *
     * poll may be NULL.  Otherwise call kernel_poll(poll) at least about every
     * 20 us of work, also inside a long iteration, and rarely more than once a
     * microsecond (matmul: 200 us, see there).  A shorter run need not poll:
     * the protocol does between runs.
     *
     * The cost of an iteration should not depend on its chunk: schemes could
     * not be compared.  output and scratch may be NULL if their size is 0.
     * Required. */
    void (*run)(const void *instance, void *scratch, int64_t start,
                int64_t size, void *output, const struct kernel_poll *poll);

    /* Releases the pages that only these iterations read, and writes their data
     * again with the same bits.  The worker that runs them next calls it, with
     * the chunks of the first step and the rules of run.  For memory-bound
     * loops whose iterations have separate data.  Optional. */
    void (*touch)(const void *instance, int64_t start, int64_t size,
                  const struct kernel_pages *pages);

    /* The serial reference, plain and by another method than run, with the
     * same bits as result.  Required when there is output. */
    void (*reference)(const void *instance, int64_t start, int64_t size,
                      void *output);

    /* How rows depend on each other; NULL: no dependences.  Otherwise run and
     * reference have stricter rules.  run does whole rows for one worker: a
     * pass calls it in ascending order from row 0 without gaps, with the same
     * scratch.  `output` points into the whole loop's output (an earlier row is
     * read, a later one may be written early).  A row alone costs more than one
     * of many: scale.  reference is called once, with all rows. */
    const struct kernel_dependence *dependence;

    /* Iterations are independent, and there are several time steps: how; NULL:
     * one.  Then run and cost->operations are those of step 0, reference and
     * work those of all steps; of several, reference is called once, with all
     * iterations. */
    const struct kernel_steps *steps;

    /* Floating-point operations of the whole loop, and the bytes that it must
     * at least move from and to memory: for rates in the records.  NULL: no
     * rate is meaningful. */
    void (*work)(const void *instance, double *flops, double *bytes);

    /* The cost of iterations; NULL: the kernel cannot be simulated.  Loops with
     * dependences give the cost of a whole row; all its columns cost the same.
     */
    const struct kernel_cost *cost;

    /* Input data of iterations; NULL: none. */
    const struct kernel_input *input;

    /* Kernels without output: the first 16 bytes of scratch are two tallies,
     * added up over all workers modulo 2^64; says whether the sums are those
     * of a loop in which every iteration ran exactly once. */
    bool (*check_tally)(const void *instance, const uint64_t tally[2]);

    /* Writes the whole output to a file that a person can look at (the name
     * ends in .pgm); called once, after the last repetition, when the user
     * asks.  Returns 0, -EINVAL or -EIO with a text.  Optional. */
    int (*save)(const void *instance, const void *output, const char *path,
                struct error *err);
};

/* cost->starts of a kernel with a cost model. */
static inline double kernel_starts(const struct kernel_ops *ops,
                                   const void *instance)
{
    return ops->cost->starts != NULL ? ops->cost->starts(instance) : 1;
}

/* All kernels in the order of kernels.def, NULL ends the list.  There
 * KERNEL(name) means `const struct kernel_ops kernel_name_ops`. */
extern const struct kernel_ops *const kernel_list[];

/* The kernel of this name; NULL, with the nearest name: unknown. */
const struct kernel_ops *kernel_find(const char *name, struct error *err);

/* Finds the kernel that a spec names and parses its keys.  Unknown names are
 * an error that lists the kernels and the nearest.  Returns 0 or -EINVAL. */
int kernel_parse(const char *text, const struct kernel_ops **ops,
                 struct spec *spec, struct error *err);

/* cost->outline, or create if it is NULL. */
int kernel_outline(const struct kernel_ops *ops, const struct spec *spec,
                   void **instance, struct error *err);

#endif
