/* Trapezoid factoring self-scheduling: stages of p equal chunks, each the mean
 * of the next p sizes of tss.
 *
 *     C_j = max(1, floor((1/p) sum over k = 0 .. p-1 of F - (j p + k) D))
 *         = max(1, floor(F - j p D - (p - 1) D / 2)),   stage j = 0, 1, ...
 *
 * Chronopoulos, Andonie, Benche and Grosu 2001, with F, N and D of tss: F =
 * floor(I/2p), L = 1, the whole decrement.  That paper's loop of 1000
 * iterations on 4 workers gives 113, 81, 49 and 17.  N is at most 4p; the few
 * iterations that rounding leaves after four stages go out one by one.  As in
 * tss, D is 0 on small loops: a note says so.
 *
 * Implementations differ: LB4OMP rounds F up and the mean down, as we do.  If a
 * stage would begin below 0 it takes the mean of the p sizes from the last of
 * tss on.  DAPHNE's scheme of this name is another one: R/2p, renewed with
 * every request. */
#include "sched/arith.h"

#include <inttypes.h>
#include <stdio.h>

struct tfss_state {
    int64_t workers;
    int64_t decrement;
    int64_t first;
    int64_t current; /* the first size of tss in the next stage */
    int64_t chunk;   /* size in this stage */
    struct sched_stage requests;
};

static int tfss_init(void *state, const struct sched_loop *loop,
                     const struct spec *spec, struct error *err)
{
    struct tfss_state *s = state;
    (void)spec;
    (void)err;
    s->workers = loop->workers;
    s->first = sched_trapezoid_first(loop);
    s->decrement = sched_trapezoid(loop->iterations, s->first, 1).decrement;
    s->current = s->first;
    return 0;
}

static int64_t tfss_next(void *state, int worker, int64_t remaining)
{
    struct tfss_state *s = state;
    (void)worker;
    (void)remaining;
    if (sched_stage_begins(&s->requests, s->workers)) {
        /* Stops to fall where the mean is below 1, so it cannot overflow. */
        int64_t fall = (s->workers - 1) * s->decrement;
        int64_t mean = s->current - sched_ceil_div(fall, 2);
        s->chunk = mean > 1 ? mean : 1;
        if (mean > 1)
            s->current -= s->workers * s->decrement;
    }
    return s->chunk;
}

static void tfss_note(const void *state, char *text, size_t size)
{
    const struct tfss_state *s = state;
    if (s->decrement == 0 && s->first > 1)
        snprintf(text, size,
                 "tfss: the integer decrement D of tss is 0, so all chunks "
                 "have F = %" PRId64 " iterations",
                 s->first);
}

static const struct spec_param tfss_params[] = {{0}};

const struct sched_ops sched_tfss_ops = {
    .name = "tfss",
    .citation = "Chronopoulos, Andonie, Benche and Grosu 2001",
    .summary = "stages of p equal chunks, each the mean of p sizes of tss",
    .params = tfss_params,
    .state_size = sizeof(struct tfss_state),
    .init = tfss_init,
    .next = tfss_next,
    .note = tfss_note,
};
