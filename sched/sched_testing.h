/* Common parts of this folder's tests: a loop under a scheme in one call, and a
 * random generator that gives the same numbers everywhere. */
#ifndef SCHED_SCHED_TESTING_H
#define SCHED_SCHED_TESTING_H

#include "base/random.h"
#include "base/unit_testing.h"
#include "sched/sched.h"
#include "sched/schemes/scheme_registry.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The longest sequence that tests compare. */
enum { TESTING_SIZES = 4000 };

/* A prepared loop that owns its memory. */
struct testing_loop {
    struct sched sched;
    struct spec spec;
    void *memory; /* exactly sched_bytes, so that ASan sees an overrun */
    size_t bytes;
    struct sched_table order; /* of a scheme that has one */
};

static inline int testing_try(struct testing_loop *t, const char *text,
                              const struct sched_loop *loop, int64_t min_chunk,
                              struct error *err)
{
    const struct sched_ops *ops;
    int code = sched_parse(text, &ops, &t->spec, err);
    struct sched_loop whole = *loop;
    t->order = (struct sched_table){0};
    if (code == 0 && ops->order != NULL)
        code =
            sched_table_build(&t->order, ops, &t->spec, loop, min_chunk, err);
    if (code != 0)
        return code;
    whole.order = &t->order;
    t->bytes = sched_bytes(ops, loop);
    t->memory = malloc(t->bytes);
    assert_non_null(t->memory);
    code =
        sched_init(&t->sched, t->memory, ops, &t->spec, &whole, min_chunk, err);
    if (code != 0)
        free(t->memory);
    return code;
}

static inline void testing_open(struct testing_loop *t, const char *text,
                                const struct sched_loop *loop,
                                int64_t min_chunk)
{
    struct error err = {""};
    int code = testing_try(t, text, loop, min_chunk, &err);
    if (code != 0)
        fail_msg("%s: %s", text, err.text);
}

static inline void testing_close(struct testing_loop *t)
{
    free(t->memory);
    sched_table_free(&t->order);
}

/* Sizes in the order of a round robin of the workers, without primed chunks.
 * Returns how many there are, at most max. */
static inline int testing_sizes(const char *text, const struct sched_loop *loop,
                                int64_t min_chunk, int64_t *size, int max)
{
    struct testing_loop t;
    struct chunk chunk;
    int n = 0;
    testing_open(&t, text, loop, min_chunk);
    while (n < max && sched_next(&t.sched, n % loop->workers, &chunk))
        size[n++] = chunk.size;
    testing_close(&t);
    return n;
}

/* The chunk sequence of a loop is just this one. */
static inline void testing_assert_sizes(const char *text,
                                        const struct sched_loop *loop,
                                        const int64_t *expected, int count)
{
    int64_t size[TESTING_SIZES];
    int n = testing_sizes(text, loop, 1, size, TESTING_SIZES);
    for (int i = 0; i < n && i < count; i++)
        if (size[i] != expected[i])
            fail_msg("%s: chunk %d is %" PRId64 ", not %" PRId64, text, i,
                     size[i], expected[i]);
    if (n != count)
        fail_msg("%s: %d chunks, not %d", text, n, count);
}

#define TESTING_ASSERT_SIZES(text, loop, ...)                                  \
    do {                                                                       \
        const int64_t expected[] = {__VA_ARGS__};                              \
        testing_assert_sizes(text, loop, expected,                             \
                             (int)(sizeof(expected) / sizeof(expected[0])));   \
    } while (0)

/* A file of a paper's printed values, behind its header. */
static inline FILE *testing_open_paper(const char *name)
{
    char path[128], header[256];
    snprintf(path, sizeof(path), "bench/papers/%s", name);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        fail_msg("%s: run the tests in the root of the repository", path);
    assert_non_null(fgets(header, sizeof(header), file));
    return file;
}

/* Costs of a loop, some of them 0. */
static inline void testing_costs(double *cost, int64_t iterations,
                                 uint64_t *seed)
{
    cost[0] = 0;
    for (int64_t i = 0; i < iterations; i++)
        cost[i + 1] = cost[i] + (double)(random_next(seed) % 10);
}

/* The table of a scheme that has an order, else an empty one. */
static inline void testing_order(struct sched_table *order,
                                 const struct sched_ops *ops,
                                 const struct spec *spec,
                                 const struct sched_loop *loop,
                                 int64_t min_chunk)
{
    struct error err = {""};
    *order = (struct sched_table){0};
    if (ops->order != NULL &&
        sched_table_build(order, ops, spec, loop, min_chunk, &err) != 0)
        fail_msg("%s: %s", spec->canonical, err.text);
}

/* The first seed of a test: DLSBENCH_SEED or always the same. */
static inline uint64_t testing_seed(void)
{
    const char *text = getenv("DLSBENCH_SEED");
    return text != NULL ? strtoull(text, NULL, 10) : 20250101;
}

static inline uint64_t testing_random(uint64_t *seed)
{
    return random_next(seed);
}

/* A whole number in [low, high], high - low < 2^63. */
static inline int64_t testing_between(uint64_t *seed, int64_t low, int64_t high)
{
    return low + (int64_t)(testing_random(seed) % ((uint64_t)(high - low) + 1));
}

/* The same with every power of two equally likely; low = 1. */
static inline int64_t testing_scale(uint64_t *seed, int64_t high)
{
    int bits = (int)testing_between(seed, 1, 62);
    while (bits > 1 && (int64_t)1 << (bits - 1) > high)
        bits = (int)testing_between(seed, 1, 62);
    int64_t top = (int64_t)1 << bits;
    return testing_between(seed, 1, top < high ? top : high);
}

#endif
