/* Weighted factoring: factoring whose chunks are weighted by power.
 *
 *     C_i = ceil(v_j R / (alpha p)),   sum(v) = p,   R at the start of a stage
 *
 * Hummel, Schmidt, Uma and Wein 1996 (cited by Diaz et al., sec. 2).  A stage
 * is p requests from any workers: workers that ask twice in a stage move it
 * away from R/alpha, which the paper accepts.  With V_j normalised to the
 * slowest and V their sum, v_j/p = V_j/V; written so, equal powers give fss to
 * the last digit.  With alpha = 2 it is the WF2 of others.
 *
 * Implementations differ: LB4OMP takes the given weights with any sum, halves
 * ceil(I/2p) from stage to stage independently of R, and rounds up before and
 * after weighting.  A stage of DLS4LB is p ceil(R/2p) iterations and not p
 * requests: the chunk that reaches its end is cut there. */
#include "sched/arith.h"

enum { WF_ALPHA };

struct wf_state {
    double divisor;   /* alpha V */
    double remaining; /* R of this stage */
    int64_t workers;
    struct sched_stage requests;
    double power[];
};

static int wf_init(void *state, const struct sched_loop *loop,
                   const struct spec *spec, struct error *err)
{
    struct wf_state *s = state;
    (void)err;
    s->divisor = spec->value[WF_ALPHA].real * sched_powers(loop, s->power);
    s->workers = loop->workers;
    return 0;
}

static int64_t wf_next(void *state, int worker, int64_t remaining)
{
    struct wf_state *s = state;
    if (sched_stage_begins(&s->requests, s->workers))
        s->remaining = (double)remaining;
    return sched_round_up(s->remaining * s->power[worker] / s->divisor);
}

static const struct spec_param wf_params[] = {
    [WF_ALPHA] = PARAM_REAL("alpha", "2", 1, 1000,
                            "a stage hands out 1/alpha of what is left"),
    {0},
};

const struct sched_ops sched_wf_ops = {
    .name = "wf",
    .alias = "wf2",
    .citation = "Hummel, Schmidt, Uma and Wein 1996",
    .summary = "factoring with chunks in proportion to the power",
    .params = wf_params,
    .flags = SCHED_BY_POWER,
    .state_size = sizeof(struct wf_state),
    .worker_size = sizeof(double),
    .init = wf_init,
    .next = wf_next,
};
