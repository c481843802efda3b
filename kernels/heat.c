/* heat: the heat equation, a loop with dependences.
 *
 *   for each time step
 *     for i = 0 to rows-1, for j = 0 to cols-1
 *       A[i][j] = (((A'[i+1][j] + A'[i][j+1]) + A[i-1][j]) + A[i][j-1]) / 4
 *
 * Ciorba, Andronikos, Riakiotakis, Chronopoulos and Papakonstantinou, Dynamic
 * Multi-Phase Scheduling for Heterogeneous Clusters, section 4.2: two values of
 * this time step (A) and two of the step before (A').  The paper gives no
 * weights; each is 1/4 here, added in the order above.  Rows are iterations and
 * are cut into chunks, columns carry the synchronization points.
 *
 * Values.  The grid starts with random numbers in [1, 2), made row by row so
 * that every rank has the same; outside there are fixed values in [1, 2].  So
 * all values stay in [1, 2] for ever, and a quarter of one is exact.
 *
 * Memory.  Step 0 reads the instance's start grid and writes the output;
 * further steps run in the output in place (see kernel.h): a second grid would
 * only cost memory traffic.
 *
 * Speed: 3.2 times that of the plain loop, which waits for its chain of left
 * neighbours.  The number of operations limits it while the grid fits into the
 * caches, memory beyond. kernels/support/heat_wave.c explains how.
 *
 * Bits: each point takes the operations above in their order, in any division
 * into rows and columns. */
#include "kernels/kernel.h"

#include "base/random.h"
#include "kernels/pace.h"
#include "kernels/support/heat_wave.h"
#include "kernels/support/memory_check.h"

#include <errno.h>
#include <stdlib.h>

/* The fixed values above and below the grid. */
#define TOP 2.0
#define BOTTOM 1.0

enum {
    /* Columns of a wave between two polls: 10 to 15 us. */
    PIECE = 4096,
    /* Grids up to this size need no prefetching. */
    CACHED = 2 << 20,
};

enum { ROWS, COLS, STEPS, SEED };

static const struct spec_param heat_params[] = {
    [ROWS] = PARAM_WHOLE("rows", "5000", 1, 1 << 24,
                         "rows of the grid, the loop's iterations"),
    [COLS] = PARAM_WHOLE("cols", "10000", 1, 1 << 24,
                         "columns, which carry the synchronization points"),
    [STEPS] = PARAM_WHOLE("steps", "1", 1, 1 << 20, "time steps"),
    [SEED] = PARAM_WHOLE("seed", "1", 0, 0x1p53, "seed of the start values"),
    {0},
};

struct heat {
    int64_t rows, cols;
    int steps;
    bool fetch;    /* prefetch the next rows */
    double *start; /* rows -1 to `rows`, with the fixed ones */
    heat_wave_fn *const *waves;
};

/* ---- instance ---- */

static void heat_destroy(void *instance)
{
    struct heat *h = instance;
    free(h->start);
    free(h);
}

static void fill_grid(struct heat *h, uint64_t seed)
{
    double *row = h->start;
    for (int64_t j = 0; j < h->cols; j++)
        *row++ = TOP;
    for (int64_t i = 0; i < h->rows; i++) {
        uint64_t state = random_stream(seed, (uint64_t)i);
        for (int64_t j = 0; j < h->cols; j++)
            *row++ = 1 + random_real(&state);
    }
    for (int64_t j = 0; j < h->cols; j++)
        *row++ = BOTTOM;
}

static double grid_bytes(const struct spec *spec)
{
    return ((double)spec->value[ROWS].integer + 2) *
           (double)spec->value[COLS].integer * sizeof(double);
}

/* The start values and the output. */
static double heat_memory(const struct spec *spec)
{
    return 2 * grid_bytes(spec);
}

/* A grid of this size, without values. */
static int heat_outline(const struct spec *spec, void **instance,
                        struct error *err)
{
    struct heat *h = calloc(1, sizeof(*h));
    if (h == NULL)
        return error_set(err, ENOMEM, "kernel heat: out of memory");
    h->rows = spec->value[ROWS].integer;
    h->cols = spec->value[COLS].integer;
    h->steps = (int)spec->value[STEPS].integer;
    *instance = h;
    return 0;
}

static int heat_create(const struct spec *spec, void **instance,
                       struct error *err)
{
    double bytes = grid_bytes(spec);
    int code = kernel_memory_check("heat", "start grid and output",
                                   heat_memory(spec), err);
    if (code == 0)
        code = heat_outline(spec, instance, err);
    if (code != 0)
        return code;
    struct heat *h = *instance;
    *instance = NULL;
    h->fetch = 2 * bytes > CACHED;
    h->waves = heat_wave_choose();
    h->start = aligned_alloc(64, ((size_t)bytes + 63) / 64 * 64);
    if (h->start == NULL) {
        heat_destroy(h);
        return error_set(err, ENOMEM, "kernel heat: out of memory");
    }
    fill_grid(h, (uint64_t)spec->value[SEED].integer);
    *instance = h;
    return 0;
}

static int64_t heat_iterations(const void *instance)
{
    const struct heat *h = instance;
    return h->rows;
}

static size_t heat_output_bytes(const void *instance)
{
    const struct heat *h = instance;
    return (size_t)h->cols * sizeof(double);
}

/* ---- rows of one step ---- */

/* `grid` is the whole output.  The strip begins `done` rows below the block's
 * first row. */
static struct heat_strip make_strip(const struct heat *h, double *grid,
                                    const struct kernel_block *b, int64_t done,
                                    int rows)
{
    int64_t cols = h->cols, row = b->start + done, end = row + rows;
    const double *start = h->start + cols;
    const double *old = b->step == 0 ? start : grid;
    struct heat_strip s = {
        .old = old + row * cols,
        .now = grid + row * cols,
        .up = row == 0 ? h->start : grid + (row - 1) * cols,
        .down = (end == h->rows ? start : old) + end * cols,
        .cols = cols,
        .from = b->from,
        .to = b->to,
    };
    if (done == 0 && b->above != NULL)
        s.up = b->above;
    if (done + rows == b->size && b->below != NULL)
        s.down = b->below;
    return s;
}

/* Pieces of a strip, narrow ones row by row. */
static void run_strip(heat_wave_fn *wave, struct heat_strip *s, int rows,
                      struct pace *pace)
{
    int64_t end = s->to;
    for (; s->from < end; s->from = s->to) {
        s->to = end - s->from > 2 * PIECE ? s->from + PIECE : end;
        wave(s, rows);
        pace_add(pace, (s->to - s->from) * rows);
    }
}

static void run_rows(const struct heat *h, double *grid,
                     const struct kernel_block *b,
                     const struct kernel_poll *poll)
{
    int64_t width = b->to - b->from;
    int most = width < HEAT_WAVE ? 1 : HEAT_WAVE;
    struct pace pace = {.poll = poll, .every = PIECE * HEAT_WAVE};
    bool turns = b->shared && !h->fetch;
    for (int64_t done = 0, turn = 0; done < b->size; turn++) {
        int rows = b->size - done < most ? (int)(b->size - done) : most;
        struct heat_strip s = make_strip(h, grid, b, done, rows);
        done += rows;
        if (h->fetch)
            s.ahead = b->size - done >= rows ? rows * h->cols
                                             : width - (done - rows) * h->cols;
        run_strip(heat_wave_turn(h->waves, turns ? turn : 0), &s, rows, &pace);
    }
}

/* Row r of a step needs row r + 1 of the step before: each step but the last
 * is one row ahead of the next one. */
static void heat_run(const void *instance, void *scratch, int64_t start,
                     int64_t size, void *output, const struct kernel_poll *poll)
{
    (void)scratch;
    const struct heat *h = instance;
    double *grid = (double *)output - start * h->cols;
    for (int step = 0; step < h->steps; step++) {
        int64_t ahead = h->steps - 1 - step, end = start + size + ahead;
        int64_t first = start == 0 ? 0 : start + ahead;
        end = end < h->rows ? end : h->rows;
        const struct kernel_block rows = {
            .step = step, .start = first, .size = end - first, .to = h->cols};
        if (first < end)
            run_rows(h, grid, &rows, poll);
    }
}

static void heat_reference(const void *instance, int64_t start, int64_t size,
                           void *output)
{
    const struct heat *h = instance;
    int64_t cols = h->cols, rows = start + size;
    double(*a)[cols] = output;
    const double(*fixed)[cols] = (const void *)h->start;
    for (int step = 0; step < h->steps; step++) {
        const double(*old)[cols] = step == 0 ? fixed + 1 : (const void *)a;
        for (int64_t i = 0; i < rows; i++) {
            const double *up = i == 0 ? fixed[0] : a[i - 1];
            const double *down = i + 1 == rows ? fixed[rows + 1] : old[i + 1];
            double left = HEAT_LEFT;
            for (int64_t j = 0; j < cols; j++) {
                double right = j + 1 == cols ? HEAT_RIGHT : old[i][j + 1];
                left = (((down[j] + right) + up[j]) + left) / 4;
                a[i][j] = left;
            }
        }
    }
}

/* ---- blocks ---- */

static void heat_grid(const void *instance, struct kernel_grid *grid)
{
    const struct heat *h = instance;
    *grid = (struct kernel_grid){
        .columns = h->cols,
        .boundary_bytes = sizeof(double),
        .steps = h->steps,
    };
}

/* Nothing to set: step 0 reads only the instance. */
static void heat_begin(const void *instance, void *state, void *output)
{
    (void)instance;
    (void)state;
    (void)output;
}

static void heat_run_block(const void *instance, void *state,
                           const struct kernel_block *block, void *output,
                           const struct kernel_poll *poll)
{
    (void)state;
    const struct heat *h = instance;
    struct kernel_block b = *block;
    b.from = b.from < h->cols ? b.from : h->cols;
    b.to = b.to < h->cols ? b.to : h->cols;
    run_rows(h, output, &b, poll);
}

/* The row itself: boundary for the row below, halo for the row above. */
static void *heat_row(const void *instance, void *state, void *output, int step,
                      int64_t row)
{
    (void)state;
    (void)step;
    const struct heat *h = instance;
    return (double *)output + row * h->cols;
}

static const struct kernel_dependence heat_dependence = {
    .grid = heat_grid,
    .begin = heat_begin,
    .run_block = heat_run_block,
    .boundary = heat_row,
    .halo = heat_row,
};

static double heat_operations(const void *instance, int64_t iteration)
{
    const struct heat *h = instance;
    (void)iteration;
    return (double)h->cols * h->steps;
}

/* Three additions and a division. */
static const struct kernel_cost heat_cost = {
    .operation = "point",
    .flops = 4,
    .outline = heat_outline,
    .operations = heat_operations,
};

const struct kernel_ops kernel_heat_ops = {
    .name = "heat",
    .summary = "heat equation, rows that depend on the row above",
    .citation = "Ciorba, Andronikos, Riakiotakis, Chronopoulos and "
                "Papakonstantinou, Dynamic Multi-Phase Scheduling for "
                "Heterogeneous Clusters, section 4.2",
    .params = heat_params,
    .memory = heat_memory,
    .create = heat_create,
    .destroy = heat_destroy,
    .iterations = heat_iterations,
    .output_bytes = heat_output_bytes,
    .run = heat_run,
    .reference = heat_reference,
    .cost = &heat_cost,
    .dependence = &heat_dependence,
};
