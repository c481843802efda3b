/* The curves of the figures: every heuristic on every platform and load. */
#ifndef BENCH_BEAUMONT_SERIES_H
#define BENCH_BEAUMONT_SERIES_H

#include "bench/beaumont/figures.h"

/* One point of a curve, over the platforms of its figure. */
struct beaumont_point {
    double time_s; /* mean makespan */
    double ratio;  /* mean of makespan / lp-adaptive's on the same platform */
    double ratio_min, ratio_max;
};

struct beaumont_series {
    int platforms[BEAUMONT_FIGURES]; /* 1 for homogeneous ones */
    struct beaumont_point point[BEAUMONT_FIGURES][BEAUMONT_LOADS]
                               [BEAUMONT_HEURISTICS];
};

/* How long plans take.  The plans of a call are all of one platform. */
struct beaumont_engine {
    const char *name;
    /* Sets seconds[0 .. count - 1]; returns 0 or -errno with a text. */
    int (*run)(const struct divisible_platform *platform,
               const struct divisible_plan *plan, int count, double *seconds,
               struct error *err);
};

/* The makespans of the plans themselves, see sched/divisible/plan.h. */
extern const struct beaumont_engine beaumont_analytic;

struct beaumont_setup {
    int platforms; /* random ones for each figure, at least 1 */
    uint64_t seed;
    enum divisible_tail tail;
    const struct beaumont_engine *engine;
};

/* Runs everything; `series` is large: not for the stack.  Returns 0 or -errno
 * with a text. */
int beaumont_run(const struct beaumont_setup *setup,
                 struct beaumont_series *series, struct error *err);

#endif
