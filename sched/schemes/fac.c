/* Factoring with mean and deviation: stages of p equal chunks, each stage so
 * large that what is left probably evens out its differences.
 *
 *     C_j = ceil(R_j / (x_j p)),   R_j at the start of stage j = 0, 1, ...
 *     b_j = p sigma / (2 sqrt(R_j) mu)
 *     x_0 = 1 + b^2 + b sqrt(b^2 + 2),   x_j = 2 + b^2 + b sqrt(b^2 + 4)
 *
 * Flynn Hummel, Schonberg and Flynn 1992.  mu and sigma are the mean and the
 * standard deviation of an iteration's time, in any unit: only sigma/mu counts.
 * The defaults describe exponential times (sigma = mu).  With sigma = 0 all
 * goes out in the first stage, as static blocks.  fss (fac2) is the variant
 * with x_j = 2 that needs neither.
 *
 * Implementations differ: LB4OMP has these formulas with the same rounding, but
 * mu is a whole number of its clock's unit there; bosched (Kim, Kim and Park
 * 2020) has b^2 + 4 in x_0 too.  DLS4LB's FAC is fac2. */
#include "sched/arith.h"

enum { FAC_MU, FAC_SIGMA };

struct fac_state {
    double factor; /* p sigma / 2 mu */
    int64_t workers;
    int64_t chunk; /* size in this stage */
    struct sched_stage requests;
    int64_t base; /* 1 before the first stage, then 2 */
};

static int fac_init(void *state, const struct sched_loop *loop,
                    const struct spec *spec, struct error *err)
{
    struct fac_state *s = state;
    (void)err;
    double variation = spec->value[FAC_SIGMA].real / spec->value[FAC_MU].real;
    s->workers = loop->workers;
    s->factor = loop->workers * variation / 2;
    s->base = 1;
    return 0;
}

static void begin_stage(struct fac_state *s, double remaining)
{
    double b = s->factor / sqrt(remaining);
    double base = (double)s->base;
    double x = base + b * b + b * sqrt(b * b + 2 * base);
    s->chunk = sched_round_up(remaining / (x * (double)s->workers));
    s->base = 2;
}

static int64_t fac_next(void *state, int worker, int64_t remaining)
{
    struct fac_state *s = state;
    (void)worker;
    if (sched_stage_begins(&s->requests, s->workers))
        begin_stage(s, (double)remaining);
    return s->chunk;
}

static const struct spec_param fac_params[] = {
    [FAC_MU] = PARAM_REAL("mu", "1", 1e-12, 1e12,
                          "mean time of an iteration, in any unit"),
    [FAC_SIGMA] = PARAM_REAL("sigma", "1", 0, 1e12,
                             "its standard deviation, in the unit of mu"),
    {0},
};

const struct sched_ops sched_fac_ops = {
    .name = "fac",
    .citation = "Flynn Hummel, Schonberg and Flynn 1992",
    .summary = "stages of p equal chunks, sized by mean and deviation",
    .params = fac_params,
    .state_size = sizeof(struct fac_state),
    .init = fac_init,
    .next = fac_next,
};
