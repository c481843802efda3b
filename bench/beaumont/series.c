#include "bench/beaumont/series.h"

#include <math.h>
#include <stdlib.h>

enum { PLANS = BEAUMONT_LOADS * BEAUMONT_HEURISTICS };

static int analytic(const struct divisible_platform *platform,
                    const struct divisible_plan *plan, int count,
                    double *seconds, struct error *err)
{
    (void)platform, (void)err;
    for (int i = 0; i < count; i++)
        seconds[i] = plan[i].makespan;
    return 0;
}

const struct beaumont_engine beaumont_analytic = {"analytic", analytic};

/* All plans of one platform: every load, every heuristic. */
static int make_plans(const struct beaumont_setup *setup,
                      const struct divisible_platform *platform,
                      struct divisible_plan *plan, struct error *err)
{
    int code = 0;
    for (int i = 0; code == 0 && i < PLANS; i++) {
        struct divisible_choice choice =
            beaumont_choice(i % BEAUMONT_HEURISTICS, setup->tail);
        double load = beaumont_load(i / BEAUMONT_HEURISTICS);
        code = divisible_make(&choice, platform, load, &plan[i], err);
    }
    return code;
}

static void add_platform(struct beaumont_series *series, int figure,
                         const double *seconds)
{
    for (int i = 0; i < PLANS; i++) {
        int load = i / BEAUMONT_HEURISTICS, heuristic = i % BEAUMONT_HEURISTICS;
        struct beaumont_point *point = &series->point[figure][load][heuristic];
        double ratio = seconds[i] / seconds[i - heuristic + BEAUMONT_ADAPTIVE];
        bool first = series->platforms[figure] == 0;
        point->time_s += seconds[i];
        point->ratio += ratio;
        point->ratio_min = first ? ratio : fmin(point->ratio_min, ratio);
        point->ratio_max = first ? ratio : fmax(point->ratio_max, ratio);
    }
    series->platforms[figure]++;
}

static int run_platform(const struct beaumont_setup *setup, int figure,
                        int number, struct beaumont_series *series,
                        struct error *err)
{
    struct divisible_worker worker[BEAUMONT_WORKERS_MAX];
    struct divisible_plan plan[PLANS] = {{0}};
    double seconds[PLANS];
    struct divisible_platform platform = {beaumont_figures[figure].workers,
                                          worker, false};
    beaumont_platform(&beaumont_figures[figure], setup->seed, number, worker);
    int code = make_plans(setup, &platform, plan, err);
    if (code == 0)
        code = setup->engine->run(&platform, plan, PLANS, seconds, err);
    if (code == 0)
        add_platform(series, figure, seconds);
    for (int i = 0; i < PLANS; i++)
        divisible_plan_free(&plan[i]);
    return code;
}

static void take_means(struct beaumont_series *series, int figure)
{
    struct beaumont_point *point = &series->point[figure][0][0];
    for (int i = 0; i < PLANS; i++) {
        point[i].time_s /= series->platforms[figure];
        point[i].ratio /= series->platforms[figure];
    }
}

int beaumont_run(const struct beaumont_setup *setup,
                 struct beaumont_series *series, struct error *err)
{
    int code = 0;
    *series = (struct beaumont_series){0};
    for (int figure = 0; code == 0 && figure < BEAUMONT_FIGURES; figure++) {
        int count = beaumont_figures[figure].random ? setup->platforms : 1;
        for (int n = 0; code == 0 && n < count; n++)
            code = run_platform(setup, figure, n, series, err);
        if (code == 0)
            take_means(series, figure);
    }
    return code;
}
