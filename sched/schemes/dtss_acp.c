/* Distributed trapezoid self-scheduling with available powers.
 *
 *     C = A_k (F - D (S + (A_k - 1) / 2)),   rounded to nearest, at least 1
 *     F = I / 2A (at least L),   L = 1,   N = 2 I / (F + L),
 *     D = (F - L) / (N - 1)
 *
 * with A_k the available powers as given (not normalised), A their sum and S
 * the powers of all earlier requests.  Ciorba et al., sec. 3.2.  Nothing but
 * the result is rounded.
 *
 * A_k is V_k / Q_k.  The paper prints floor(V_k / Q_k), which its own powers
 * of 0.5 and their sums (3.5 to 7.5) rule out; with the key scale it is
 * floor(scale V_k / Q_k), and a worker whose A_k is 0, or whose V_k / Q_k is
 * below the key min_power, gets no chunks.
 *
 * The paper leaves open:
 * - N <= 1 (A of 1/4 or less): D would be negative or infinite; we take 0.
 * - the end: where S + A_k passes N the formula takes in values below zero, so
 *   that the sizes fall to 1 with up to D (A_k^2 - 1) / 8 iterations left.  We
 *   hand these out one at a time, as printed; the papers use a minimum chunk
 *   (20 in their table 1), and a note recommends one. */
#include "sched/arith.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

enum { ACP_SCALE, ACP_MIN_POWER };

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

/* A product that only rounding makes not whole counts as whole. */
static double dtss_acp_available(const struct spec *spec, double power)
{
    const double slack = 1e-12;
    const struct spec_value *scale = &spec->value[ACP_SCALE];
    if (power * (1 + slack) < spec->value[ACP_MIN_POWER].real)
        return 0;
    return scale->given ? floor(scale->real * power * (1 + slack)) : power;
}

static int dtss_acp_init(void *state, const struct sched_loop *loop,
                         const struct spec *spec, struct error *err)
{
    struct dtss_acp_state *s = state;
    for (int j = 0; j < loop->workers; j++) {
        s->power[j] = dtss_acp_available(spec, sched_power(loop, j));
        s->total += s->power[j];
        s->largest = fmax(s->largest, s->power[j]);
    }
    if (s->total == 0)
        return error_set(err, EINVAL,
                         "dtss-acp: all available powers V/Q are 0 by the "
                         "scale, or below min_power %g: give larger powers",
                         spec->value[ACP_MIN_POWER].real);
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
    if (power == 0)
        return SCHED_NO_CHUNK;
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

static const struct spec_param dtss_acp_params[] = {
    [ACP_SCALE] =
        PARAM_WHOLE("scale", NULL, 1, 1e9,
                    "A = floor(scale V/Q), the paper's floor; 10 fits "
                    "its powers; without: A = V/Q"),
    [ACP_MIN_POWER] = PARAM_REAL("min_power", NULL, 0, 1e9,
                                 "a worker whose V/Q is below gets no chunks "
                                 "(Andronikos et al., sec. 6)"),
    {0},
};

const struct sched_ops sched_dtss_acp_ops = {
    .name = "dtss-acp",
    .citation = "Ciorba et al., sec. 3.2",
    .summary = "the trapezoid with available powers V/Q",
    .params = dtss_acp_params,
    .flags = SCHED_BY_POWER,
    .available = dtss_acp_available,
    .state_size = sizeof(struct dtss_acp_state),
    .worker_size = sizeof(double),
    .init = dtss_acp_init,
    .next = dtss_acp_next,
    .note = dtss_acp_note,
};
