/* A range of iterations: its owner takes pieces from the front, thieves from
 * the back.  Both ends are in one word, so that every change is one
 * compare-and-swap: no lock, and no thread can see half of it.  A word may
 * recur without harm: the same ends mean the same iterations, which no worker
 * has taken. */
#ifndef HARNESS_TRANSPORT_STEAL_STEAL_RANGE_H
#define HARNESS_TRANSPORT_STEAL_STEAL_RANGE_H

#include "base/error.h"
#include "base/invariant.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Iterations that a word can count. */
#define STEAL_ITERATIONS_MAX ((int64_t)UINT32_MAX)

/* Returns 0, or -ENOTSUP with a text for loops that do not fit. */
static inline int steal_check_iterations(int64_t iterations, struct error *err)
{
    if (iterations <= STEAL_ITERATIONS_MAX)
        return 0;
    return error_set(err, ENOTSUP,
                     "transport steal is for loops of up to %" PRId64
                     " iterations, this one has %" PRId64
                     ": use shared, master or window",
                     STEAL_ITERATIONS_MAX, iterations);
}

/* On a separate cache line: its owner writes it all the time. */
struct steal_range {
    _Alignas(128) _Atomic uint64_t ends;
};

static inline uint64_t steal_ends(int64_t begin, int64_t end)
{
    invariant(0 <= begin && begin <= end && end <= STEAL_ITERATIONS_MAX);
    return (uint64_t)begin << 32 | (uint64_t)end;
}

static inline int64_t steal_begin(uint64_t ends)
{
    return (int64_t)(ends >> 32);
}

static inline int64_t steal_end(uint64_t ends)
{
    return (int64_t)(ends & UINT32_MAX);
}

static inline int64_t steal_size(uint64_t ends)
{
    return steal_end(ends) - steal_begin(ends);
}

/* The size that a thief takes of `size`: half, rounded up, and at least the
 * run's minimum chunk if `size` has that much. */
static inline int64_t steal_half(int64_t size, int64_t min_chunk)
{
    int64_t half = size - size / 2;
    if (half < min_chunk)
        half = min_chunk;
    return half < size ? half : size;
}

#endif
