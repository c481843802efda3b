/* Fixed increase self-scheduling: B stages of p equal chunks that grow.
 *
 *     C_j = C_0 + j D,   stage j = 0, ..., B - 1   rounded to nearest
 *     C_0 = I / (X p),   D = 2 I (1 - B/X) / (p B (B - 1)),   X = B + 2
 *
 * Philip and Das 1997, as in Chronopoulos, Andonie, Benche and Grosu 2001 (B =
 * 3 there).  The real sizes of B stages add up to I; the rest from rounding
 * goes out in chunks of the last size.
 *
 * Implementations differ in the rounding (LB4OMP: C_0 and D down, which leaves
 * more for the end; DAPHNE: D up), in B (LB4OMP: p - 1; DAPHNE: the stages of
 * fac2) and in the rest: LB4OMP keeps growing after stage B, DAPHNE adds D with
 * every chunk, and its B/X is a quotient of integers, 0. */
#include "sched/arith.h"

enum { FISS_STAGES };

struct fiss_state {
    double first;    /* C_0 */
    double increase; /* D */
    int64_t workers;
    int64_t stages; /* B */
    int64_t stage;  /* j of the next stage */
    int64_t chunk;  /* size in this stage */
    struct sched_stage requests;
};

static int fiss_init(void *state, const struct sched_loop *loop,
                     const struct spec *spec, struct error *err)
{
    struct fiss_state *s = state;
    (void)err;
    double share = (double)loop->iterations / loop->workers;
    double b = spec->value[FISS_STAGES].real;
    s->workers = loop->workers;
    s->stages = spec->value[FISS_STAGES].integer;
    s->first = share / (b + 2);
    s->increase = 2 * share * (1 - b / (b + 2)) / (b * (b - 1));
    return 0;
}

static int64_t fiss_next(void *state, int worker, int64_t remaining)
{
    struct fiss_state *s = state;
    (void)worker;
    (void)remaining;
    if (sched_stage_begins(&s->requests, s->workers)) {
        s->chunk = sched_round(s->first + (double)s->stage * s->increase);
        if (s->stage < s->stages - 1)
            s->stage++;
    }
    return s->chunk;
}

static const struct spec_param fiss_params[] = {
    [FISS_STAGES] =
        PARAM_WHOLE("stages", "3", 2, 1000000, "B, the number of stages"),
    {0},
};

const struct sched_ops sched_fiss_ops = {
    .name = "fiss",
    .citation = "Philip and Das 1997; Chronopoulos, Andonie, Benche and "
                "Grosu 2001",
    .summary = "B stages of p equal chunks that grow by a fixed amount",
    .params = fiss_params,
    .state_size = sizeof(struct fiss_state),
    .init = fiss_init,
    .next = fiss_next,
};
