/* History-aware self-scheduling: guided by cost, not by number.
 *
 *     t = R_c / (1.5 p),   R_c = cost of the remaining iterations
 *
 * Kejariwal, Nicolau and Polychronopoulos, ICPP 2006.  A chunk takes iterations
 * one by one as long as its cost stays within t.  The next one, which exceeds
 * t, is also taken unless that is farther from t than the cost without it.  The
 * costs are the history: in the paper from earlier executions, here those that
 * the run knows.
 *
 * Differs from the code of bosched (gcc/libgomp): costs are whole numbers there
 * (profiles scaled to 1..4096), and t is rounded up and has a lower limit; here
 * they are any numbers, and a chunk has one iteration or more. */
#include "sched/arith.h"

struct hss_state {
    double divisor; /* 1.5 p */
};

static int hss_init(void *state, const struct sched_loop *loop,
                    const struct spec *spec, struct error *err)
{
    struct hss_state *s = state;
    (void)spec;
    (void)err;
    s->divisor = 1.5 * loop->workers;
    return 0;
}

static int64_t hss_next(void *state, int worker, int64_t remaining,
                        const double *cost)
{
    const struct hss_state *s = state;
    (void)worker;
    double target = (cost[remaining] - cost[0]) / s->divisor;
    /* The most iterations whose cost does not exceed the target. */
    int64_t size = sched_cost_above(cost, remaining, target) - 1;
    if (size >= remaining)
        return remaining;
    double below = cost[size] - cost[0], above = cost[size + 1] - cost[0];
    bool stops = below >= target || above - target > target - below;
    return stops ? size : size + 1;
}

static const struct spec_param hss_params[] = {{0}};

const struct sched_ops sched_hss_ops = {
    .name = "hss",
    .citation = "Kejariwal, Nicolau and Polychronopoulos 2006",
    .summary = "guided by known costs: R/1.5p of the cost that is left",
    .params = hss_params,
    .flags = SCHED_NEEDS_COST,
    .state_size = sizeof(struct hss_state),
    .init = hss_init,
    .next_by_cost = hss_next,
};
