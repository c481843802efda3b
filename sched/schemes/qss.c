/* Quadratic self-scheduling.
 *
 *     C(t) = a + b t + c t^2,   t = 0, 1, ..., at most N,   rounded up
 *     a = C_0,   b = (4 C_h - C_N - 3 C_0) / N,
 *     c = (2 C_0 + 2 C_N - 4 C_h) / N^2,   N = 6 I / (4 C_h + C_N + C_0)
 *     C_0 = I / 2p,   C_N = 1,   C_h = C_{N/2} = (C_0 + C_N) / delta
 *
 * Diaz et al., eqs. (7) to (9) and (13); delta = 3 is their choice, C_h may be
 * given instead (middle=).  Rounding up gives their table 3.  The paper leaves
 * open:
 * - below 1: for delta > 4 the parabola dips under zero before N; sizes are
 *   raised to 1.  By then nothing is left: the values before the dip add up
 *   to more than I.
 * - beyond N, where the parabola would grow again: sizes stay at C_N = 1.
 *   Something is left there only when N is 3 or less (one or two workers and
 *   delta near 1/3, or a middle far above C_0), because the N + 1 values then
 *   add up to less than the integral that defines N; a note says so. */
#include "sched/arith.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

enum { QSS_DELTA, QSS_MIDDLE };

/* More chunks of one iteration than this deserve a note. */
enum { QSS_NOTE_LEFT = 16 };

struct qss_state {
    double iterations;
    double a, b, c;
    double steps; /* N */
    int64_t step; /* t */
};

static int qss_check(const struct spec *spec, struct error *err)
{
    if (spec->value[QSS_DELTA].given && spec->value[QSS_MIDDLE].given)
        return error_set(err, EINVAL,
                         "scheme qss: delta= and middle= both set C_{N/2}, "
                         "give one of them");
    return 0;
}

static int qss_init(void *state, const struct sched_loop *loop,
                    const struct spec *spec, struct error *err)
{
    struct qss_state *s = state;
    int code = qss_check(spec, err);
    if (code != 0)
        return code;
    s->iterations = (double)loop->iterations;
    double first = s->iterations / (2.0 * loop->workers);
    double middle = spec->value[QSS_MIDDLE].given
                        ? spec->value[QSS_MIDDLE].real
                        : (first + 1) / spec->value[QSS_DELTA].real;
    s->steps = 6 * s->iterations / (4 * middle + 1 + first);
    s->a = first;
    s->b = (4 * middle - 1 - 3 * first) / s->steps;
    s->c = (2 * first + 2 - 4 * middle) / (s->steps * s->steps);
    return 0;
}

static int64_t qss_next(void *state, int worker, int64_t remaining)
{
    struct qss_state *s = state;
    (void)worker;
    (void)remaining;
    double t = (double)s->step++;
    if (t > s->steps)
        return 1;
    int64_t size = sched_size(ceil(s->a + s->b * t + s->c * t * t));
    return size > 1 ? size : 1;
}

/* Not rounded: the sum of the sizes up to N is at least this. */
static double sum_to_end(const struct qss_state *s)
{
    double n = floor(s->steps);
    return (n + 1) * s->a + s->b * n * (n + 1) / 2 +
           s->c * n * (n + 1) * (2 * n + 1) / 6;
}

static void qss_note(const void *state, char *text, size_t size)
{
    const struct qss_state *s = state;
    double left = s->iterations - sum_to_end(s);
    if (left > QSS_NOTE_LEFT && left > 1e-9 * s->iterations)
        snprintf(text, size,
                 "qss: the sizes up to N = %.2f add up to less than I, so "
                 "the last %" PRId64 " iterations go out by the minimum "
                 "chunk",
                 s->steps, sched_size(left));
}

static const struct spec_param qss_params[] = {
    [QSS_DELTA] = PARAM_REAL("delta", NULL, 0.01, 1000,
                             "C_{N/2} = (C_0 + C_N)/delta, default 3"),
    [QSS_MIDDLE] = PARAM_REAL("middle", NULL, 1, 0x1p53,
                              "C_{N/2} itself, iterations, instead of delta"),
    {0},
};

const struct sched_ops sched_qss_ops = {
    .name = "qss",
    .citation = "Diaz et al., eqs. (7)-(9), (13)",
    .summary = "sizes follow a parabola from I/2p over C_{N/2} to 1",
    .params = qss_params,
    .bare = "qss:delta=3",
    .check = qss_check,
    .state_size = sizeof(struct qss_state),
    .init = qss_init,
    .next = qss_next,
    .note = qss_note,
};
