/* Chunk self-scheduling: a fixed number of iterations per request.
 *
 *     C_i = k
 *
 * Kruskal and Weiss 1985; Ciorba et al., sec. 3.2 (k given by the user, 300
 * in their table 1).  Without k it is Diaz's CSS (sec. 2 and table 3): one
 * chunk for each processor, k = I/P, which we round up. */
#include "sched/arith.h"

enum { CSS_CHUNK };

struct css_state {
    int64_t chunk;
};

static int css_init(void *state, const struct sched_loop *loop,
                    const struct spec *spec, struct error *err)
{
    struct css_state *s = state;
    (void)err;
    s->chunk = spec->value[CSS_CHUNK].given
                   ? spec->value[CSS_CHUNK].integer
                   : sched_ceil_div(loop->iterations, loop->workers);
    return 0;
}

static int64_t css_next(void *state, int worker, int64_t remaining)
{
    const struct css_state *s = state;
    (void)worker;
    (void)remaining;
    return s->chunk;
}

static int64_t css_fixed_size(const void *state)
{
    const struct css_state *s = state;
    return s->chunk;
}

static const struct spec_param css_params[] = {
    [CSS_CHUNK] = PARAM_WHOLE("chunk", NULL, 1, 0x1p53,
                              "iterations per chunk, default ceil(I/p)"),
    {0},
};

const struct sched_ops sched_css_ops = {
    .name = "css",
    .citation = "Kruskal and Weiss 1985; Ciorba et al., sec. 3.2; Diaz et "
                "al., sec. 2",
    .summary = "a fixed number of iterations per request",
    .params = css_params,
    .state_size = sizeof(struct css_state),
    .init = css_init,
    .next = css_next,
    .fixed_size = css_fixed_size,
};
