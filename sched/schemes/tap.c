/* Tapering: guided self-scheduling, minus the extra time of an unlucky chunk.
 *
 *     C_i = max(min, ceil(T + v^2/2 - v sqrt(2 T + v^2/4)))
 *     T = R_{i-1} / p,   v = alpha sigma / mu
 *
 * Lucco 1992.  mu and sigma are the mean and the standard deviation of an
 * iteration's time, in any unit: only sigma/mu counts; alpha is the number of
 * deviations to allow for, 1.3 in the paper.  The defaults describe exponential
 * times (sigma = mu).  With sigma = 0 it is gss.  The formula is negative for
 * T < v^2 and is then raised to min.
 *
 * Implementations differ.  LB4OMP has this formula with the same rounding, but
 * its mu is a whole number of its clock's unit, and min the chunk of the OpenMP
 * schedule; in bosched (Kim, Kim and Park 2020) T = R/p + min/2. */
#include "sched/arith.h"

enum { TAP_MU, TAP_SIGMA, TAP_ALPHA, TAP_MIN };

struct tap_state {
    double workers;
    double v;
    int64_t min;
};

static int tap_init(void *state, const struct sched_loop *loop,
                    const struct spec *spec, struct error *err)
{
    struct tap_state *s = state;
    (void)err;
    s->workers = loop->workers;
    s->v = spec->value[TAP_ALPHA].real * spec->value[TAP_SIGMA].real /
           spec->value[TAP_MU].real;
    s->min = spec->value[TAP_MIN].integer;
    return 0;
}

static int64_t tap_next(void *state, int worker, int64_t remaining)
{
    const struct tap_state *s = state;
    (void)worker;
    double t = (double)remaining / s->workers;
    double v = s->v;
    /* With v = 1e12 the difference of two large numbers would be noise. */
    if (t <= v * v)
        return s->min;
    int64_t size = sched_round_up(t + v * v / 2 - v * sqrt(2 * t + v * v / 4));
    return size > s->min ? size : s->min;
}

static const struct spec_param tap_params[] = {
    [TAP_MU] = PARAM_REAL("mu", "1", 1e-12, 1e12,
                          "mean time of an iteration, in any unit"),
    [TAP_SIGMA] = PARAM_REAL("sigma", "1", 0, 1e12,
                             "its standard deviation, in the unit of mu"),
    [TAP_ALPHA] = PARAM_REAL("alpha", "1.3", 0, 1000,
                             "deviations that are made allowance for"),
    [TAP_MIN] =
        PARAM_WHOLE("min", "1", 1, 0x1p53, "smallest chunk, iterations"),
    {0},
};

const struct sched_ops sched_tap_ops = {
    .name = "tap",
    .citation = "Lucco 1992",
    .summary = "1/p of what is left, less an allowance for deviation",
    .params = tap_params,
    .state_size = sizeof(struct tap_state),
    .init = tap_init,
    .next = tap_next,
};
