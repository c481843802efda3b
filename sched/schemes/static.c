/* Static block scheduling: one block per worker, set before the loop starts.
 *
 *     C_i = ceil(R / (workers without a block)),   i = 1..p
 *
 * so that sizes differ by at most 1 and earlier blocks are the bigger ones.
 * The baseline of all papers (e.g. Diaz, sec. 2, after Kruskal and Weiss: I/P
 * iterations to each processor); they leave open which worker gets the
 * remainder of I/P.
 *
 * by=cost: blocks of equal cost instead, by power, block j for worker j:
 *
 *     b_0 = 0,  b_p = I,  b_j = least b with C(b) >= W (V_1 + ... + V_j) / V
 *
 * C(b) is the cost of the first b iterations and b times `plus`, W = C(I), V
 * the sum of the powers.  For the rows of a sparse matrix, whose costs are
 * their non-zeros, this is the partition by equal non-zeros; with plus=1 each
 * row counts as one more.  A block may be empty: one iteration may cost more
 * than W/p. */
#include "sched/arith.h"

#include <errno.h>
#include <string.h>

enum { STATIC_BY, STATIC_PLUS };

struct static_state {
    int64_t left; /* workers without a block */
    int64_t iterations;
    double begin;         /* the loop's first entry of costs */
    double plus, whole;   /* W */
    double passed, power; /* V_1 + ... + V_j, V */
    double worker_power[];
};

static bool by_cost(const struct spec *spec)
{
    return strcmp(spec->value[STATIC_BY].text, "cost") == 0;
}

static unsigned static_more_flags(const struct spec *spec)
{
    return by_cost(spec) ? SCHED_NEEDS_COST | SCHED_BY_POWER | SCHED_BY_NUMBER
                         : 0;
}

static int static_check(const struct spec *spec, struct error *err)
{
    if (by_cost(spec) || spec->value[STATIC_PLUS].real == 0)
        return 0;
    return error_set(err, EINVAL,
                     "scheme static: plus=%g is a cost, it goes with by=cost",
                     spec->value[STATIC_PLUS].real);
}

static int static_init(void *state, const struct sched_loop *loop,
                       const struct spec *spec, struct error *err)
{
    struct static_state *s = state;
    (void)err;
    s->left = loop->workers;
    if (!by_cost(spec))
        return 0;
    s->iterations = loop->iterations;
    s->begin = loop->cost[0];
    s->plus = spec->value[STATIC_PLUS].real;
    s->whole = loop->cost[loop->iterations] - s->begin +
               s->plus * (double)loop->iterations;
    for (int j = 0; j < loop->workers; j++) {
        s->worker_power[j] = sched_power(loop, j);
        s->power += s->worker_power[j];
    }
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

/* Workers ask in the order of their numbers. */
static int64_t static_next_by_cost(void *state, int worker, int64_t remaining,
                                   const double *cost)
{
    struct static_state *s = state;
    if (s->left == 1)
        return remaining;
    s->left--;
    s->passed += s->worker_power[worker];
    double before =
        cost[0] - s->begin + s->plus * (double)(s->iterations - remaining);
    double target = s->whole * s->passed / s->power - before;
    int64_t low = 0, high = remaining;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (cost[middle] - cost[0] + s->plus * (double)middle >= target)
            high = middle;
        else
            low = middle + 1;
    }
    return low > 0 ? low : SCHED_NO_CHUNK;
}

static const struct spec_param static_params[] = {
    [STATIC_BY] = PARAM_WORD("by", "iterations", "iterations|cost",
                             "what is equal in all blocks", .quiet = true),
    [STATIC_PLUS] =
        PARAM_REAL("plus", "0", 0, 1e300,
                   "by=cost: cost of an iteration in addition", .quiet = true),
    {0}};

const struct sched_ops sched_static_ops = {
    .name = "static",
    .citation = "Kruskal and Weiss 1985; Diaz et al., sec. 2",
    .summary = "one block of I/p iterations per worker, set in advance",
    .params = static_params,
    .flags = SCHED_PRIMED,
    .more_flags = static_more_flags,
    .check = static_check,
    .state_size = sizeof(struct static_state),
    .worker_size = sizeof(double),
    .init = static_init,
    .next = static_next,
    .next_by_cost = static_next_by_cost,
};
