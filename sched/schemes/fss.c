/* Factoring self-scheduling: stages of p equal chunks.
 *
 *     C_i = ceil(R / (alpha p)),   R at the start of the stage
 *
 * Hummel, Schonberg and Flynn 1992; Han and Chronopoulos, sec. II.  A stage
 * hands out R/alpha iterations, so alpha is at least 1; alpha = 2 is the
 * papers' choice (FAC2).  alpha p may be any real number: the rounding up
 * forgives the rounding of that product. */
#include "sched/arith.h"

enum { FSS_ALPHA };

struct fss_state {
    double divisor; /* alpha p */
    int64_t workers;
    int64_t chunk; /* size in this stage */
    struct sched_stage requests;
};

static int fss_init(void *state, const struct sched_loop *loop,
                    const struct spec *spec, struct error *err)
{
    struct fss_state *s = state;
    (void)err;
    s->divisor = spec->value[FSS_ALPHA].real * loop->workers;
    s->workers = loop->workers;
    return 0;
}

static int64_t fss_next(void *state, int worker, int64_t remaining)
{
    struct fss_state *s = state;
    (void)worker;
    if (sched_stage_begins(&s->requests, s->workers))
        s->chunk = sched_round_up((double)remaining / s->divisor);
    return s->chunk;
}

static const struct spec_param fss_params[] = {
    [FSS_ALPHA] = PARAM_REAL("alpha", "2", 1, 1000,
                             "a stage hands out 1/alpha of what is left"),
    {0},
};

const struct sched_ops sched_fss_ops = {
    .name = "fss",
    .alias = "fac2",
    .citation = "Hummel, Schonberg and Flynn 1992; Han and Chronopoulos, "
                "sec. II",
    .summary = "stages of p equal chunks, each stage 1/alpha of what is left",
    .params = fss_params,
    .state_size = sizeof(struct fss_state),
    .init = fss_init,
    .next = fss_next,
};
