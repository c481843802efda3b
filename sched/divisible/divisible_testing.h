/* Common parts of this folder's tests: random platforms, and the conditions of
 * a feasible plan, from any algorithm. */
#ifndef SCHED_DIVISIBLE_DIVISIBLE_TESTING_H
#define SCHED_DIVISIBLE_DIVISIBLE_TESTING_H

#include "sched/divisible/plan.h"
#include "sched/sched_testing.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

enum { TESTING_WORKERS = 40 };

/* A platform that owns its workers, and a load. */
struct testing_case {
    uint64_t seed;
    struct divisible_worker worker[TESTING_WORKERS];
    struct divisible_platform platform;
    double load;
};

/* Kinds of random platforms. */
enum {
    TESTING_LATENCY = 1,
    TESTING_START_UP = 2,
    TESTING_EQUAL_LINKS = 4,
    TESTING_OVERLAP = 8,
    TESTING_FREE_LINKS = 16, /* some G are 0 */
};

/* Uniform in [0, 1). */
static inline double testing_part(uint64_t *seed)
{
    return (double)(testing_random(seed) >> 11) * 0x1p-53;
}

/* Between low and high, each magnitude equally likely. */
static inline double testing_size(uint64_t *seed, double low, double high)
{
    return low * pow(high / low, testing_part(seed));
}

static inline bool testing_one_in(uint64_t *seed, int n)
{
    return testing_between(seed, 1, n) == 1;
}

/* Between 1 and `workers` workers, some of them equal. */
static inline void testing_case_make(struct testing_case *c, uint64_t seed,
                                     int workers, int with)
{
    *c = (struct testing_case){.seed = seed};
    int count = (int)testing_between(&seed, 1, workers);
    double latency = testing_size(&seed, 1e-4, 1);
    for (int i = 0; i < count; i++) {
        struct divisible_worker *w = &c->worker[i];
        if (i > 0 && testing_one_in(&seed, 6)) {
            *w = w[-1];
            continue;
        }
        w->G = testing_size(&seed, 1e-3, 10);
        w->w = testing_size(&seed, 1e-2, 100);
        if (with & TESTING_EQUAL_LINKS)
            w->G = c->worker[0].G;
        if ((with & TESTING_FREE_LINKS) && testing_one_in(&seed, 8))
            w->G = 0;
        if ((with & TESTING_LATENCY) && !testing_one_in(&seed, 5))
            w->g = latency * testing_size(&seed, 1e-2, 10);
        if ((with & TESTING_START_UP) && !testing_one_in(&seed, 5))
            w->z = latency * testing_size(&seed, 1e-2, 10);
    }
    c->platform =
        (struct divisible_platform){.workers = count,
                                    .worker = c->worker,
                                    .overlap = (with & TESTING_OVERLAP) != 0};
    c->load = testing_size(&seed, 0.1, 1e4);
    assert_int_equal(divisible_check(&c->platform, c->load, NULL), 0);
}

#define TESTING_FAIL(c, ...)                                                   \
    do {                                                                       \
        print_error("seed %" PRIu64 ", %d workers, load %.17g: ", (c)->seed,   \
                    (c)->platform.workers, (c)->load);                         \
        print_error(__VA_ARGS__);                                              \
        print_error("\n");                                                     \
        fail();                                                                \
    } while (0)

/* a and b are the same but for rounding. */
static inline bool testing_same(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

#define TESTING_SAME(c, what, a, b)                                            \
    do {                                                                       \
        double a_ = (a), b_ = (b);                                             \
        if (!testing_same(a_, b_))                                             \
            TESTING_FAIL(c, "%s: %.17g instead of %.17g", what, a_, b_);       \
    } while (0)

/* Later than another event, but for rounding. */
#define TESTING_NOT_BEFORE(c, what, late, early, makespan)                     \
    do {                                                                       \
        if ((late) < (early)-1e-12 * (makespan))                               \
            TESTING_FAIL(c, "%s: %.17g before %.17g", what, late, early);      \
    } while (0)

/* One port; everything takes its time.  No worker computes two chunks at once
 * or, without overlap, computes while it receives.  The whole load is computed
 * once. */
static inline void testing_feasible(const struct testing_case *c,
                                    const struct divisible_plan *plan)
{
    double done[TESTING_WORKERS] = {0}, port = 0, end = 0, load = 0;
    double span = plan->makespan;
    for (int64_t n = 0; n < plan->chunks; n++) {
        const struct divisible_chunk *k = &plan->chunk[n];
        const struct divisible_worker *w = &c->worker[k->worker];
        if (!(k->load > 0) || k->round < 0 || k->round >= plan->rounds)
            TESTING_FAIL(c, "a chunk of %g in round %d of %d", k->load,
                         k->round, plan->rounds);
        TESTING_NOT_BEFORE(c, "one port", k->send_start, port, span);
        TESTING_NOT_BEFORE(c, "sending", k->send_end,
                           k->send_start + w->g + k->load * w->G, span);
        TESTING_NOT_BEFORE(c, "data", k->compute_start, k->send_end, span);
        TESTING_NOT_BEFORE(c, "one chunk at a time", k->compute_start,
                           done[k->worker], span);
        TESTING_NOT_BEFORE(c, "computing", k->compute_end,
                           k->compute_start + w->z + k->load * w->w, span);
        if (!c->platform.overlap)
            TESTING_NOT_BEFORE(c, "no overlap", k->send_start, done[k->worker],
                               span);
        port = k->send_end;
        done[k->worker] = k->compute_end;
        end = fmax(end, k->compute_end);
        load += k->load;
    }
    TESTING_SAME(c, "load", load, c->load);
    TESTING_SAME(c, "makespan", span, end);
}

#endif
