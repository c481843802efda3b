/* adjoint: adjoint convolution, decreasing cost.
 *
 *   FOR I = 1 TO N*N:  FOR J = I TO N*N:  A(I) = A(I) + X * B(J) * C(J - I)
 *
 * Han and Chronopoulos, Scalable Loop Self-Scheduling Schemes Implemented on
 * Large-Scale Clusters, section V; iteration i takes O(N*N - i).  A is 0 at
 * first; X, B and C are random in [0, 1), the same on every machine.  Each
 * product is rounded as written, (X*B(J))*C(J - I); X*B(J) is the same in all
 * rows and is computed once.
 *
 * Order of summation, which the paper leaves to the compiler: LANES partial
 * sums, by (J - I) mod LANES, then added pairwise (l and l + 8, l + 4, l + 2, l
 * + 1).  A single running sum would wait 3 or 4 cycles for every addition; 16
 * sums make 4 vectors of 4, which keep the loads busy.
 *
 * Speed.  The caches limit it, as in a dot product: two loads per product,
 * nothing to reuse inside a row (N = 100: 160 KB of arrays, second level; N =
 * 800: 10 MB, third level).  Each row is computed alone.  Neighbouring rows
 * could share loads, but an iteration would then be cheaper in a large chunk,
 * and schemes could not be compared.
 *
 * Bits: a row is summed in the order above in any chunk.  Polls cut it into
 * pieces, which keep the partial sums. */
#include "kernels/kernel.h"

#include "base/random.h"
#include "kernels/support/memory_check.h"

#include <errno.h>
#include <stdlib.h>

enum {
    LANES = 16,
    /* Products between two polls: 6 us from the second-level cache, about
     * 25 us from the third.  A multiple of LANES. */
    PIECE = 32768,
};

/* sum[l] += b[k] * c[k] for k = l mod LANES; n is a multiple of LANES. */
typedef void adjoint_add_fn(double sum[LANES], const double *b, const double *c,
                            int64_t n);

/* One body per instruction set: vectors of `width` numbers.  b is not aligned
 * to them. */
#define ADJOINT_ADD(name, target, width)                                       \
    typedef double name##_reals                                                \
        __attribute__((vector_size(8 * width), aligned(8), may_alias));        \
    target static void name(double sum[LANES], const double *b,                \
                            const double *c, int64_t n)                        \
    {                                                                          \
        enum { VECTORS = LANES / width };                                      \
        name##_reals s[VECTORS];                                               \
        for (int v = 0; v < VECTORS; v++)                                      \
            s[v] = ((const name##_reals *)sum)[v];                             \
        for (int64_t k = 0; k < n; k += LANES)                                 \
            for (int v = 0; v < VECTORS; v++)                                  \
                s[v] += ((const name##_reals *)(b + k))[v] *                   \
                        ((const name##_reals *)(c + k))[v];                    \
        for (int v = 0; v < VECTORS; v++)                                      \
            ((name##_reals *)sum)[v] = s[v];                                   \
    }

ADJOINT_ADD(add_sse2, , 2)
#ifdef __x86_64__
ADJOINT_ADD(add_avx2, __attribute__((target("avx2"))), 4)
ADJOINT_ADD(add_avx512, __attribute__((target("avx512f"))), 8)
#endif

enum { SIZE, SEED };

static const struct spec_param adjoint_params[] = {
    [SIZE] = PARAM_WHOLE("size", "100", 1, 1 << 20,
                         "N; the loop has N*N iterations"),
    [SEED] = PARAM_WHOLE("seed", "1", 0, 0x1p53, "seed of the random arrays"),
    {0},
};

struct adjoint {
    int64_t n;  /* N*N */
    double *xb; /* X * B(J) */
    double *c;
    adjoint_add_fn *add;
};

static adjoint_add_fn *choose_add(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f"))
        return add_avx512;
    if (__builtin_cpu_supports("avx2"))
        return add_avx2;
#endif
    return add_sse2;
}

static void adjoint_destroy(void *instance)
{
    struct adjoint *a = instance;
    free(a->xb);
    free(a->c);
    free(a);
}

/* An aligned array of n numbers, sized in whole cache lines. */
static double *make_array(int64_t n)
{
    return aligned_alloc(64, ((size_t)n * sizeof(double) + 63) / 64 * 64);
}

/* Two arrays of input. */
static double adjoint_memory(const struct spec *spec)
{
    double size = spec->value[SIZE].real;
    return 2 * sizeof(double) * size * size;
}

static int64_t adjoint_count(const struct spec *spec)
{
    return spec->value[SIZE].integer * spec->value[SIZE].integer;
}

/* Without the arrays. */
static int adjoint_outline(const struct spec *spec, void **instance,
                           struct error *err)
{
    struct adjoint *a = calloc(1, sizeof(*a));
    if (a == NULL)
        return error_set(err, ENOMEM, "kernel adjoint: out of memory");
    a->n = adjoint_count(spec);
    *instance = a;
    return 0;
}

static int adjoint_create(const struct spec *spec, void **instance,
                          struct error *err)
{
    int code =
        kernel_memory_check("adjoint", "the arrays", adjoint_memory(spec), err);
    if (code == 0)
        code = adjoint_outline(spec, instance, err);
    if (code != 0)
        return code;
    struct adjoint *a = *instance;
    *instance = NULL;
    a->add = choose_add();
    a->xb = make_array(a->n);
    a->c = make_array(a->n);
    if (a->xb == NULL || a->c == NULL) {
        adjoint_destroy(a);
        return error_set(err, ENOMEM, "kernel adjoint: out of memory");
    }
    uint64_t state = (uint64_t)spec->value[SEED].integer;
    double x = random_real(&state);
    for (int64_t i = 0; i < a->n; i++)
        a->xb[i] = x * random_real(&state);
    for (int64_t i = 0; i < a->n; i++)
        a->c[i] = random_real(&state);
    *instance = a;
    return 0;
}

static int64_t adjoint_iterations(const void *instance)
{
    const struct adjoint *a = instance;
    return a->n;
}

static size_t adjoint_output_bytes(const void *instance)
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

/* *due counts products down to the next poll, also across rows. */
static double run_row(const struct adjoint *a, int64_t row,
                      const struct kernel_poll *poll, int64_t *due)
{
    double sum[LANES] = {0};
    const double *b = a->xb + row;
    int64_t n = a->n - row;
    int64_t whole = n - n % LANES;
    for (int64_t k = 0; k < whole;) {
        int64_t piece = whole - k < *due ? whole - k : *due;
        a->add(sum, b + k, a->c + k, piece);
        k += piece;
        *due -= piece;
        if (*due == 0) {
            kernel_poll(poll);
            *due = PIECE;
        }
    }
    for (int64_t k = whole; k < n; k++)
        sum[k - whole] += b[k] * a->c[k];
    return add_lanes(sum);
}

static void adjoint_run(const void *instance, void *scratch, int64_t start,
                        int64_t size, void *output,
                        const struct kernel_poll *poll)
{
    (void)scratch;
    const struct adjoint *a = instance;
    double *result = output;
    int64_t due = PIECE;
    for (int64_t i = 0; i < size; i++)
        result[i] = run_row(a, start + i, poll, &due);
}

/* One product after the other, each to the partial sum it belongs to. */
static void adjoint_reference(const void *instance, int64_t start, int64_t size,
                              void *output)
{
    const struct adjoint *a = instance;
    double *result = output;
    for (int64_t i = start; i < start + size; i++) {
        double sum[LANES] = {0};
        for (int64_t j = i; j < a->n; j++)
            sum[(j - i) % LANES] += a->xb[j] * a->c[j - i];
        *result++ = add_lanes(sum);
    }
}

static double adjoint_operations(const void *instance, int64_t iteration)
{
    const struct adjoint *a = instance;
    return (double)(a->n - iteration);
}

static const struct kernel_cost adjoint_cost = {
    .operation = "multiply-add",
    .flops = 2,
    .outline = adjoint_outline,
    .operations = adjoint_operations,
};

const struct kernel_ops kernel_adjoint_ops = {
    .name = "adjoint",
    .summary = "adjoint convolution, decreasing cost",
    .citation = "Han and Chronopoulos, Scalable Loop Self-Scheduling Schemes "
                "Implemented on Large-Scale Clusters, section V",
    .params = adjoint_params,
    .memory = adjoint_memory,
    .count = adjoint_count,
    .create = adjoint_create,
    .destroy = adjoint_destroy,
    .iterations = adjoint_iterations,
    .output_bytes = adjoint_output_bytes,
    .run = adjoint_run,
    .reference = adjoint_reference,
    .cost = &adjoint_cost,
};
