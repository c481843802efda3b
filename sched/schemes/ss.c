/* Pure self-scheduling: one iteration per request.
 *
 *     C_i = 1
 *
 * Diaz et al., eq. (4) cut after the constant term with a = 1. */
#include "sched/sched.h"

static int64_t ss_next(void *state, int worker, int64_t remaining)
{
    (void)state;
    (void)worker;
    (void)remaining;
    return 1;
}

static int64_t ss_fixed_size(const void *state)
{
    (void)state;
    return 1;
}

static const struct spec_param ss_params[] = {{0}};

const struct sched_ops sched_ss_ops = {
    .name = "ss",
    .citation = "Diaz et al., eq. (4), a = 1",
    .summary = "one iteration per request",
    .params = ss_params,
    .next = ss_next,
    .fixed_size = ss_fixed_size,
};
