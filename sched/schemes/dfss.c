/* Distributed factoring self-scheduling.
 *
 *     C = ceil(R / (alpha V)) V_j,   rounded to nearest,
 *     R at the start of the stage
 *
 * with V_j the powers normalised to the slowest (real) and V their sum.  Han
 * and Chronopoulos, sec. III, algorithm 2.  "All the work in the current
 * stage" is read as: the powers served since its start add up to V, which for
 * one request of each worker is R/alpha.  The paper does not round the product
 * with a real V_j. */
#include "sched/arith.h"

enum { DFSS_ALPHA };

/* Powers summed in another order may miss V by a rounding error. */
static const double DFSS_WHOLE = 1 - 1e-9;

struct dfss_state {
    double alpha;
    double total;  /* V */
    double served; /* powers served in this stage */
    double unit;   /* ceil(R / (alpha V)), 0 between stages */
    double power[];
};

static int dfss_init(void *state, const struct sched_loop *loop,
                     const struct spec *spec, struct error *err)
{
    struct dfss_state *s = state;
    (void)err;
    s->alpha = spec->value[DFSS_ALPHA].real;
    s->total = sched_powers(loop, s->power);
    return 0;
}

static int64_t dfss_next(void *state, int worker, int64_t remaining)
{
    struct dfss_state *s = state;
    if (s->unit == 0) {
        double share = (double)remaining / (s->alpha * s->total);
        s->unit = (double)sched_round_up(share);
        s->served = 0;
    }
    int64_t size = sched_round(s->unit * s->power[worker]);
    s->served += s->power[worker];
    if (s->served >= s->total * DFSS_WHOLE)
        s->unit = 0;
    return size;
}

static const struct spec_param dfss_params[] = {
    [DFSS_ALPHA] = PARAM_REAL("alpha", "2", 1, 1000,
                              "a stage hands out 1/alpha of what is left"),
    {0},
};

const struct sched_ops sched_dfss_ops = {
    .name = "dfss",
    .citation = "Han and Chronopoulos, algorithm 2",
    .summary = "factoring by power; a stage ends when the power served is V",
    .params = dfss_params,
    .flags = SCHED_BY_POWER,
    .state_size = sizeof(struct dfss_state),
    .worker_size = sizeof(double),
    .init = dfss_init,
    .next = dfss_next,
};
