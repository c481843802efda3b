/* The most load that a set of workers can compute in a single round, as a
 * function of the time that remains: what section 4's orders are compared by.
 *
 * R is the time from now to the end, the port being free.  A worker that is
 * sent to next computes (all end together, section 3.1)
 *     alpha = (R - g - z) / (G + w),    R >= g + z,
 * and leaves R' = R - g - alpha G to those after it.  So, with U the most that
 * these can do, it is best to send to worker i first when
 *     (R - g_i - z_i) / (G_i + w_i) + U(R')
 * is above what can be done without.  U is 0 for nobody, and with every worker
 * it stays a continuous, increasing, piecewise linear function of R (and a
 * convex one).  Each piece knows the worker that is sent to first and the piece
 * that goes on behind it, so that who takes part, and in which order, can be
 * read off. */
#ifndef SCHED_DIVISIBLE_CURVE_H
#define SCHED_DIVISIBLE_CURVE_H

#include "sched/divisible/platform.h"

#include <stdint.h>

struct divisible_piece {
    double from, at, slope;     /* U(R) = at + slope (R - from) for R >= from */
    int worker;                 /* -1: nobody is sent anything */
    int rest_curve, rest_piece; /* how it goes on: the caller's number of a
                                   curve, and the piece of it */
};

/* {0} is no curve yet: divisible_curve_zero or _copy makes one. */
struct divisible_curve {
    struct divisible_piece
        *piece; /* by increasing from, the first at 0; owned */
    int count;
    int64_t capacity;
};

/* U = 0 for nobody.  Returns 0 or -ENOMEM, as the functions below. */
int divisible_curve_zero(struct divisible_curve *curve, struct error *err);

/* base becomes the larger of base and "first to `worker`, then by rest", where
 * rest is the caller's curve number rest_curve.  Equal: base stays, so that
 * nobody takes part for nothing.  Returns 0 or -ENOMEM. */
int divisible_curve_raise(struct divisible_curve *base,
                          const struct divisible_platform *platform, int worker,
                          const struct divisible_curve *rest, int rest_curve,
                          struct error *err);

/* base becomes the larger of base and other; equal: base stays. */
int divisible_curve_larger(struct divisible_curve *base,
                           const struct divisible_curve *other,
                           struct error *err);

/* A copy, for what begins as another curve. */
int divisible_curve_copy(struct divisible_curve *curve,
                         const struct divisible_curve *from, struct error *err);

/* The smallest R with U(R) = load, above 0, and its piece; the curve has more
 * than nobody. */
double divisible_curve_invert(const struct divisible_curve *curve, double load,
                              int *piece);

void divisible_curve_free(struct divisible_curve *curve);

#endif
