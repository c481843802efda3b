/* Distributed guided self-scheduling.
 *
 *     C = ceil(R / (alpha V)) V_j,   rounded to nearest
 *
 * with V_j the powers normalised to the slowest (real) and V their sum.  Han
 * and Chronopoulos, sec. III, algorithm 3, which prints ceil(R/A) without
 * saying what A is: V here, since the same paper's gss has p in this place.
 * Its algorithm 2 has alpha V with alpha = 2; the key alpha gives it: where the
 * costly iterations come first, the first chunks of A = V hold more than a
 * worker's share.  The paper does not round the product with a real V_j. */
#include "sched/arith.h"

enum { DGSS_ALPHA };

struct dgss_state {
    double total; /* alpha V */
    double power[];
};

static int dgss_init(void *state, const struct sched_loop *loop,
                     const struct spec *spec, struct error *err)
{
    struct dgss_state *s = state;
    const struct spec_value *alpha = &spec->value[DGSS_ALPHA];
    (void)err;
    s->total = sched_powers(loop, s->power) * (alpha->given ? alpha->real : 1);
    return 0;
}

static int64_t dgss_next(void *state, int worker, int64_t remaining)
{
    const struct dgss_state *s = state;
    int64_t unit = sched_round_up((double)remaining / s->total);
    return sched_round((double)unit * s->power[worker]);
}

/* alpha has no default, since specs of old results lack it. */
static const struct spec_param dgss_params[] = {
    [DGSS_ALPHA] = PARAM_REAL("alpha", NULL, 1, 1e6,
                              "A is alpha V (1 if not given, in HDFSS 2)"),
    {0}};

const struct sched_ops sched_dgss_ops = {
    .name = "dgss",
    .citation = "Han and Chronopoulos, algorithm 3",
    .summary = "V_j/(alpha V) of what is left",
    .params = dgss_params,
    .flags = SCHED_BY_POWER,
    .state_size = sizeof(struct dgss_state),
    .worker_size = sizeof(double),
    .init = dgss_init,
    .next = dgss_next,
};
