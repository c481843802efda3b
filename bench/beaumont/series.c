#include "bench/beaumont/series.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { PLANS = BEAUMONT_LOADS * BEAUMONT_HEURISTICS };

static int analytic_submit(void *self, int lane,
                           const struct divisible_platform *platform,
                           const struct divisible_plan *plan, int count,
                           struct error *err)
{
    (void)self, (void)lane, (void)platform, (void)plan, (void)count, (void)err;
    return 0;
}

static int analytic_collect(void *self, int lane,
                            const struct divisible_plan *plan, int count,
                            double *seconds, struct error *err)
{
    (void)self, (void)lane, (void)err;
    for (int i = 0; i < count; i++)
        seconds[i] = plan[i].makespan;
    return 0;
}

const struct beaumont_engine beaumont_analytic = {
    .name = "analytic",
    .lanes = 1,
    .submit = analytic_submit,
    .collect = analytic_collect,
};

/* What a lane is at. */
struct task {
    bool pending;
    int figure;
    struct divisible_plan plan[PLANS];
};

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

static void task_clear(struct task *task)
{
    for (int i = 0; i < PLANS; i++)
        divisible_plan_free(&task->plan[i]);
    task->pending = false;
}

static int finish(const struct beaumont_setup *setup, int lane,
                  struct task *task, struct beaumont_series *series,
                  struct error *err)
{
    double seconds[PLANS];
    if (!task->pending)
        return 0;
    int code = setup->engine->collect(setup->engine->self, lane, task->plan,
                                      PLANS, seconds, err);
    if (code == 0)
        add_platform(series, task->figure, seconds);
    for (int i = 0; code == 0 && i < PLANS; i++)
        series->deviation = fmax(series->deviation,
                                 fabs(seconds[i] / task->plan[i].makespan - 1));
    task_clear(task);
    return code;
}

static int begin(const struct beaumont_setup *setup, int lane,
                 struct task *task, int figure, int number, struct error *err)
{
    struct divisible_worker worker[BEAUMONT_WORKERS_MAX];
    struct divisible_platform platform = {beaumont_figures[figure].workers,
                                          worker, false, false};
    beaumont_platform(&beaumont_figures[figure], &setup->reading, setup->seed,
                      number, worker);
    task->figure = figure;
    int code = make_plans(setup, &platform, task->plan, err);
    if (code == 0)
        code = setup->engine->submit(setup->engine->self, lane, &platform,
                                     task->plan, PLANS, err);
    task->pending = code == 0;
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

static void say_progress(const struct beaumont_setup *setup, int figure)
{
    if (setup->progress != NULL)
        fprintf(setup->progress, "dlsbench: figure %s, %d of %d\n",
                beaumont_figures[figure].number, figure + 1, BEAUMONT_FIGURES);
}

static int run_all(const struct beaumont_setup *setup, struct task *task,
                   struct beaumont_series *series, struct error *err)
{
    int code = 0, lanes = setup->engine->lanes, lane = 0;
    for (int figure = 0; code == 0 && figure < BEAUMONT_FIGURES; figure++) {
        int count = beaumont_figures[figure].random ? setup->platforms : 1;
        say_progress(setup, figure);
        for (int n = 0; code == 0 && n < count; n++) {
            code = finish(setup, lane, &task[lane], series, err);
            if (code == 0)
                code = begin(setup, lane, &task[lane], figure, n, err);
            lane = (lane + 1) % lanes;
        }
    }
    for (int k = 0; code == 0 && k < lanes; k++)
        code = finish(setup, k, &task[k], series, err);
    return code;
}

int beaumont_run(const struct beaumont_setup *setup,
                 struct beaumont_series *series, struct error *err)
{
    int lanes = setup->engine->lanes;
    struct task *task = calloc((size_t)lanes, sizeof(*task));
    if (task == NULL)
        return error_set(err, ENOMEM, "out of memory");
    *series = (struct beaumont_series){.deviation = 0};
    int code = run_all(setup, task, series, err);
    for (int figure = 0; code == 0 && figure < BEAUMONT_FIGURES; figure++)
        take_means(series, figure);
    for (int k = 0; k < lanes; k++)
        task_clear(&task[k]);
    free(task);
    return code;
}
