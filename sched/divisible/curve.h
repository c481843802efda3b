/* The most load that a set of workers can compute in a single round, as a
 * function of the remaining time.  It compares section 4's orders.
 *
 * R is the time from now to the end, with the port free.  The worker that gets
 * the next message computes (all end together, section 3.1)
 *     alpha = (R - g - z) / (G + w),    R >= g + z,
 * and leaves R' = R - g - alpha G to the workers after it.  So, with U the most
 * that these can do, it is best to send to worker i first when
 *     (R - g_i - z_i) / (G_i + w_i) + U(R')
 * is above the most without worker i.  U is 0 for no workers, and with every
 * added worker it stays a continuous, increasing, piecewise linear function of
 * R (and a convex one).  Each piece knows the worker with the first message and
 * the piece that continues after it: this gives the participants and their
 * order. */
#ifndef SCHED_DIVISIBLE_CURVE_H
#define SCHED_DIVISIBLE_CURVE_H

#include "sched/divisible/platform.h"

#include <stdint.h>

struct divisible_piece {
    double from, at, slope;     /* U(R) = at + slope (R - from) for R >= from */
    int worker;                 /* -1: no worker gets a message */
    int rest_curve, rest_piece; /* the continuation: the caller's number of a
                                   curve, and its piece */
};

/* Begins as {0}; divisible_curve_zero or _copy makes it a curve. */
struct divisible_curve {
    struct divisible_piece
        *piece; /* by increasing from, the first at 0; owned */
    int count;
    int64_t capacity;
};

/* U = 0, for no workers.  Returns 0 or -ENOMEM, as the functions below. */
int divisible_curve_zero(struct divisible_curve *curve, struct error *err);

/* base becomes the larger of base and "first to `worker`, then by rest", where
 * rest is the caller's curve number rest_curve.  Equal: base stays, so that no
 * worker takes part without gain.  Returns 0 or -ENOMEM. */
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

/* The smallest R with U(R) = load, above 0, and its piece; the curve has at
 * least one worker. */
double divisible_curve_invert(const struct divisible_curve *curve, double load,
                              int *piece);

void divisible_curve_free(struct divisible_curve *curve);

#endif
