/* Random loops, powers and keys for any scheme. */
#ifndef SCHED_SCHEMES_CASES_TESTING_H
#define SCHED_SCHEMES_CASES_TESTING_H

#include "sched/sched_testing.h"
#include "sched/schemes/scheme_registry.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum {
    WORKERS_MAX = 200,
    COSTS_MAX = 3000, /* iterations of loops whose costs are known */
};

static const int64_t ITERATIONS_MAX = (int64_t)1 << 40;

struct test_case {
    uint64_t seed;
    const struct sched_ops *ops;
    char text[96];
    struct sched_loop loop;
    int64_t min_chunk;
    bool equal; /* powers */
    double power[WORKERS_MAX];
    double cost[COSTS_MAX + 1];
};

static const char *random_alpha(uint64_t *seed)
{
    static const char *const alpha[] = {"1", "1.5", "2", "3", "7.3"};
    return alpha[testing_between(seed, 0, 4)];
}

static inline void random_qss(struct test_case *c, uint64_t *seed)
{
    static const char *const delta[] = {"1/3", "1/2", "1", "2",
                                        "4",   "5",   "9", "0.01"};
    if (testing_between(seed, 0, 2) == 0)
        snprintf(c->text, sizeof(c->text), "qss:middle=%" PRId64,
                 testing_scale(seed, c->loop.iterations));
    else
        snprintf(c->text, sizeof(c->text), "qss:delta=%s",
                 delta[testing_between(seed, 0, 7)]);
}

static inline void random_tss(struct test_case *c, uint64_t *seed)
{
    int64_t first = testing_scale(seed, c->loop.iterations);
    snprintf(c->text, sizeof(c->text), "tss:first=%" PRId64 ",last=%" PRId64,
             first, testing_scale(seed, first));
}

static inline void random_rnd(struct test_case *c, uint64_t *seed)
{
    int64_t max = testing_scale(seed, c->loop.iterations);
    snprintf(c->text, sizeof(c->text),
             "rnd:min=%" PRId64 ",max=%" PRId64 ",seed=%" PRId64,
             testing_scale(seed, max), max, testing_between(seed, 0, 999));
}

/* Mean or overhead, and deviation, from one ten-thousandth of it to as much
 * more. */
static inline void random_times(struct test_case *c, uint64_t *seed)
{
    snprintf(c->text, sizeof(c->text),
             "%s:%s=%" PRId64 "e-3,sigma=%" PRId64 "e-3", c->ops->name,
             c->ops->params[0].key, testing_scale(seed, 10000),
             testing_scale(seed, 10000) - 1);
}

/* Large enough that some worker has power; others may have none. */
static inline void random_scale(struct test_case *c, uint64_t *seed)
{
    double most = 0;
    for (int j = 0; j < c->loop.workers; j++)
        most = fmax(most, c->loop.power ? c->power[j] : 1);
    snprintf(c->text, sizeof(c->text), "%s:scale=%" PRId64, c->ops->name,
             (int64_t)ceil(1 / most) + testing_scale(seed, 1000) - 1);
}

/* The first key within its range, wide ones on a scale of magnitudes. */
static inline void random_key(struct test_case *c, uint64_t *seed)
{
    const struct spec_param *p = &c->ops->params[0];
    int length =
        snprintf(c->text, sizeof(c->text), "%s:%s=", c->ops->name, p->key);
    char *value = c->text + length;
    size_t size = sizeof(c->text) - (size_t)length;
    if (p->type == SPEC_INTEGER) {
        double most = fmin(p->max - p->min + 1, (double)c->loop.iterations);
        snprintf(value, size, "%" PRId64,
                 (int64_t)p->min - 1 + testing_scale(seed, (int64_t)most));
    } else if (p->type == SPEC_REAL) {
        double share = (double)testing_between(seed, 0, 1000) / 1000;
        snprintf(value, size, "%.6g",
                 p->min > 0 ? p->min * pow(p->max / p->min, 0.998 * share)
                            : p->min + (p->max - p->min) * share);
    } else {
        snprintf(c->text, sizeof(c->text), "%s", c->ops->name);
    }
}

/* The scheme with some of its keys; half of the cases leave them out. */
static inline void random_spec(struct test_case *c, uint64_t *seed)
{
    const char *name = c->ops->name;
    const char *key = c->ops->params[0].key;
    snprintf(c->text, sizeof(c->text), "%s", name);
    if (key == NULL || testing_between(seed, 0, 1) == 0)
        return;
    if (strcmp(name, "qss") == 0)
        random_qss(c, seed);
    else if (strcmp(name, "tss") == 0)
        random_tss(c, seed);
    else if (strcmp(name, "rnd") == 0)
        random_rnd(c, seed);
    else if (strcmp(key, "mu") == 0 || strcmp(key, "h") == 0)
        random_times(c, seed);
    else if (strcmp(key, "stages") == 0)
        snprintf(c->text, sizeof(c->text), "%s:stages=%" PRId64, name,
                 testing_between(seed, 2, 40));
    else if (strcmp(key, "scale") == 0)
        random_scale(c, seed);
    else if (strcmp(key, "alpha") == 0)
        snprintf(c->text, sizeof(c->text), "%s:alpha=%s", name,
                 random_alpha(seed));
    else if (strcmp(key, "k") == 0)
        snprintf(c->text, sizeof(c->text), "%s:k=%" PRId64, name,
                 testing_scale(seed, 50));
    else
        random_key(c, seed);
}

static inline double random_power(uint64_t *seed, int kind)
{
    double unit = (double)testing_between(seed, 1, 1000000) / 1e6;
    if (kind == 0) /* two classes, as in the papers */
        return testing_between(seed, 0, 1) ? 1 : 0.63;
    if (kind == 1)
        return 0.1 + 10 * unit;
    return 1e3 * unit; /* up to a million times the slowest */
}

static inline void random_powers(struct test_case *c, uint64_t *seed)
{
    int kind = (int)testing_between(seed, -2, 2);
    c->equal = true;
    if (kind == -2)
        return;
    for (int j = 0; j < c->loop.workers; j++) {
        c->power[j] = kind == -1 ? 0.7 : random_power(seed, kind);
        if (c->power[j] != c->power[0])
            c->equal = false;
    }
    c->loop.power = c->power;
}

/* Falling, equal, a few huge ones, or of any size; some of nothing. */
static inline void random_costs(struct test_case *c, uint64_t *seed)
{
    int kind = (int)testing_between(seed, 0, 3);
    double scale = ldexp(1, (int)testing_between(seed, -40, 40));
    c->cost[0] = kind == 3 ? 1000 * scale : 0;
    for (int64_t i = 0; i < c->loop.iterations; i++) {
        double unit = (double)testing_between(seed, 0, 1000) / 1000;
        double cost = kind == 0   ? (double)(c->loop.iterations - i)
                      : kind == 1 ? 1
                      : kind == 2 ? (unit > 0.99 ? 1e4 : unit)
                                  : exp(20 * unit) - 1;
        c->cost[i + 1] = c->cost[i] + scale * cost;
    }
    c->loop.cost = c->cost;
}

static inline void random_case(struct test_case *c, const struct sched_ops *ops,
                               uint64_t seed)
{
    *c = (struct test_case){.seed = seed, .ops = ops};
    bool costs = ops->next_by_cost != NULL || ops->order != NULL;
    if (ops->next != NULL && testing_between(&seed, 0, 1) == 0)
        costs = false;
    c->loop.iterations =
        testing_scale(&seed, costs ? COSTS_MAX : ITERATIONS_MAX);
    c->loop.workers = (int)testing_scale(&seed, WORKERS_MAX);
    random_powers(c, &seed);
    int kind = (int)testing_between(&seed, 0, 3);
    c->min_chunk = kind == 0   ? 1
                   : kind == 1 ? 5
                   : kind == 2 ? 1 + c->loop.iterations / 5000
                               : testing_scale(&seed, c->loop.iterations);
    random_spec(c, &seed);
    if (costs)
        random_costs(c, &seed);
    if (costs && ops->next != NULL)
        snprintf(c->text, sizeof(c->text), "%s:by=cost", ops->name);
}

#endif
