/* matmul: a set of products of square matrices of random size.
 *
 *   FOR task = 0 TO tasks - 1:  C = A * B, n x n, n random in [min, max]
 *
 * Diaz, Reyes, Nino, Munoz-Caro, A Quadratic Self-Scheduling Algorithm for
 * Heterogeneous Distributed Computing Systems, section 4: "in each product, the
 * size of the matrices is randomly determined in run time between 900 and
 * 1500", thousands of products; 100 by default here, for a workstation.  The
 * product is a dgemm, one thread per call (kernels/support/dgemm.h).  A worker
 * keeps A, B and C in its scratch memory and fills A and B anew for every task.
 *
 * Speed: bound by dgemm's arithmetic (2 n^3 operations, with BLIS about 40
 * GFlop/s on Zen 3); filling and the checksum are O(n^2), 2 to 3 % at n = 1200.
 *
 * Polls.  dgemm cannot be interrupted, so the product is made in blocks of at
 * most BLOCK^3 when there is a poll: 200 to 300 us per block for any n, not the
 * 20 us of other kernels, compared with 30 ms for the smallest default task.
 * It is a compromise.  Products of 900 to 1500 take these multiples of the time
 * in one piece: blocks of 128 (65 to 100 us): 1.19 to 1.27, of 192: 1.17 to
 * 1.21, of 256 (500 to 750 us): 1.17 to 1.39, of 384: 1.13 to 1.40.
 *
 * Bits: entries are whole numbers of -8..8 without 0.  So every sum (at most 64
 * n) is exact in any order, with or without fused operations and blocks, and no
 * product is -0.  The output is n and XXH3 of C, row by row. */
#include "kernels/kernel.h"

#include "base/random.h"
#include "kernels/support/dgemm.h"
#include "kernels/support/memory_check.h"

#include <errno.h>
#include <stdlib.h>

#define XXH_STATIC_LINKING_ONLY /* the state of a checksum on the stack */
#include <xxhash.h>

enum {
    BLOCK = 192,
    NIBBLES = 16, /* entries made from one random number */
    /* Entries filled or summed up between two polls, about 10 us. */
    PIECE = 16384,
};

enum { TASKS, MIN, MAX, SEED };

static const struct spec_param matmul_params[] = {
    [TASKS] = PARAM_WHOLE("tasks", "100", 1, 0x1p40, "products"),
    [MIN] = PARAM_WHOLE("min", "900", 1, 30000, "smallest size of a matrix"),
    [MAX] = PARAM_WHOLE("max", "1500", 1, 30000, "largest size of a matrix"),
    [SEED] = PARAM_WHOLE("seed", "1", 0, 0x1p53, "seed of sizes and entries"),
    {0},
};

struct matmul {
    int64_t tasks;
    int64_t min, max;
    uint64_t seed;
};

struct matmul_output {
    uint64_t size;
    uint64_t checksum;
};

/* A task's random numbers: first its size, then A, then B by rows. */
struct entries {
    uint64_t state;
    int64_t n;
};

static struct entries start_task(const struct matmul *m, int64_t task)
{
    struct entries e = {random_stream(m->seed, (uint64_t)task), 0};
    uint64_t sizes = (uint64_t)(m->max - m->min + 1);
    e.n = m->min + (int64_t)(random_next(&e.state) % sizes);
    return e;
}

static int make_entry(uint64_t bits, int i)
{
    int nibble = (int)(bits >> (4 * i) & 15);
    return nibble - 8 + (nibble >> 3);
}

static int64_t matmul_count(const struct spec *spec)
{
    return spec->value[TASKS].integer;
}

static int matmul_create(const struct spec *spec, void **instance,
                         struct error *err)
{
    struct matmul values = {
        .tasks = spec->value[TASKS].integer,
        .min = spec->value[MIN].integer,
        .max = spec->value[MAX].integer,
        .seed = (uint64_t)spec->value[SEED].integer,
    };
    if (values.min > values.max)
        return error_set(err, EINVAL,
                         "kernel matmul: min=%lld is above max=%lld",
                         (long long)values.min, (long long)values.max);
    int code =
        kernel_memory_check("matmul", "the matrices of one worker",
                            24.0 * (double)(values.max * values.max), err);
    if (code != 0)
        return code;
    struct matmul *m = malloc(sizeof(*m));
    if (m == NULL)
        return error_set(err, ENOMEM, "kernel matmul: out of memory");
    *m = values;
    *instance = m;
    return 0;
}

static int64_t matmul_iterations(const void *instance)
{
    const struct matmul *m = instance;
    return m->tasks;
}

static size_t matmul_output_bytes(const void *instance)
{
    (void)instance;
    return sizeof(struct matmul_output);
}

static size_t matmul_scratch_bytes(const void *instance)
{
    const struct matmul *m = instance;
    return 3 * (size_t)(m->max * m->max) * sizeof(double);
}

static void fill_matrix(struct entries *e, double *matrix,
                        const struct kernel_poll *poll)
{
    int64_t count = e->n * e->n;
    for (int64_t k = 0; k < count; k += NIBBLES) {
        uint64_t bits = random_next(&e->state);
        int64_t left = count - k;
        for (int i = 0; i < (left < NIBBLES ? left : NIBBLES); i++)
            matrix[k + i] = make_entry(bits, i);
        if (k % PIECE == 0 && k > 0)
            kernel_poll(poll);
    }
}

/* Part i of n cut into equal parts. */
static int64_t cut_part(int64_t n, int64_t parts, int64_t i)
{
    return n * i / parts;
}

static void multiply_blocks(int64_t n, const double *a, const double *b,
                            double *c, const struct kernel_poll *poll)
{
    int64_t parts = (n + BLOCK - 1) / BLOCK;
    for (int64_t block = 0; block < parts * parts * parts; block++) {
        int64_t at[3], size[3];
        const int64_t index[3] = {block / parts / parts, block / parts % parts,
                                  block % parts};
        for (int d = 0; d < 3; d++) {
            at[d] = cut_part(n, parts, index[d]);
            size[d] = cut_part(n, parts, index[d] + 1) - at[d];
        }
        dgemm(n, a + at[0] * n + at[2], b + at[2] * n + at[1],
              c + at[0] * n + at[1], size, index[2] > 0);
        kernel_poll(poll);
    }
}

static uint64_t hash_product(const double *c, int64_t count,
                             const struct kernel_poll *poll)
{
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    XXH3_64bits_reset(&state);
    for (int64_t k = 0; k < count; k += PIECE) {
        int64_t piece = count - k < PIECE ? count - k : PIECE;
        XXH3_64bits_update(&state, c + k, (size_t)piece * sizeof(*c));
        if (piece == PIECE)
            kernel_poll(poll);
    }
    return XXH3_64bits_digest(&state);
}

static struct matmul_output multiply_task(int64_t n, const double *a, double *c,
                                          const struct kernel_poll *poll)
{
    const double *b = a + n * n;
    if (poll == NULL)
        dgemm(n, a, b, c, (const int64_t[]){n, n, n}, false);
    else
        multiply_blocks(n, a, b, c, poll);
    return (struct matmul_output){(uint64_t)n, hash_product(c, n * n, poll)};
}

/* Fills A and, behind it in memory, B. */
static void fill_task(struct entries *e, double *matrices,
                      const struct kernel_poll *poll)
{
    fill_matrix(e, matrices, poll);
    fill_matrix(e, matrices + e->n * e->n, poll);
}

static void matmul_run(const void *instance, void *scratch, int64_t start,
                       int64_t size, void *output,
                       const struct kernel_poll *poll)
{
    struct matmul_output *result = output;
    double *matrices = scratch;
    for (int64_t i = 0; i < size; i++) {
        struct entries e = start_task(instance, start + i);
        fill_task(&e, matrices, poll);
        result[i] =
            multiply_task(e.n, matrices, matrices + 2 * e.n * e.n, poll);
    }
}

/* ---- A and B as input data ---- */

static size_t matmul_input_bytes(const void *instance, int64_t iteration)
{
    int64_t n = start_task(instance, iteration).n;
    return 2 * (size_t)(n * n) * sizeof(double);
}

static void matmul_input_make(const void *instance, int64_t iteration, void *to)
{
    struct entries e = start_task(instance, iteration);
    fill_task(&e, to, NULL);
}

static void matmul_input_run(const void *instance, void *scratch, int64_t start,
                             int64_t size, const void *input, void *output,
                             const struct kernel_poll *poll)
{
    struct matmul_output *result = output;
    const double *matrices = input;
    for (int64_t i = 0; i < size; i++) {
        int64_t n = start_task(instance, start + i).n;
        result[i] = multiply_task(n, matrices, scratch, poll);
        matrices += 2 * n * n;
    }
}

static const struct kernel_input matmul_input = {
    .bytes = matmul_input_bytes,
    .make = matmul_input_make,
    .run = matmul_input_run,
};

/* ---- reference ---- */

static void fill_whole(struct entries *e, int32_t *matrix)
{
    uint64_t bits = 0;
    for (int64_t k = 0; k < e->n * e->n; k++) {
        if (k % NIBBLES == 0)
            bits = random_next(&e->state);
        matrix[k] = make_entry(bits, (int)(k % NIBBLES));
    }
}

/* Multiplies in whole numbers, by three loops; memory: 2 matrices, 2 rows. */
static uint64_t multiply_whole(struct entries *e, int32_t *a, double *line)
{
    int64_t n = e->n;
    int32_t *b = a + n * n, *row = b + n * n;
    fill_whole(e, a);
    fill_whole(e, b);
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    XXH3_64bits_reset(&state);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++)
            row[j] = 0;
        for (int64_t k = 0; k < n; k++)
            for (int64_t j = 0; j < n; j++)
                row[j] += a[i * n + k] * b[k * n + j];
        for (int64_t j = 0; j < n; j++)
            line[j] = row[j];
        XXH3_64bits_update(&state, line, (size_t)n * sizeof(*line));
    }
    return XXH3_64bits_digest(&state);
}

/* Without memory the output is 0, which no run produces. */
static struct matmul_output reference_task(const struct matmul *m, int64_t task)
{
    struct matmul_output result = {0, 0};
    struct entries e = start_task(m, task);
    size_t n = (size_t)e.n;
    int32_t *whole = malloc((2 * n * n + n) * sizeof(*whole));
    double *line = malloc(n * sizeof(*line));
    if (whole != NULL && line != NULL)
        result = (struct matmul_output){n, multiply_whole(&e, whole, line)};
    free(line);
    free(whole);
    return result;
}

static void matmul_reference(const void *instance, int64_t start, int64_t size,
                             void *output)
{
    struct matmul_output *result = output;
    for (int64_t i = 0; i < size; i++)
        result[i] = reference_task(instance, start + i);
}

static double matmul_operations(const void *instance, int64_t iteration)
{
    double n = (double)start_task(instance, iteration).n;
    return n * n * n;
}

static const struct kernel_cost matmul_cost = {
    .operation = "multiply-add",
    .flops = 2,
    .operations = matmul_operations,
};

const struct kernel_ops kernel_matmul_ops = {
    .name = "matmul",
    .summary = "products of square matrices of random size, by BLAS",
    .citation = "Diaz, Reyes, Nino and Munoz-Caro, A Quadratic Self-Scheduling "
                "Algorithm for Heterogeneous Distributed Computing Systems, "
                "section 4",
    .params = matmul_params,
    .count = matmul_count,
    .create = matmul_create,
    .destroy = free,
    .iterations = matmul_iterations,
    .output_bytes = matmul_output_bytes,
    .scratch_bytes = matmul_scratch_bytes,
    .run = matmul_run,
    .reference = matmul_reference,
    .cost = &matmul_cost,
    .input = &matmul_input,
};
