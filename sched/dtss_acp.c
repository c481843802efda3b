/* Distributed trapezoid self-scheduling with real available powers.
 *
 *     C = A_k (F - D (S + (A_k - 1) / 2)),   rounded to nearest, at least 1
 *     F = I / 2A (at least L),   L = 1,   N = 2 I / (F + L),
 *     D = (F - L) / (N - 1)
 *
 * with A_k the available powers as given (not normalised), A their sum and S
 * the powers of all earlier requests.  Ciorba et al., sec. 3.2.  Nothing but
 * the result is rounded.  The paper leaves open:
 * - N <= 1 (A of 1/4 or less): D would be negative or infinite; we take 0.
 * - the end: where S + A_k passes N the formula takes in values below zero, so
 *   that the sizes fall to 1 with up to D (A_k^2 - 1) / 8 iterations left.  We
 *   hand these out one at a time, as printed; the papers use a minimum chunk
 *   (20 in their table 1), and a note recommends one. */
#include "sched/arith.h"

#include <inttypes.h>
#include <stdio.h>

/* Fewer single iterations at the end than this are not worth a note. */
enum { ACP_NOTE_LEFT = 16 };

struct dtss_acp_state {
    double first;     /* F */
    double decrement; /* D */
    double total;     /* A */
    double largest;   /* the largest A_k */
    double served;    /* S */
    double power[];
};

static size_t dtss_acp_state_size(const struct sched_loop *loop)
{
    return sizeof(struct dtss_acp_state) +
           (size_t)loop->workers * sizeof(double);
}

static int dtss_acp_init(void *state, const struct sched_loop *loop,
                         const struct spec *spec, struct error *err)
{
    struct dtss_acp_state *s = state;
    (void)spec;
    (void)err;
    for (int j = 0; j < loop->workers; j++) {
        s->power[j] = sched_power(loop, j);
        s->total += s->power[j];
        s->largest = fmax(s->largest, s->power[j]);
    }
    double iterations = (double)loop->iterations;
    s->first = fmax(1, iterations / (2 * s->total));
    double steps = 2 * iterations / (s->first + 1);
    if (steps > 1)
        s->decrement = (s->first - 1) / (steps - 1);
    return 0;
}

static int64_t dtss_acp_next(void *state, int worker, int64_t remaining)
{
    struct dtss_acp_state *s = state;
    (void)remaining;
    double power = s->power[worker];
    double middle = s->served + (power - 1) / 2;
    s->served += power;
    int64_t size = sched_round(power * (s->first - s->decrement * middle));
    return size > 1 ? size : 1;
}

static void dtss_acp_note(const void *state, char *text, size_t size)
{
    const struct dtss_acp_state *s = state;
    double left = s->decrement * (s->largest * s->largest - 1) / 8;
    if (s->total < 1)
        snprintf(text, size,
                 "dtss-acp: the powers add up to %g; below 1 the first "
                 "chunks hold most of the loop, give powers of about 1",
                 s->total);
    else if (left > ACP_NOTE_LEFT)
        snprintf(text, size,
                 "dtss-acp: the formula falls to 1 with up to %" PRId64
                 " iterations left, which go out by the minimum chunk",
                 sched_size(left));
}

static const struct spec_param dtss_acp_params[] = {{0}};

const struct sched_ops sched_dtss_acp_ops = {
    .name = "dtss-acp",
    .citation = "Ciorba et al., sec. 3.2",
    .summary = "the trapezoid with real available powers",
    .params = dtss_acp_params,
    .flags = SCHED_BY_POWER,
    .state_size = dtss_acp_state_size,
    .init = dtss_acp_init,
    .next = dtss_acp_next,
    .note = dtss_acp_note,
};
