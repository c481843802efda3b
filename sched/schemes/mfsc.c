/* Modified fixed-size chunking: as many chunks as factoring, all of one size.
 *
 *     C_i = ceil(I / n),   n = the number of chunks of fss with alpha = 2
 *
 * Banicescu, Ciorba and Srivastava 2013: fixed-size chunking without a need to
 * know h and sigma.  We count the chunks of fss, stage by stage.
 *
 * Implementations differ: they estimate n as p log2(I/p), which makes the size
 * (I/p) / log2(I/p).  LB4OMP and DLS4LB round I/p up and the size up from .45,
 * DAPHNE rounds the size up.  For 2000 iterations on 9 workers they have 29, we
 * have 31. */
#include "sched/arith.h"

struct mfsc_state {
    int64_t chunk;
};

/* A stage at least halves the rest, down to chunks of 1. */
static int64_t factoring_chunks(const struct sched_loop *loop)
{
    int64_t chunks = 0;
    int64_t remaining = loop->iterations;
    int64_t workers = loop->workers;
    while (remaining > 0) {
        int64_t size = sched_ceil_div(remaining, 2 * workers);
        int64_t stage = sched_ceil_div(remaining, size);
        if (stage > workers)
            stage = workers;
        chunks += stage;
        remaining -= size * stage;
    }
    return chunks;
}

static int mfsc_init(void *state, const struct sched_loop *loop,
                     const struct spec *spec, struct error *err)
{
    struct mfsc_state *s = state;
    (void)spec;
    (void)err;
    s->chunk = sched_ceil_div(loop->iterations, factoring_chunks(loop));
    return 0;
}

static int64_t mfsc_next(void *state, int worker, int64_t remaining)
{
    const struct mfsc_state *s = state;
    (void)worker;
    (void)remaining;
    return s->chunk;
}

static int64_t mfsc_fixed_size(const void *state)
{
    const struct mfsc_state *s = state;
    return s->chunk;
}

static const struct spec_param mfsc_params[] = {{0}};

const struct sched_ops sched_mfsc_ops = {
    .name = "mfsc",
    .citation = "Banicescu, Ciorba and Srivastava 2013",
    .summary = "a fixed size that gives as many chunks as factoring",
    .params = mfsc_params,
    .state_size = sizeof(struct mfsc_state),
    .init = mfsc_init,
    .next = mfsc_next,
    .fixed_size = mfsc_fixed_size,
};
