/* Static block scheduling: one block per worker, set before the loop starts.
 *
 *     C_i = ceil(R / (workers without a block)),   i = 1..p
 *
 * so that sizes differ by at most 1 and earlier blocks are the bigger ones.
 * The baseline of all papers (e.g. Diaz, sec. 2, after Kruskal and Weiss: I/P
 * iterations to each processor); they leave open which worker gets the
 * remainder of I/P. */
#include "sched/arith.h"

struct static_state {
    int64_t left; /* workers without a block */
};

static size_t static_state_size(const struct sched_loop *loop)
{
    (void)loop;
    return sizeof(struct static_state);
}

static int static_init(void *state, const struct sched_loop *loop,
                       const struct spec *spec, struct error *err)
{
    struct static_state *s = state;
    (void)spec;
    (void)err;
    s->left = loop->workers;
    return 0;
}

static int64_t static_next(void *state, int worker, int64_t remaining)
{
    struct static_state *s = state;
    (void)worker;
    int64_t size = sched_ceil_div(remaining, s->left);
    /* The last block takes the rest; no request comes after it. */
    if (s->left > 1)
        s->left--;
    return size;
}

static const struct spec_param static_params[] = {{0}};

const struct sched_ops sched_static_ops = {
    .name = "static",
    .citation = "Kruskal and Weiss 1985; Diaz et al., sec. 2",
    .summary = "one block of I/p iterations per worker, set in advance",
    .params = static_params,
    .flags = SCHED_PRIMED,
    .state_size = static_state_size,
    .init = static_init,
    .next = static_next,
};
