/* Performance-based loop scheduling: a static part, then guided.
 *
 *     block of worker j = floor(SWR I V_j / (V_1 + ... + V_p)),  then ceil(R/p)
 *
 * Shih, Yang and Tseng, Journal of Supercomputing 2007.  SWR, the
 * static-workload ratio, is the shortest over the longest time of a sample of
 * iterations: 1 for equal ones, small where they differ.  Here it is given;
 * nothing is run before the loop.  The weights V are the workers' powers.
 * DAPHNE has a form of it with SWR = 0.5, the default here, equal powers, and
 * ceil(SWR I / p). */
#include "sched/schemes/blocks.h"

enum { PLS_SWR };

struct pls_state {
    int64_t workers;
    struct blocks blocks;
};

static int pls_init(void *state, const struct sched_loop *loop,
                    const struct spec *spec, struct error *err)
{
    struct pls_state *s = state;
    (void)err;
    s->workers = loop->workers;
    blocks_init(&s->blocks, loop, spec->value[PLS_SWR].real);
    return 0;
}

static int64_t pls_next(void *state, int worker, int64_t remaining)
{
    struct pls_state *s = state;
    int64_t size;
    if (blocks_next(&s->blocks, worker, &size))
        return size;
    return sched_ceil_div(remaining, s->workers);
}

static const struct spec_param pls_params[] = {
    [PLS_SWR] = PARAM_REAL("swr", "0.5", 0, 1,
                           "shortest over longest time of an iteration"),
    {0},
};

const struct sched_ops sched_pls_ops = {
    .name = "pls",
    .citation = "Shih, Yang and Tseng 2007",
    .summary = "a static part by the ratio of iteration times, then guided",
    .params = pls_params,
    .flags = SCHED_PRIMED | SCHED_BY_POWER,
    .state_size = sizeof(int64_t) + sizeof(struct blocks),
    .worker_size = sizeof(double),
    .init = pls_init,
    .next = pls_next,
};
