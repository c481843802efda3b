/* Variable increase self-scheduling: stages of p equal chunks that grow by
 * half as much each time.
 *
 *     C_j = C_{j-1} + C_0 / 2^j = C_0 (2 - 2^-j),   stage j = 0, 1, ...
 *     C_0 = I / (X p),   rounded to nearest
 *
 * Philip and Das 1997.  X is the user's; the default 4 gives three stages
 * (of 1, 3/2 and 7/4 C_0, the last cut by what remains).
 *
 * Implementations differ in X (LB4OMP: p; DAPHNE: the stages of fac2, plus 2)
 * and in the rounding: LB4OMP rounds C_0 down and then C_j, DAPHNE's C_j are
 * whole multiples of C_0 (0, 1, 2, 2, ...). */
#include "sched/arith.h"

enum { VISS_X };

struct viss_state {
    double first; /* C_0 */
    double half;  /* 2^-j of the next stage */
    int64_t workers;
    int64_t chunk; /* size in this stage */
    struct sched_stage requests;
};

static int viss_init(void *state, const struct sched_loop *loop,
                     const struct spec *spec, struct error *err)
{
    struct viss_state *s = state;
    (void)err;
    s->workers = loop->workers;
    s->first =
        (double)loop->iterations / (spec->value[VISS_X].real * loop->workers);
    s->half = 1;
    return 0;
}

static int64_t viss_next(void *state, int worker, int64_t remaining)
{
    struct viss_state *s = state;
    (void)worker;
    (void)remaining;
    if (sched_stage_begins(&s->requests, s->workers)) {
        s->chunk = sched_round(s->first * (2 - s->half));
        s->half /= 2;
    }
    return s->chunk;
}

static const struct spec_param viss_params[] = {
    [VISS_X] = PARAM_REAL("x", "4", 1, 0x1p53,
                          "X, the first stage hands out 1/X of the loop"),
    {0},
};

const struct sched_ops sched_viss_ops = {
    .name = "viss",
    .citation = "Philip and Das 1997",
    .summary = "stages of p equal chunks that grow by half as much each time",
    .params = viss_params,
    .state_size = sizeof(struct viss_state),
    .init = viss_init,
    .next = viss_next,
};
