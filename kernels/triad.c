/* triad: a(i) = b(i) + s * c(i), memory bound and equal.
 *
 *   FOR k = 0 TO SIZE/BLOCK - 1:  the elements of block k
 *
 * The third kernel of STREAM (McCalpin 1995).  All iterations cost the same and
 * none reuses anything: the control among the kernels.  No scheme can win here.
 * A dynamic one pays for handing out, and for data that another core or NUMA
 * node has touched.
 *
 * b and c are the hash of their index, so that the reference computes them anew
 * instead of reading them; product and sum are rounded one by one. */
#include "kernels/kernel.h"

#include "base/random.h"
#include "kernels/support/memory_check.h"

#include <errno.h>
#include <stdlib.h>

enum {
    PIECE = 16384, /* elements between two polls, about 20 us */
};

static const double factor = 3;

enum { SIZE, BLOCK };

static const struct spec_param triad_params[] = {
    [SIZE] = PARAM_WHOLE("size", "16777216", 1, 0x1p40,
                         "elements of an array; the last block may be shorter"),
    [BLOCK] =
        PARAM_WHOLE("block", "16384", 1, 0x1p28, "elements of an iteration"),
    {0},
};

struct triad {
    int64_t size, block;
    double *b, *c;
};

static double array_element(int64_t index, uint64_t array)
{
    uint64_t bits = random_stream(array, (uint64_t)index);
    return (double)(bits >> 11) * 0x1p-53;
}

static void triad_destroy(void *instance)
{
    struct triad *t = instance;
    free(t->b);
    free(t->c);
    free(t);
}

static int64_t triad_count(const struct spec *spec)
{
    int64_t size = spec->value[SIZE].integer;
    int64_t block = spec->value[BLOCK].integer;
    return size / block + (size % block != 0);
}

/* Two arrays of input. */
static double triad_memory(const struct spec *spec)
{
    return 2 * sizeof(double) * spec->value[SIZE].real;
}

/* Sets only the fields that are needed without data. */
static int triad_outline(const struct spec *spec, void **instance,
                         struct error *err)
{
    struct triad *t = calloc(1, sizeof(*t));
    if (t == NULL)
        return error_set(err, ENOMEM, "kernel triad: out of memory");
    t->size = spec->value[SIZE].integer;
    t->block = spec->value[BLOCK].integer;
    *instance = t;
    return 0;
}

static void fill_arrays(const struct triad *t, int64_t first, int64_t end)
{
    for (int64_t i = first; i < end; i++) {
        t->b[i] = array_element(i, 1);
        t->c[i] = array_element(i, 2);
    }
}

static int triad_create(const struct spec *spec, void **instance,
                        struct error *err)
{
    void *made = NULL;
    int code =
        kernel_memory_check("triad", "the arrays", triad_memory(spec), err);
    if (code == 0)
        code = triad_outline(spec, &made, err);
    if (code != 0)
        return code;
    struct triad *t = made;
    t->b = malloc((size_t)t->size * sizeof(double));
    t->c = malloc((size_t)t->size * sizeof(double));
    if (t->b == NULL || t->c == NULL) {
        triad_destroy(t);
        return error_set(err, ENOMEM, "kernel triad: out of memory");
    }
    fill_arrays(t, 0, t->size);
    *instance = t;
    return 0;
}

static int64_t triad_iterations(const void *instance)
{
    const struct triad *t = instance;
    return t->size / t->block + (t->size % t->block != 0);
}

static size_t triad_output_bytes(const void *instance)
{
    const struct triad *t = instance;
    return (size_t)t->block * sizeof(double);
}

KERNEL_CLONES static void add(double *a, const double *b, const double *c,
                              int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        a[i] = b[i] + factor * c[i];
}

/* The elements of some blocks: [*first, the result). */
static int64_t end_of(const struct triad *t, int64_t start, int64_t size,
                      int64_t *first)
{
    int64_t last = (start + size) * t->block;
    *first = start * t->block;
    return last < t->size ? last : t->size;
}

static void triad_touch(const void *instance, int64_t start, int64_t size,
                        const struct kernel_pages *pages)
{
    const struct triad *t = instance;
    int64_t first, end = end_of(t, start, size, &first);
    size_t bytes = (size_t)(end - first) * sizeof(double);
    pages->give_up(pages->arg, t->b + first, bytes);
    pages->give_up(pages->arg, t->c + first, bytes);
    fill_arrays(t, first, end);
}

static void triad_run(const void *instance, void *scratch, int64_t start,
                      int64_t size, void *output,
                      const struct kernel_poll *poll)
{
    (void)scratch;
    const struct triad *t = instance;
    double *a = output;
    int64_t first, end = end_of(t, start, size, &first);
    int64_t last = (start + size) * t->block;
    for (int64_t i = first; i < end; i += PIECE) {
        add(a + (i - first), t->b + i, t->c + i,
            end - i < PIECE ? end - i : PIECE);
        kernel_poll(poll);
    }
    for (int64_t i = end; i < last; i++)
        a[i - first] = 0;
}

static void triad_reference(const void *instance, int64_t start, int64_t size,
                            void *output)
{
    const struct triad *t = instance;
    double *a = output;
    for (int64_t i = start * t->block; i < (start + size) * t->block; i++)
        *a++ = i < t->size ? array_element(i, 1) + factor * array_element(i, 2)
                           : 0;
}

static double triad_operations(const void *instance, int64_t iteration)
{
    /* The elements of a block; the padding after the array does not count. */
    const struct triad *t = instance;
    int64_t left = t->size - iteration * t->block;
    return (double)(left < t->block ? left : t->block);
}

/* Two arrays are read and one is written. */
static void triad_work(const void *instance, double *flops, double *bytes)
{
    const struct triad *t = instance;
    *flops = 2 * (double)t->size;
    *bytes = 3 * sizeof(double) * (double)t->size;
}

static const struct kernel_cost triad_cost = {
    .operation = "multiply-add",
    .flops = 2,
    .outline = triad_outline,
    .operations = triad_operations,
};

const struct kernel_ops kernel_triad_ops = {
    .name = "triad",
    .summary = "a = b + s c in blocks: memory bound, equal cost, the control",
    .citation = "McCalpin, STREAM, 1995",
    .params = triad_params,
    .memory = triad_memory,
    .count = triad_count,
    .create = triad_create,
    .destroy = triad_destroy,
    .iterations = triad_iterations,
    .output_bytes = triad_output_bytes,
    .run = triad_run,
    .touch = triad_touch,
    .reference = triad_reference,
    .cost = &triad_cost,
    .work = triad_work,
};
