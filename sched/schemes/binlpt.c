/* BinLPT: chunks of about equal cost, the most expensive first.
 *
 *     w = W / K;  chunk: iterations from i on up to the least j with
 *     C(j) - C(i) > w;  the K-th chunk takes the rest
 *
 * Penna et al., SSCAD 2017, and Concurrency and Computation 2019; chunks as in
 * the code of LaPeSD-libGOMP (src/libgomp/loop.c), where K is the user's. Fewer
 * than K may result.
 *
 * This is the on-demand half of the scheme: chunks by falling cost (equal
 * costs: the lower start first) go to any worker that asks.  It is the rule
 * "longest processing time first", with real ends instead of expected ones.
 * The published runtimes assign the same chunks in advance, each to the worker
 * with the least load so far; that map is not implemented here.
 *
 * Implementations differ: w is cut to a whole number in LaPeSD-libGOMP; bosched
 * closes a chunk at a cost of w, not above it, has no rule for the last chunk,
 * and uses K = 2p, the default here.  Neither defines the order of equal
 * costs. */
#include "sched/arith.h"

#include <stdlib.h>

enum { BINLPT_CHUNKS };

static int64_t binlpt_room(const struct sched_loop *loop,
                           const struct spec *spec)
{
    if (spec->value[BINLPT_CHUNKS].given)
        return spec->value[BINLPT_CHUNKS].integer;
    return 2 * (int64_t)loop->workers;
}

static int by_falling_cost(const void *a, const void *b, void *cost)
{
    const struct chunk *x = a, *y = b;
    const double *before = cost;
    double cost_x = before[x->start + x->size] - before[x->start];
    double cost_y = before[y->start + y->size] - before[y->start];
    if (cost_x != cost_y)
        return cost_x > cost_y ? -1 : 1;
    return x->start < y->start ? -1 : x->start > y->start;
}

static int64_t size_of(const double *cost, int64_t left, double share,
                       int64_t min_chunk)
{
    int64_t size = sched_cost_above(cost, left, share);
    if (size < min_chunk)
        size = min_chunk;
    return size < left ? size : left;
}

static int binlpt_order(const struct sched_loop *loop, const struct spec *spec,
                        int64_t min_chunk, struct chunk *chunk, int64_t *count)
{
    const double *cost = loop->cost;
    int64_t most = binlpt_room(loop, spec), n = 0, start = 0;
    double share = (cost[loop->iterations] - cost[0]) / (double)most;
    while (start < loop->iterations) {
        int64_t left = loop->iterations - start;
        int64_t size = n + 1 == most
                           ? left
                           : size_of(cost + start, left, share, min_chunk);
        chunk[n++] = (struct chunk){.start = start, .size = size};
        start += size;
    }
    /* qsort_r takes no const. */
    union {
        const double *is;
        void *given;
    } costs = {.is = cost};
    qsort_r(chunk, (size_t)n, sizeof(*chunk), by_falling_cost, costs.given);
    *count = n;
    return 0;
}

static const struct spec_param binlpt_params[] = {
    [BINLPT_CHUNKS] = PARAM_WHOLE("chunks", NULL, 1, 1 << 22,
                                  "K, chunks at most; default 2p"),
    {0},
};

const struct sched_ops sched_binlpt_ops = {
    .name = "binlpt",
    .citation = "Penna et al. 2017, 2019 (the on-demand half)",
    .summary = "chunks of equal known cost, the most expensive first",
    .params = binlpt_params,
    .flags = SCHED_NEEDS_COST,
    .state_size = sizeof(int64_t),
    .order = binlpt_order,
    .order_room = binlpt_room,
};
