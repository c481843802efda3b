/* Trapezoid self-scheduling as a Taylor expansion, with real numbers.
 *
 *     C(t) = C_0 + (C_N - C_0) / N t,   t = 0, 1, ...   rounded to nearest
 *     C_0 = I / 2p,   C_N = 1,   N = 2 I / (C_0 + C_N)
 *
 * Diaz et al., eqs. (5) and (6).  The paper does not say how C(t) is rounded
 * nor that N is not a whole number: rounding to nearest with the real N gives
 * its table 3.  Sizes that round to 0 are raised to 1. */
#include "sched/arith.h"

struct tss_taylor_state {
    double first; /* C_0 */
    double slope; /* (C_N - C_0) / N */
    int64_t step; /* t */
};

static int tss_taylor_init(void *state, const struct sched_loop *loop,
                           const struct spec *spec, struct error *err)
{
    struct tss_taylor_state *s = state;
    (void)spec;
    (void)err;
    double iterations = (double)loop->iterations;
    s->first = iterations / (2.0 * loop->workers);
    double steps = 2 * iterations / (s->first + 1);
    s->slope = (1 - s->first) / steps;
    return 0;
}

static int64_t tss_taylor_next(void *state, int worker, int64_t remaining)
{
    struct tss_taylor_state *s = state;
    (void)worker;
    (void)remaining;
    int64_t size = sched_round(s->first + s->slope * (double)s->step++);
    return size > 1 ? size : 1;
}

static const struct spec_param tss_taylor_params[] = {{0}};

const struct sched_ops sched_tss_taylor_ops = {
    .name = "tss-taylor",
    .citation = "Diaz et al., eqs. (5), (6)",
    .summary = "sizes fall by a real number from I/2p to 1, rounded",
    .params = tss_taylor_params,
    .state_size = sizeof(struct tss_taylor_state),
    .init = tss_taylor_init,
    .next = tss_taylor_next,
};
