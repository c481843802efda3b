/* deps: a loop with any dependence vectors, none of them negative.
 *
 *   for y = 1 to rows, for x = 1 to cols
 *     v(x, y) = 31 x + 17 y + 1 + sum over k of k v(x - S_k, y - C_k)  mod 2^32
 *
 * with 0 outside the grid and k from 1.  The numbers are ours.  Andronikos et
 * al. (2010), section 2 and figure 2: a loop is a grid and its dependence
 * vectors.  A vector S:C reaches S columns back (along the synchronization
 * points) and C rows back (rows are cut into chunks): the paper's order.  The
 * paper's toy is deps:rows=8,cols=24,vectors=2:2+3:1.
 *
 * Depth D = the largest C: a chunk reads D rows above it.  lead = the least S
 * of a vector with C >= 1: a block that ends at column `to` reads these rows up
 * to column to - lead.  So skew = 0 and reach = -lead.
 *
 * A column of a boundary has D numbers, the chunk's last row first.  A chunk of
 * fewer than D rows also passes on rows that it received.  With D = 1 the
 * boundary is the last row.
 *
 * work: a point costs about as much as `work` multiply-adds, one after the
 * other.  A `work` above 1 changes the numbers. */
#include "kernels/pace.h"
#include "kernels/support/memory_check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VECTORS_MAX = 16, DEPTH_MAX = 1024, BACK_MAX = 1 << 24 };
enum { PIECE = 16384 }; /* multiply-adds between two polls: about 10 us */
enum { ROWS, COLS, VECTORS, WORK };

static const struct spec_param deps_params[] = {
    [ROWS] =
        PARAM_WHOLE("rows", "2000", 1, 1 << 24, "rows, the loop's iterations"),
    [COLS] = PARAM_WHOLE("cols", "4000", 1, 1 << 24,
                         "columns, which carry the synchronization points"),
    [VECTORS] = PARAM_LIST("vectors", NULL,
                           "S:C+S:C+..., columns and rows that a point reads "
                           "back: 2:2+3:1",
                           .required = true),
    [WORK] = PARAM_WHOLE("work", "1", 1, 10000,
                         "the cost of a point: multiply-adds in a chain"),
    {0},
};

struct deps {
    int64_t rows, cols, work, depth, lead;
    int vectors;
    struct vector {
        int64_t back, up; /* S, C */
    } vector[VECTORS_MAX];
};

static const char name[] = "deps";

/* ---- vectors ---- */

static int refuse_vectors(const char *text, const char *why, struct error *err)
{
    return error_set(err, EINVAL, "kernel %s: vectors=%s: %s", name, text, why);
}

static int check_vector(const struct vector *v, const char *text,
                        struct error *err)
{
    static const char negative[] =
        "a component is negative; blocks would have to be skewed, which only "
        "floyd-steinberg's are";
    if (v->back < 0 || v->up < 0)
        return refuse_vectors(text, negative, err);
    if (v->back == 0 && v->up == 0)
        return refuse_vectors(text, "a point cannot depend on itself (0:0)",
                              err);
    if (v->back > BACK_MAX || v->up > DEPTH_MAX)
        return refuse_vectors(text, "S is at most 16777216, C at most 1024",
                              err);
    return 0;
}

static int read_vectors(struct deps *d, const char *text, struct error *err)
{
    int n = 0;
    for (const char *at = text; d->vectors < VECTORS_MAX; at += n + 1) {
        struct vector *v = &d->vector[d->vectors++];
        if (text[strspn(text, "0123456789:+-")] != '\0' ||
            sscanf(at, "%9" SCNd64 ":%9" SCNd64 "%n", &v->back, &v->up, &n) <
                2 ||
            (at[n] != '+' && at[n] != '\0'))
            return refuse_vectors(
                text, "expected S:C+S:C+..., whole numbers, as in 2:2+3:1",
                err);
        if (check_vector(v, text, err) != 0)
            return -EINVAL;
        d->depth = v->up > d->depth ? v->up : d->depth;
        if (v->up > 0 && v->back < d->lead)
            d->lead = v->back;
        if (at[n] == '\0')
            return 0;
    }
    return refuse_vectors(text, "at most 16 vectors", err);
}

static int read_spec(struct deps *d, const struct spec *spec, struct error *err)
{
    *d = (struct deps){.rows = spec->value[ROWS].integer,
                       .cols = spec->value[COLS].integer,
                       .work = spec->value[WORK].integer,
                       .lead = spec->value[COLS].integer};
    return read_vectors(d, spec->value[VECTORS].text, err);
}

/* ---- instance ---- */

/* Rows of a boundary. */
static int64_t boundary_rows(const struct deps *d)
{
    return d->depth > 1 ? d->depth : 1;
}

/* Only the boundaries of chunks are touched; with depth 1 the grid holds
 * them. */
static double state_bytes(const struct deps *d)
{
    double row = (double)d->cols * sizeof(uint32_t);
    return d->depth > 1 ? (double)d->depth * (double)d->rows * row : 0;
}

static double deps_memory(const struct spec *spec)
{
    struct deps d;
    if (read_spec(&d, spec, NULL) != 0)
        return 0;
    return (double)d.rows * (double)d.cols * 4 + state_bytes(&d);
}

static int deps_examine(const struct spec *spec, struct error *err)
{
    struct deps d;
    return read_spec(&d, spec, err);
}

static int deps_outline(const struct spec *spec, void **instance,
                        struct error *err)
{
    struct deps *d = calloc(1, sizeof(*d));
    int code = d != NULL
                   ? read_spec(d, spec, err)
                   : error_set(err, ENOMEM, "kernel %s: out of memory", name);
    if (code == 0)
        *instance = d;
    else
        free(d);
    return code;
}

static int deps_create(const struct spec *spec, void **instance,
                       struct error *err)
{
    int code = kernel_memory_check(name, "grid and boundaries",
                                   deps_memory(spec), err);
    return code == 0 ? deps_outline(spec, instance, err) : code;
}

static void deps_destroy(void *instance)
{
    free(instance);
}

static int64_t deps_iterations(const void *instance)
{
    return ((const struct deps *)instance)->rows;
}

static size_t deps_output_bytes(const void *instance)
{
    return (size_t)((const struct deps *)instance)->cols * sizeof(uint32_t);
}

/* ---- points ---- */

static uint32_t work_on_value(uint32_t value, int64_t work)
{
    for (int64_t i = 1; i < work; i++)
        value = value * 1664525 + 1013904223;
    return value;
}

/* Columns [from, to) of rows.  `above` has the rows before row `start`; NULL:
 * they are in the grid. */
struct strip {
    const struct deps *d;
    uint32_t *grid;
    const uint32_t *above;
    int64_t start, from, to;
};

/* Sets the row to its constants and adds the terms from other rows. */
KERNEL_CLONES
static void add_rows(const struct strip *s, int64_t y, uint32_t *row)
{
    const struct deps *d = s->d;
    for (int64_t x = s->from; x < s->to; x++)
        row[x] = (uint32_t)(31 * (x + 1) + 17 * (y + 1) + 1);
    for (int k = 0; k < d->vectors; k++) {
        const struct vector *v = &d->vector[k];
        int64_t x = s->from > v->back ? s->from : v->back, step = 1;
        int64_t source = y - v->up;
        const uint32_t weight = (uint32_t)k + 1,
                       *from = s->grid + source * d->cols;
        if (v->up == 0 || source < 0)
            continue;
        if (source < s->start && s->above != NULL) {
            step = d->depth;
            from = s->above + (s->start - source - 1);
        }
        if (step == 1)
            for (; x < s->to; x++)
                row[x] += weight * from[x - v->back];
        else
            for (; x < s->to; x++)
                row[x] += weight * from[(x - v->back) * step];
    }
}

/* Adds the terms from the row itself, column by column, and does the work. */
static void finish_row(const struct strip *s, uint32_t *row)
{
    const struct deps *d = s->d;
    for (int64_t x = s->from; x < s->to; x++) {
        for (int k = 0; k < d->vectors; k++)
            if (d->vector[k].up == 0 && d->vector[k].back <= x)
                row[x] += ((uint32_t)k + 1) * row[x - d->vector[k].back];
        row[x] = work_on_value(row[x], d->work);
    }
}

/* A block is cut into pieces that do not last longer than a poll may wait. */
static void run_rows(struct strip s, int64_t size,
                     const struct kernel_poll *poll)
{
    const struct deps *d = s.d;
    int64_t operations = 2 + d->vectors + d->work, end = s.to;
    int64_t width = operations < PIECE ? PIECE / operations : 1;
    struct pace pace = {.poll = poll, .every = PIECE};
    for (; s.from < end; s.from = s.to) {
        s.to = end - s.from > width ? s.from + width : end;
        for (int64_t y = s.start; y < s.start + size; y++) {
            add_rows(&s, y, s.grid + y * d->cols);
            finish_row(&s, s.grid + y * d->cols);
            pace_add(&pace, (s.to - s.from) * operations);
        }
    }
}

static void deps_run(const void *instance, void *scratch, int64_t start,
                     int64_t size, void *output, const struct kernel_poll *poll)
{
    const struct deps *d = instance;
    uint32_t *grid = (uint32_t *)output - start * d->cols;
    (void)scratch;
    run_rows((struct strip){d, grid, NULL, start, 0, d->cols}, size, poll);
}

/* Point by point, as the loop is written. */
static void deps_reference(const void *instance, int64_t start, int64_t size,
                           void *output)
{
    const struct deps *d = instance;
    uint32_t *value = output;
    for (int64_t y = start; y < start + size; y++)
        for (int64_t x = 0; x < d->cols; x++) {
            uint32_t sum = (uint32_t)(1 + 31 * (1 + x) + 17 * (1 + y));
            for (int k = 0; k < d->vectors; k++) {
                int64_t i = x - d->vector[k].back, j = y - d->vector[k].up;
                if (i >= 0 && j >= 0)
                    sum += (uint32_t)(k + 1) * value[j * d->cols + i];
            }
            value[y * d->cols + x] = work_on_value(sum, d->work);
        }
}

/* ---- blocks ---- */

static void deps_grid(const void *instance, struct kernel_grid *grid)
{
    const struct deps *d = instance;
    *grid = (struct kernel_grid){
        .columns = d->cols,
        .boundary_bytes = (size_t)boundary_rows(d) * sizeof(uint32_t),
        .reach = (int)-d->lead,
        .depth = (int)boundary_rows(d),
        .steps = 1,
        .state_bytes = (size_t)state_bytes(d),
    };
}

static void deps_begin(const void *instance, void *state, void *output)
{
    (void)instance, (void)state, (void)output;
}

static void *deps_boundary(const void *instance, void *state, void *output,
                           int step, int64_t row)
{
    const struct deps *d = instance;
    void *memory = d->depth > 1 ? state : output;
    (void)step;
    return (uint32_t *)memory + row * d->cols * boundary_rows(d);
}

/* Fills the boundary below the block: the chunk's own rows, and above these the
 * rows that came from the chunk above. */
static void fill_boundary(const struct strip *s, int64_t size, uint32_t *below)
{
    const struct deps *d = s->d;
    int64_t last = s->start + size - 1, lag = size < d->depth ? d->lead : 0;
    int64_t from = s->from > lag ? s->from - lag : 0, to = s->to - lag;
    for (int64_t r = 0; r < d->depth && r <= last; r++) {
        const uint32_t *row = s->grid + (last - r) * d->cols;
        for (int64_t x = from; x < to; x++)
            below[x * d->depth + r] =
                r < size ? row[x] : s->above[x * d->depth + r - size];
    }
}

static void deps_run_block(const void *instance, void *state,
                           const struct kernel_block *b, void *output,
                           const struct kernel_poll *poll)
{
    const struct deps *d = instance;
    struct strip s = {.d = d,
                      .grid = output,
                      .above = b->above,
                      .start = b->start,
                      .from = b->from < d->cols ? b->from : d->cols,
                      .to = b->to < d->cols ? b->to : d->cols};
    if (b->start > 0 && s.above == NULL)
        s.above = deps_boundary(d, state, output, 0, b->start - 1);
    run_rows(s, b->size, poll);
    if (d->depth > 1)
        fill_boundary(
            &s, b->size,
            deps_boundary(d, state, output, 0, b->start + b->size - 1));
}

static const struct kernel_dependence deps_dependence = {
    .grid = deps_grid,
    .begin = deps_begin,
    .run_block = deps_run_block,
    .boundary = deps_boundary,
};

static double deps_operations(const void *instance, int64_t iteration)
{
    const struct deps *d = instance;
    (void)iteration;
    return (double)d->cols * (double)d->work;
}

/* Two products, two sums, and a multiply-add for each of 3 vectors. */
static const struct kernel_cost deps_cost = {
    .operation = "point of work=1",
    .flops = 10,
    .outline = deps_outline,
    .operations = deps_operations,
};

const struct kernel_ops kernel_deps_ops = {
    .name = name,
    .summary = "a grid with any dependence vectors, given as S:C+S:C",
    .citation = "Andronikos et al., Studying the impact of synchronization "
                "frequency ..., 2010, section 2",
    .params = deps_params,
    .memory = deps_memory,
    .examine = deps_examine,
    .create = deps_create,
    .destroy = deps_destroy,
    .iterations = deps_iterations,
    .output_bytes = deps_output_bytes,
    .run = deps_run,
    .reference = deps_reference,
    .cost = &deps_cost,
    .dependence = &deps_dependence,
};
