/* A replay for tests. */
#ifndef HARNESS_REPLAY_REPLAY_TESTING_H
#define HARNESS_REPLAY_REPLAY_TESTING_H

#include "harness/testing.h"

#include "harness/replay/replay.h"

#include <errno.h>
#include <math.h>

struct made {
    struct tree tree;
    struct sched_pair scheme;
    double *before;
    struct replay replay;
    struct replay_result result;
    struct error err;
};

static inline struct replay_costs nothing(void)
{
    return (struct replay_costs){.slice_s = 20e-6, .lead_s = 50e-6};
}

/* Iterations of one second each, or random ones. */
static inline void make(struct made *made, const char *scheme,
                        const struct tree_shape *shape, enum replay_kind kind,
                        int64_t iterations, uint64_t *seed)
{
    struct error *err = &made->err;
    *made = (struct made){.replay = {.kind = kind,
                                     .iterations = iterations,
                                     .min_chunk = 1,
                                     .costs = nothing()}};
    assert_int_equal(sched_pair_parse(scheme, &made->scheme, err), 0);
    assert_int_equal(tree_build(&made->tree, shape, err), 0);
    made->before = calloc((size_t)iterations + 1, sizeof(double));
    for (int64_t i = 0; i < iterations; i++)
        made->before[i + 1] =
            made->before[i] +
            (seed != NULL ? 1e-6 * (double)testing_between(seed, 0, 200) : 1);
    made->replay.tree = &made->tree;
    made->replay.scheme = &made->scheme;
    made->replay.before = made->before;
}

static inline int run(struct made *made)
{
    return replay_run(&made->replay, &made->result, &made->err);
}

static inline void end(struct made *made)
{
    replay_free(&made->result);
    tree_free(&made->tree);
    free(made->before);
}

#endif
