/* Distributed trapezoid self-scheduling: a request of worker j takes V_j
 * consecutive sizes of the trapezoid.
 *
 *     C = sum over k = 0 .. V_j - 1 of max(1, F - (S + k) D)
 *     F = floor(I / 2V) (at least 1),   L = 1,   N = ceil(2 I / (F + L)),
 *     D = floor((F - L) / (N - 1))
 *
 * with V_j the powers normalised to the slowest, V their sum and S the powers
 * of all earlier requests.  Han and Chronopoulos, sec. III, algorithm 1.  The
 * algorithm counts to V_j, so the powers are rounded to the nearest integer
 * (at least 1); dtss-acp takes real ones.  The paper leaves open what happens
 * once Current falls below 1 (a fast worker can run past N): every value is
 * raised to 1.  The sum is taken in closed form.  N = 1: D is 0. */
#include "sched/arith.h"

#include <inttypes.h>
#include <stdio.h>

struct dtss_state {
    int64_t first; /* F */
    int64_t steps; /* N */
    int64_t decrement;
    int64_t served; /* S */
    int64_t power[];
};

/* V_j of all workers; returns V, which fits: a ratio is at most 1e9 and there
 * are less than 2^31 workers. */
static int64_t whole_powers(const struct sched_loop *loop, int64_t *power)
{
    double slowest = sched_power(loop, 0);
    int64_t sum = 0;
    for (int j = 1; j < loop->workers; j++)
        slowest = fmin(slowest, sched_power(loop, j));
    for (int j = 0; j < loop->workers; j++) {
        power[j] = sched_round(sched_power(loop, j) / slowest);
        sum += power[j];
    }
    return sum;
}

static int dtss_init(void *state, const struct sched_loop *loop,
                     const struct spec *spec, struct error *err)
{
    struct dtss_state *s = state;
    (void)spec;
    (void)err;
    int64_t total = whole_powers(loop, s->power);
    s->first = loop->iterations / 2 / total;
    if (s->first < 1)
        s->first = 1;
    struct sched_trapezoid t = sched_trapezoid(loop->iterations, s->first, 1);
    s->steps = t.steps;
    s->decrement = t.decrement;
    return 0;
}

/* How many of the next `count` values are above the floor of 1. */
static int64_t falling_values(const struct dtss_state *s, int64_t count)
{
    if (s->decrement == 0)
        return count;
    int64_t all = (s->first - 1) / s->decrement + 1;
    int64_t left = all > s->served ? all - s->served : 0;
    return left < count ? left : count;
}

static int64_t dtss_next(void *state, int worker, int64_t remaining)
{
    struct dtss_state *s = state;
    (void)remaining;
    __int128 count = s->power[worker];
    __int128 n = falling_values(s, s->power[worker]);
    __int128 size = count - n;
    if (n > 0) {
        __int128 current = s->first - (__int128)s->served * s->decrement;
        size += n * current - s->decrement * (n * (n - 1) / 2);
    }
    s->served += s->power[worker];
    return size < INT64_MAX ? (int64_t)size : INT64_MAX;
}

static void dtss_note(const void *state, char *text, size_t size)
{
    const struct dtss_state *s = state;
    if (s->decrement == 0 && s->first > 1 && s->steps > 1)
        snprintf(text, size,
                 "dtss: the integer decrement D = floor((F-L)/(N-1)) = "
                 "floor(%" PRId64 "/%" PRId64 ") is 0, so all chunks have "
                 "F = %" PRId64 " iterations per unit of power; dtss-acp "
                 "uses the real decrement",
                 s->first - 1, s->steps - 1, s->first);
}

static const struct spec_param dtss_params[] = {{0}};

const struct sched_ops sched_dtss_ops = {
    .name = "dtss",
    .citation = "Han and Chronopoulos, algorithm 1",
    .summary = "a worker of power V_j takes V_j values of the trapezoid",
    .params = dtss_params,
    .flags = SCHED_BY_POWER,
    .state_size = sizeof(struct dtss_state),
    .worker_size = sizeof(int64_t),
    .init = dtss_init,
    .next = dtss_next,
    .note = dtss_note,
};
