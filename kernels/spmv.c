/* spmv: product of a sparse matrix and a vector, a row at a time.
 *
 *   FOR r = 0 TO ROWS - 1:  Y(r) = SUM over entries k of row r: A(k) * X(C(k))
 *
 * The matrix is read from a Matrix Market file, or a random one with a power
 * law (R-MAT, Chakrabarti, Zhan and Faloutsos 2004, with the parameters of
 * Graph500): a few rows have very many entries, most have few.  X is random in
 * [0, 1).  Memory limits the speed.  Compare every scheme with static:by=cost,
 * the partition by equal non-zeros.
 *
 * In several time steps the next vector is X0 / 2 + Y / 2^(k+1), damped like
 * that of PageRank, with 2^k no less than the sum of |A| in any row: its
 * elements stay within the largest of X0.
 *
 * Order of summation: LANES partial sums, by the place of an entry in its row
 * modulo LANES, then added pairwise (l and l + 4, l + 2, l + 1).  The compiler
 * makes vectors of them; products and sums are rounded one by one, so that the
 * bits are the same on every instruction set and in every chunk. */
#include "kernels/kernel.h"

#include "base/random.h"
#include "kernels/support/sparse.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LANES = 8,
    PIECE = 8192, /* entries between two polls, about 10 to 20 us */
};

enum { SPMV_FILE, RMAT, DEGREE, SEED, STEPS };

static const struct spec_param spmv_params[] = {
    [SPMV_FILE] =
        PARAM_TEXT("file", NULL, "Matrix Market file of a square matrix"),
    [RMAT] = PARAM_WHOLE("rmat", NULL, 1, 30,
                         "without a file: a random matrix of 2^rmat rows (18)"),
    [DEGREE] = PARAM_WHOLE("degree", NULL, 1, 1 << 20,
                           "entries drawn for each of its rows (16)"),
    [SEED] = PARAM_WHOLE("seed", "1", 0, 0x1p53,
                         "seed of the random matrix and vector"),
    [STEPS] = PARAM_WHOLE("steps", "8", 1, 1 << 20,
                          "products, each of what the one before it gives"),
    {0},
};

struct spmv {
    struct sparse matrix;
    double *x; /* X0 */
    int steps;
    double scale; /* 2^-k */
};

static void spmv_destroy(void *instance)
{
    struct spmv *s = instance;
    sparse_free(&s->matrix);
    free(s->x);
    free(s);
}

static struct sparse_keys keys_of(const struct spec *spec)
{
    const struct spec_value *value = spec->value;
    return (struct sparse_keys){.what = "kernel spmv",
                                .noun = "matrix",
                                .file = &value[SPMV_FILE],
                                .rmat = &value[RMAT],
                                .degree = &value[DEGREE],
                                .usual_rmat = 18,
                                .usual_degree = 16,
                                .mirrored = 1,
                                .seed = (uint64_t)value[SEED].integer};
}

static int spmv_examine(const struct spec *spec, struct error *err)
{
    const struct sparse_keys keys = keys_of(spec);
    return sparse_examine(&keys, err);
}

static double scale_of(const struct sparse *m)
{
    double most = 0, scale = 1;
    for (int64_t r = 0; r < m->rows; r++) {
        double sum = 0;
        for (int64_t k = m->start[r]; k < m->start[r + 1]; k++)
            sum += fabs(m->value[k]);
        most = fmax(most, sum);
    }
    while (most * scale > 1)
        scale /= 2;
    return scale;
}

static int spmv_create(const struct spec *spec, void **instance,
                       struct error *err)
{
    struct spmv *s = calloc(1, sizeof(*s));
    if (s == NULL)
        return error_set(err, ENOMEM, "kernel spmv: out of memory");
    const struct sparse_keys keys = keys_of(spec);
    int code = sparse_open(&keys, &s->matrix, err);
    if (code == 0) {
        s->x = malloc((size_t)s->matrix.rows * sizeof(*s->x));
        if (s->x == NULL)
            code = error_set(err, ENOMEM, "kernel spmv: out of memory");
    }
    if (code != 0) {
        spmv_destroy(s);
        return code;
    }
    uint64_t seed = (uint64_t)spec->value[SEED].integer + 1;
    for (int64_t i = 0; i < s->matrix.rows; i++)
        s->x[i] = random_real(&seed);
    s->steps = (int)spec->value[STEPS].integer;
    s->scale = s->steps > 1 ? scale_of(&s->matrix) : 1;
    *instance = s;
    return 0;
}

static int64_t spmv_iterations(const void *instance)
{
    const struct spmv *s = instance;
    return s->matrix.rows;
}

static size_t spmv_output_bytes(const void *instance)
{
    (void)instance;
    return sizeof(double);
}

static double add_lanes(double sum[LANES])
{
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            sum[l] += sum[l + half];
    return sum[0];
}

/* Adds entries to the partial sums; count is a multiple of LANES. */
KERNEL_CLONES static void add_rounds(double sum[LANES], const double *value,
                                     const int32_t *column, const double *x,
                                     int64_t count)
{
    double s[LANES];
    memcpy(s, sum, sizeof(s));
    for (int64_t k = 0; k < count; k += LANES)
        for (int l = 0; l < LANES; l++)
            s[l] += value[k + l] * x[column[k + l]];
    memcpy(sum, s, sizeof(s));
}

/* Most rows are short: no call is worth it. */
static inline void add_some(double sum[LANES], const double *value,
                            const int32_t *column, const double *x,
                            int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        sum[k] += value[k] * x[column[k]];
}

/* *due counts entries down to the next poll, also across rows; a row is cut at
 * multiples of LANES. */
static double run_row(const struct sparse *m, const double *x, int64_t row,
                      const struct kernel_poll *poll, int64_t *due)
{
    int64_t k = m->start[row], end = m->start[row + 1];
    int64_t whole = end - (end - k) % LANES;
    double sum[LANES] = {0};
    while (k < whole) {
        int64_t piece = whole - k < PIECE ? whole - k : PIECE;
        add_rounds(sum, m->value + k, m->column + k, x, piece);
        k += piece;
        *due -= piece;
        if (*due <= 0) {
            kernel_poll(poll);
            *due = PIECE;
        }
    }
    add_some(sum, m->value + k, m->column + k, x, end - k);
    return add_lanes(sum);
}

/* `state` is X. */
static void step_run(const void *instance, const void *state, int64_t start,
                     int64_t size, void *output, const struct kernel_poll *poll)
{
    const struct spmv *s = instance;
    double *result = output;
    int64_t due = PIECE;
    for (int64_t i = 0; i < size; i++) {
        result[i] = run_row(&s->matrix, state, start + i, poll, &due);
        due -= LANES; /* a row costs time, even if it is empty */
    }
}

static void spmv_run(const void *instance, void *scratch, int64_t start,
                     int64_t size, void *output, const struct kernel_poll *poll)
{
    (void)scratch;
    const struct spmv *s = instance;
    step_run(instance, s->x, start, size, output, poll);
}

/* One entry after the other, each to the partial sum it belongs to. */
static void multiply_rows(const struct sparse *m, const double *x,
                          int64_t start, int64_t size, double *result)
{
    for (int64_t row = start; row < start + size; row++) {
        double sum[LANES] = {0};
        int64_t first = m->start[row];
        for (int64_t k = first; k < m->start[row + 1]; k++)
            sum[(k - first) % LANES] += m->value[k] * x[m->column[k]];
        *result++ = add_lanes(sum);
    }
}

/* ---- time steps ---- */

static int step_count(const void *instance)
{
    const struct spmv *s = instance;
    return s->steps;
}

static size_t step_bytes(const void *instance)
{
    const struct spmv *s = instance;
    return (size_t)s->matrix.rows * sizeof(*s->x);
}

static void step_begin(const void *instance, void *state)
{
    const struct spmv *s = instance;
    memcpy(state, s->x, step_bytes(instance));
}

static void step_advance(const void *instance, void *state, const void *output)
{
    const struct spmv *s = instance;
    const double *y = output;
    double *x = state;
    for (int64_t i = 0; i < s->matrix.rows; i++)
        x[i] = 0.5 * s->x[i] + 0.5 * s->scale * y[i];
}

/* A row takes as long as 0.25 to 0.51 multiply-adds, measured. */
static double advance_operations(const void *instance)
{
    const struct spmv *s = instance;
    return 0.5 * (double)s->matrix.rows;
}

/* Gets the same bits as the kernel: halving is exact. */
static void spmv_reference(const void *instance, int64_t start, int64_t size,
                           void *output)
{
    const struct spmv *s = instance;
    const struct sparse *m = &s->matrix;
    double *x = s->x, *y = output;
    if (s->steps > 1)
        x = malloc(step_bytes(instance));
    if (x == NULL)
        return; /* the check finds the wrong result */
    if (s->steps > 1)
        memcpy(x, s->x, step_bytes(instance));
    for (int step = 1; step < s->steps; step++) {
        multiply_rows(m, x, start, size, y);
        for (int64_t i = 0; i < size; i++)
            x[i] = (s->x[i] + y[i] * s->scale) / 2;
    }
    multiply_rows(m, x, start, size, y);
    if (x != s->x)
        free(x);
}

static double spmv_operations(const void *instance, int64_t iteration)
{
    const struct spmv *s = instance;
    return (double)(s->matrix.start[iteration + 1] -
                    s->matrix.start[iteration]);
}

/* Every value, column, start and element of X and Y moves once. */
static void spmv_work(const void *instance, double *flops, double *bytes)
{
    const struct spmv *s = instance;
    double rows = (double)s->matrix.rows;
    double entries = (double)s->matrix.start[s->matrix.rows];
    *flops = s->steps * 2 * entries;
    *bytes = s->steps * (12 * entries + 24 * rows);
}

static const struct kernel_steps spmv_steps = {
    .count = step_count,
    .state_bytes = step_bytes,
    .begin = step_begin,
    .run = step_run,
    .advance = step_advance,
    .advance_operations = advance_operations,
};

static const struct kernel_cost spmv_cost = {
    .operation = "multiply-add",
    .flops = 2,
    .operations = spmv_operations,
};

const struct kernel_ops kernel_spmv_ops = {
    .name = "spmv",
    .summary = "sparse matrix times vector by rows, from a file or a power law",
    .citation = "R-MAT: Chakrabarti, Zhan and Faloutsos 2004, as in Graph500",
    .params = spmv_params,
    .examine = spmv_examine,
    .create = spmv_create,
    .destroy = spmv_destroy,
    .iterations = spmv_iterations,
    .output_bytes = spmv_output_bytes,
    .run = spmv_run,
    .reference = spmv_reference,
    .cost = &spmv_cost,
    .steps = &spmv_steps,
    .work = spmv_work,
};
