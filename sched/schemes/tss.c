/* Trapezoid self-scheduling with the integer decrement.
 *
 *     C_i = F - (i - 1) D,   i = 1, 2, ..., N
 *     N = ceil(2 I / (F + L)),   D = floor((F - L) / (N - 1))
 *     F = floor(I / 2p) (at least 1),   L = 1
 *
 * Tzen and Ni 1993, as in Han and Chronopoulos, sec. II, and Ciorba et al.,
 * sec. 3.2 (their table 1 comes out: 277 270 263 ... 102 73).  C_N >= L and
 * the N values add up to I or more, so no value below L is ever asked for.
 *
 * The papers leave open N = 1, where D is undefined: we take 0.  D is also 0
 * when N > F - L, for many workers on a small loop; all chunks then have F
 * iterations.  A note reports it, and we keep it: tss-taylor is the scheme with
 * the real decrement. */
#include "sched/arith.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

enum { TSS_FIRST, TSS_LAST };

struct tss_state {
    int64_t first;
    int64_t last;
    int64_t steps; /* N */
    int64_t decrement;
    int64_t current; /* the next size */
};

static int tss_check(const struct spec *spec, struct error *err)
{
    const struct spec_value *first = &spec->value[TSS_FIRST];
    const struct spec_value *last = &spec->value[TSS_LAST];
    if (first->given && first->integer < last->integer)
        return error_set(err, EINVAL,
                         "scheme tss: first=%" PRId64 " is less than "
                         "last=%" PRId64 ", chunks cannot grow",
                         first->integer, last->integer);
    return 0;
}

static int tss_init(void *state, const struct sched_loop *loop,
                    const struct spec *spec, struct error *err)
{
    struct tss_state *s = state;
    const struct spec_value *first = &spec->value[TSS_FIRST];
    s->first = first->given ? first->integer : sched_trapezoid_first(loop);
    s->last = spec->value[TSS_LAST].integer;
    if (s->first < s->last)
        return error_set(err, EINVAL,
                         "scheme tss: last=%" PRId64 " is more than the "
                         "first chunk, floor(I/2p) = %" PRId64 " of this loop",
                         s->last, s->first);
    struct sched_trapezoid t =
        sched_trapezoid(loop->iterations, s->first, s->last);
    s->steps = t.steps;
    s->decrement = t.decrement;
    s->current = s->first;
    return 0;
}

static int64_t tss_next(void *state, int worker, int64_t remaining)
{
    struct tss_state *s = state;
    (void)worker;
    (void)remaining;
    int64_t size = s->current;
    s->current -= s->decrement;
    return size;
}

static void tss_note(const void *state, char *text, size_t size)
{
    const struct tss_state *s = state;
    if (s->decrement == 0 && s->first > s->last && s->steps > 1)
        snprintf(text, size,
                 "tss: the integer decrement D = floor((F-L)/(N-1)) = "
                 "floor(%" PRId64 "/%" PRId64 ") is 0, so all chunks have "
                 "F = %" PRId64 " iterations; tss-taylor uses the real "
                 "decrement",
                 s->first - s->last, s->steps - 1, s->first);
}

static const struct spec_param tss_params[] = {
    [TSS_FIRST] = PARAM_WHOLE("first", NULL, 1, 0x1p53,
                              "F, iterations, default floor(I/2p)"),
    [TSS_LAST] =
        PARAM_WHOLE("last", "1", 1, 0x1p53, "L, iterations, at most F"),
    {0},
};

const struct sched_ops sched_tss_ops = {
    .name = "tss",
    .citation = "Tzen and Ni 1993; Han and Chronopoulos, sec. II; Ciorba et "
                "al., sec. 3.2",
    .summary = "sizes fall by a whole number from I/2p to 1",
    .params = tss_params,
    .check = tss_check,
    .state_size = sizeof(struct tss_state),
    .init = tss_init,
    .next = tss_next,
    .note = tss_note,
};
