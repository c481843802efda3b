/* Arithmetic that several schemes share.
 *
 * Real sizes are computed in double, never in long double: every machine then
 * hands out the same chunks.  Sizes are exact up to I = 2^50 (the rounding
 * below needs three of double's 53 bits). */
#ifndef SCHED_ARITH_H
#define SCHED_ARITH_H

#include "sched/sched.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* a / b rounded up, a >= 0 and b >= 1, without a sum that could overflow. */
static inline int64_t sched_ceil_div(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

/* A whole number as a size; limited to int64_t, not undefined beyond. */
static inline int64_t sched_size(double whole)
{
    if (!(whole > 0))
        return 0;
    return whole < 0x1p62 ? (int64_t)whole : (int64_t)1 << 62;
}

/* The nearest whole number, halves up. */
static inline int64_t sched_round(double x)
{
    return sched_size(round(x));
}

/* The next whole number upwards.  A quotient that is whole but for the
 * rounding of its divisor stays whole: with powers 0.3 and 0.1, V is
 * 3.9999999999999996 and 4/V must not become 2.  Not by ceil, which is a call:
 * not every x86-64 has an instruction for it. */
static inline int64_t sched_round_up(double x)
{
    double least = x * (1 - 4 * DBL_EPSILON);
    int64_t whole = sched_size(least);
    return whole + ((double)whole < least);
}

/* The sizes of tss: F, F - D, F - 2D, ...  */
struct sched_trapezoid {
    int64_t steps;     /* N = ceil(2 I / (F + L)) */
    int64_t decrement; /* D = floor((F - L) / (N - 1)), 0 where N is 1 */
};

/* 2 I and F + L may need more than 64 bits. */
static inline struct sched_trapezoid
sched_trapezoid(int64_t iterations, int64_t first, int64_t last)
{
    __int128 twice = (__int128)2 * iterations;
    __int128 ends = (__int128)first + last;
    struct sched_trapezoid t = {.steps = (int64_t)((twice + ends - 1) / ends)};
    if (t.steps > 1)
        t.decrement = (first - last) / (t.steps - 1);
    return t;
}

/* F = floor(I / 2p), at least 1. */
static inline int64_t sched_trapezoid_first(const struct sched_loop *loop)
{
    int64_t first = loop->iterations / 2 / loop->workers;
    return first > 1 ? first : 1;
}

/* Requests come in stages of one per worker; zero at the start. */
struct sched_stage {
    int64_t left; /* requests left in this stage */
};

/* Counts a request; returns whether it is the first of its stage. */
static inline bool sched_stage_begins(struct sched_stage *stage,
                                      int64_t workers)
{
    bool begins = stage->left == 0;
    stage->left = (begins ? workers : stage->left) - 1;
    return begins;
}

static inline double sched_power(const struct sched_loop *loop, int worker)
{
    return loop->power != NULL ? loop->power[worker] : 1;
}

/* Han's virtual powers V_j (slowest = 1) of all workers; returns their sum. */
static inline double sched_powers(const struct sched_loop *loop, double *power)
{
    double slowest = sched_power(loop, 0);
    double sum = 0;
    for (int j = 1; j < loop->workers; j++)
        slowest = fmin(slowest, sched_power(loop, j));
    for (int j = 0; j < loop->workers; j++) {
        power[j] = sched_power(loop, j) / slowest;
        sum += power[j];
    }
    return sum;
}

/* ---- costs: cost[n] - cost[0] is that of the first n of `count` ---- */

/* The least n whose cost is at least / above `target`; count + 1: none. */
static inline int64_t sched_cost_search(const double *cost, int64_t count,
                                        double target, bool above)
{
    int64_t low = 0, high = count + 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        double sum = cost[middle] - cost[0];
        if (above ? sum > target : sum >= target)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static inline int64_t sched_cost_least(const double *cost, int64_t count,
                                       double target)
{
    return sched_cost_search(cost, count, target, false);
}

static inline int64_t sched_cost_above(const double *cost, int64_t count,
                                       double target)
{
    return sched_cost_search(cost, count, target, true);
}

#endif
