/* Guided self-scheduling: a fixed share of the remaining iterations.
 *
 *     C_i = max(min, ceil(R_{i-1} / p))
 *
 * Polychronopoulos and Kuck 1987; Han and Chronopoulos, sec. II, where
 * GSS(k) is this with min = k. */
#include "sched/arith.h"

enum { GSS_MIN };

struct gss_state {
    int64_t workers;
    int64_t min;
};

static int gss_init(void *state, const struct sched_loop *loop,
                    const struct spec *spec, struct error *err)
{
    struct gss_state *s = state;
    (void)err;
    s->workers = loop->workers;
    s->min = spec->value[GSS_MIN].integer;
    return 0;
}

static int64_t gss_next(void *state, int worker, int64_t remaining)
{
    const struct gss_state *s = state;
    (void)worker;
    int64_t share = sched_ceil_div(remaining, s->workers);
    return share > s->min ? share : s->min;
}

static const struct spec_param gss_params[] = {
    [GSS_MIN] = PARAM_WHOLE("min", "1", 1, 0x1p53,
                            "smallest chunk, iterations (GSS(k))"),
    {0},
};

const struct sched_ops sched_gss_ops = {
    .name = "gss",
    .citation = "Polychronopoulos and Kuck 1987; Han and Chronopoulos, "
                "sec. II",
    .summary = "1/p of what is left",
    .params = gss_params,
    .state_size = sizeof(struct gss_state),
    .init = gss_init,
    .next = gss_next,
};
