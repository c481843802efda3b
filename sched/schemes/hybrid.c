/* Hybrid static/dynamic: a fraction of the loop as static blocks, the rest on
 * demand.
 *
 *     block of worker j = floor(f I V_j / (V_1 + ... + V_p)),  then chunks of
 *     c = ceil((1 - f) I / 8p)
 *
 * Donfack, Grigori, Gropp and Kale, IPDPS 2012, for dense factorizations: the
 * static part keeps data where they are, the dynamic part evens out noise. They
 * tune f by hand (0.8 to 0.9) and take single tasks from the rest.  Differs
 * from the paper: the default of c is ours; the dynamic part is the end of the
 * loop, not the end of each block; blocks follow the powers. */
#include "sched/schemes/blocks.h"

enum { HYBRID_STATIC, HYBRID_CHUNK };

struct hybrid_state {
    int64_t chunk;
    struct blocks blocks;
};

static int hybrid_init(void *state, const struct sched_loop *loop,
                       const struct spec *spec, struct error *err)
{
    struct hybrid_state *s = state;
    double f = spec->value[HYBRID_STATIC].real;
    double rest = (1 - f) * (double)loop->iterations;
    (void)err;
    blocks_init(&s->blocks, loop, f);
    s->chunk = spec->value[HYBRID_CHUNK].given
                   ? spec->value[HYBRID_CHUNK].integer
                   : sched_round_up(rest / (8.0 * loop->workers));
    return 0;
}

static int64_t hybrid_next(void *state, int worker, int64_t remaining)
{
    struct hybrid_state *s = state;
    int64_t size;
    (void)remaining;
    return blocks_next(&s->blocks, worker, &size) ? size : s->chunk;
}

static const struct spec_param hybrid_params[] = {
    [HYBRID_STATIC] =
        PARAM_REAL("static", "0.8", 0, 1, "f, the static fraction of the loop"),
    [HYBRID_CHUNK] = PARAM_WHOLE("chunk", NULL, 1, 0x1p62,
                                 "chunks of the rest; default (1-f)I/8p"),
    {0},
};

const struct sched_ops sched_hybrid_ops = {
    .name = "hybrid",
    .citation = "Donfack, Grigori, Gropp and Kale 2012",
    .summary = "a fraction of the loop as static blocks, the rest on demand",
    .params = hybrid_params,
    .flags = SCHED_PRIMED | SCHED_BY_POWER,
    .state_size = sizeof(int64_t) + sizeof(struct blocks),
    .worker_size = sizeof(double),
    .init = hybrid_init,
    .next = hybrid_next,
};
