/* Fixed-size chunking: the one size with the least expected finishing time.
 *
 *     C_i = ceil((sqrt(2) I h / (sigma p sqrt(ln p)))^(2/3)),
 *     at least 1, at most ceil(I/p)
 *
 * Kruskal and Weiss 1985: h is the overhead of a request, sigma the standard
 * deviation of an iteration's time; any unit will do, only h/sigma counts.
 * The defaults are those of Hagerup 1997: exponential times of mean 1, so
 * sigma = 1, and h = 0.5.
 *
 * The formula holds for many chunks per worker.  If it gives less than one (a
 * large h), or is undefined (sigma = 0 or p = 1), we limit it to one chunk per
 * worker and report that in a note.
 *
 * Implementations differ in the rounding, which the paper leaves open: LB4OMP
 * cuts the fraction off, DLS4LB and we round up.  Neither of them has an upper
 * end, and with one worker both divide by 0. */
#include "sched/arith.h"

#include <inttypes.h>
#include <stdio.h>

enum { FSC_OVERHEAD, FSC_SIGMA };

struct fsc_state {
    int64_t chunk;
    int64_t most; /* ceil(I/p) */
    double formula;
};

/* Infinite without deviation or without a second worker. */
static double kruskal_weiss(const struct sched_loop *loop, double h,
                            double sigma)
{
    double p = loop->workers;
    double spread = sigma * p * sqrt(log(p));
    if (spread == 0)
        return h > 0 ? INFINITY : 1;
    double x = cbrt(sqrt(2) * (double)loop->iterations * h / spread);
    return x * x;
}

static int fsc_init(void *state, const struct sched_loop *loop,
                    const struct spec *spec, struct error *err)
{
    struct fsc_state *s = state;
    (void)err;
    s->formula = kruskal_weiss(loop, spec->value[FSC_OVERHEAD].real,
                               spec->value[FSC_SIGMA].real);
    s->most = sched_ceil_div(loop->iterations, loop->workers);
    s->chunk = sched_round_up(s->formula);
    if (s->chunk > s->most)
        s->chunk = s->most;
    if (s->chunk < 1)
        s->chunk = 1;
    return 0;
}

static int64_t fsc_next(void *state, int worker, int64_t remaining)
{
    const struct fsc_state *s = state;
    (void)worker;
    (void)remaining;
    return s->chunk;
}

static int64_t fsc_fixed_size(const void *state)
{
    const struct fsc_state *s = state;
    return s->chunk;
}

static void fsc_note(const void *state, char *text, size_t size)
{
    const struct fsc_state *s = state;
    if (s->formula > (double)s->most)
        snprintf(text, size,
                 "fsc: the formula gives chunks of %.4g iterations, cut to "
                 "one chunk per worker, ceil(I/p) = %" PRId64,
                 s->formula, s->most);
}

static const struct spec_param fsc_params[] = {
    [FSC_OVERHEAD] = PARAM_REAL("h", "0.5", 0, 1e12,
                                "overhead of a request, in the unit of sigma"),
    [FSC_SIGMA] = PARAM_REAL("sigma", "1", 0, 1e12,
                             "standard deviation of an iteration's time"),
    {0},
};

const struct sched_ops sched_fsc_ops = {
    .name = "fsc",
    .citation = "Kruskal and Weiss 1985",
    .summary = "the fixed size that is best for overhead h and deviation sigma",
    .params = fsc_params,
    .state_size = sizeof(struct fsc_state),
    .init = fsc_init,
    .next = fsc_next,
    .fixed_size = fsc_fixed_size,
    .note = fsc_note,
};
