/* A part of the loop as one block for each worker, set in advance by power: the
 * common part of hybrid and pls.
 *
 *     block of worker j = floor(f I V_j / (V_1 + ... + V_p))
 *
 * A block may be empty.  Both schemes are SCHED_PRIMED. */
#ifndef SCHED_SCHEMES_BLOCKS_H
#define SCHED_SCHEMES_BLOCKS_H

#include "sched/arith.h"

struct blocks {
    int64_t left; /* workers without a block so far */
    double share; /* f I / (V_1 + ... + V_p) */
    double power[];
};

static inline void blocks_init(struct blocks *blocks,
                               const struct sched_loop *loop, double f)
{
    double sum = sched_powers(loop, blocks->power);
    blocks->left = loop->workers;
    blocks->share = f * (double)loop->iterations / sum;
}

/* Whether this request sets a block: of *size, or SCHED_NO_CHUNK. */
static inline bool blocks_next(struct blocks *blocks, int worker, int64_t *size)
{
    if (blocks->left == 0)
        return false;
    blocks->left--;
    /* A product that is whole but for rounding stays whole. */
    double exact = blocks->share * blocks->power[worker];
    *size = sched_size(exact * (1 + 4 * DBL_EPSILON));
    if (*size == 0)
        *size = SCHED_NO_CHUNK;
    return true;
}

#endif
