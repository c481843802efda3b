/* The curves of the figures: every heuristic on every platform and load. */
#ifndef BENCH_PAPERS_BEAUMONT_SERIES_H
#define BENCH_PAPERS_BEAUMONT_SERIES_H

#include "bench/papers/beaumont/figures.h"

#include <stdio.h>

/* One point of a curve, over the platforms of its figure. */
struct beaumont_point {
    double time_s; /* mean makespan */
    double ratio;  /* mean of makespan / lp-adaptive's on the same platform */
    double ratio_min, ratio_max;
    /* Why: means over the platforms, of the plans themselves. */
    double rounds;
    double latency, waiting; /* shares of all workers' time until the end */
    double over_bound; /* makespan over load / n*, below which nothing is */
};

struct beaumont_series {
    int platforms[BEAUMONT_FIGURES]; /* 1 for homogeneous ones */
    struct beaumont_point point[BEAUMONT_FIGURES][BEAUMONT_LOADS]
                               [BEAUMONT_HEURISTICS];
    /* The largest |time / analytic makespan - 1| of all plans. */
    double deviation;
};

/* How long plans take.  An engine works on so many platforms at once (lanes);
 * the plans of a call are all of one platform, and stay as they are until they
 * are collected. */
struct beaumont_engine {
    const char *name;
    int lanes;
    void *self; /* the engine's own, handed to its functions */
    int (*submit)(void *self, int lane,
                  const struct divisible_platform *platform,
                  const struct divisible_plan *plan, int count,
                  struct error *err);
    /* Sets seconds[0 .. count - 1] of what this lane got last. */
    int (*collect)(void *self, int lane, const struct divisible_plan *plan,
                   int count, double *seconds, struct error *err);
};

/* The makespans of the plans themselves, see sched/divisible/plan.h. */
extern const struct beaumont_engine beaumont_analytic;

/* Plans as messages on SimGrid, one process for each lane, see
 * bench/divisible/plan_sim.h.  Returns 0 or -errno with a text; then close it.
 */
int beaumont_simgrid_open(struct beaumont_engine *engine, int lanes,
                          struct error *err);
void beaumont_simgrid_close(struct beaumont_engine *engine);

struct beaumont_setup {
    int platforms; /* random ones for each figure, at least 1 */
    uint64_t seed;
    struct beaumont_reading reading;
    const struct beaumont_engine *engine;
    FILE *progress; /* a line for each figure; NULL: none */
};

/* Runs everything; `series` is large: not for the stack.  Returns 0 or -errno
 * with a text. */
int beaumont_run(const struct beaumont_setup *setup,
                 struct beaumont_series *series, struct error *err);

#endif
