/* Weighted chunk self-scheduling: one size per worker, by its power.
 *
 *     V_i = (I / k) VP_i / sum(VP),   rounded to nearest, at least 1
 *
 * Andronikos et al., experiment 3 (I is their U_c).  Every worker takes k
 * chunks of its size; the first ones are set in advance, fast workers first, as
 * in their experiment.  Differs from the paper: formulas (14) and (15) are
 * printed as U_c/(k NP) VP_i.  That covers I only if the powers add up to NP
 * (0.815 I with 5 powers of 1 and 5 of 0.63), so we divide by their sum.  The
 * printed sizes 1223 and 776 do not follow from these powers, 1227 and 773 do.
 * The rest from rounding goes to the next worker that asks. */
#include "sched/arith.h"

enum { WCSS_K };

struct wcss_state {
    double iterations;
    double divisor; /* k sum(VP) */
    double power[];
};

static int wcss_init(void *state, const struct sched_loop *loop,
                     const struct spec *spec, struct error *err)
{
    struct wcss_state *s = state;
    (void)err;
    s->iterations = (double)loop->iterations;
    s->divisor =
        (double)spec->value[WCSS_K].integer * sched_powers(loop, s->power);
    return 0;
}

static int64_t wcss_next(void *state, int worker, int64_t remaining)
{
    const struct wcss_state *s = state;
    (void)remaining;
    int64_t size = sched_round(s->iterations * s->power[worker] / s->divisor);
    return size > 1 ? size : 1;
}

static const struct spec_param wcss_params[] = {
    [WCSS_K] = PARAM_WHOLE("k", "1", 1, 0x1p53, "chunks per worker"),
    {0},
};

const struct sched_ops sched_wcss_ops = {
    .name = "wcss",
    .citation = "Andronikos et al., experiment 3, eqs. (14), (15) with the "
                "sum of powers",
    .summary = "k chunks per worker by its power, fast workers served first",
    .params = wcss_params,
    .flags = SCHED_PRIMED | SCHED_BY_POWER,
    .state_size = sizeof(struct wcss_state),
    .worker_size = sizeof(double),
    .init = wcss_init,
    .next = wcss_next,
};
