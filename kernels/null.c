/* null: an empty loop body, to measure the cost of scheduling itself.
 *
 *   DO i = 0, I - 1: nothing
 *
 * There is no output.  Every call adds its range to two tallies, from which
 * check_tally sees whether every iteration ran exactly once:
 *   count  = sum of size                      must be I
 *   moment = sum of size * (2 start + size)   must be I^2
 * since size (2 start + size) = (start + size)^2 - start^2 telescopes over any
 * division of [0, I) into ranges.  A range that is left out and another of the
 * same size that ran twice leave the count right, but not the moment.  All is
 * modulo 2^64, in which sums are exact, so that the order does not matter.
 *
 * A call does not poll: it is far shorter than the time between two polls, and
 * the protocol polls between calls.
 *
 * Cost: two additions to memory and a multiplication.  Calls back to back take
 * 2.2 ns each (Zen 3, 3 GHz), the latency of the sums through memory; with
 * other work between them this is hidden. */
#include "kernels/kernel.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { SIZE };

static const struct spec_param null_params[] = {
    [SIZE] = PARAM_WHOLE("size", "1000000", 1, 0x1p62, "iterations"),
    {0},
};

struct null {
    int64_t iterations;
};

static int64_t null_count(const struct spec *spec)
{
    return spec->value[SIZE].integer;
}

static int null_create(const struct spec *spec, void **instance,
                       struct error *err)
{
    struct null *null = malloc(sizeof(*null));
    if (null == NULL)
        return error_set(err, ENOMEM, "kernel null: out of memory");
    null->iterations = spec->value[SIZE].integer;
    *instance = null;
    return 0;
}

static int64_t null_iterations(const void *instance)
{
    const struct null *null = instance;
    return null->iterations;
}

static size_t null_output_bytes(const void *instance)
{
    (void)instance;
    return 0;
}

static size_t null_scratch_bytes(const void *instance)
{
    (void)instance;
    return 64;
}

static inline void add_to_tally(uint64_t tally[2], uint64_t start,
                                uint64_t size)
{
    tally[0] += size;
    /* Made one vector, the two sums take twice the time: the next call waits
     * for the slower forwarding of a store. */
    atomic_signal_fence(memory_order_seq_cst);
    tally[1] += size * (2 * start + size);
}

static void null_run(const void *instance, void *scratch, int64_t start,
                     int64_t size, void *output, const struct kernel_poll *poll)
{
    (void)instance;
    (void)output;
    (void)poll;
    add_to_tally(scratch, (uint64_t)start, (uint64_t)size);
}

static bool null_check_tally(const void *instance, const uint64_t tally[2])
{
    const struct null *null = instance;
    uint64_t total = (uint64_t)null->iterations;
    return tally[0] == total && tally[1] == total * total;
}

static double null_operations(const void *instance, int64_t iteration)
{
    (void)instance, (void)iteration;
    return 0;
}

static const struct kernel_cost null_cost = {
    .operation = "nothing",
    .operations = null_operations,
};

const struct kernel_ops kernel_null_ops = {
    .name = "null",
    .summary = "empty iterations, measures the overhead of scheduling",
    .citation = "none: the empty loop",
    .params = null_params,
    .count = null_count,
    .create = null_create,
    .destroy = free,
    .iterations = null_iterations,
    .output_bytes = null_output_bytes,
    .scratch_bytes = null_scratch_bytes,
    .run = null_run,
    .cost = &null_cost,
    .check_tally = null_check_tally,
};
