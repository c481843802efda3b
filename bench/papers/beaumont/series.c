#include "bench/papers/beaumont/series.h"

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
    struct divisible_worker worker[BEAUMONT_WORKERS_MAX];
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
            beaumont_choice(i % BEAUMONT_HEURISTICS, &setup->reading);
        double load = beaumont_load(i / BEAUMONT_HEURISTICS);
        code = divisible_make(&choice, platform, load, &plan[i], err);
    }
    return code;
}

/* What a worker's time until the end goes into besides its load. */
static void add_losses(struct beaumont_point *point,
                       const struct divisible_plan *plan,
                       const struct divisible_platform *platform)
{
    double latency = 0, load = 0;
    double all = platform->workers * plan->makespan;
    for (int64_t n = 0; n < plan->chunks; n++) {
        const struct divisible_chunk *c = &plan->chunk[n];
        const struct divisible_worker *worker = &platform->worker[c->worker];
        latency += worker->g;
        load += c->load * (worker->G + worker->w);
    }
    point->rounds += plan->rounds;
    point->latency += latency / all;
    point->waiting += 1 - (latency + load) / all;
}

static void add_reasons(struct beaumont_series *series, const struct task *task)
{
    const struct divisible_platform platform = {
        .workers = beaumont_figures[task->figure].workers,
        .worker = task->worker};
    int order[BEAUMONT_WORKERS_MAX];
    divisible_sort(&platform, DIVISIBLE_BY_LINK, order);
    double rate = divisible_steady_rate(&platform, order);
    for (int i = 0; i < PLANS; i++) {
        int load = i / BEAUMONT_HEURISTICS, heuristic = i % BEAUMONT_HEURISTICS;
        struct beaumont_point *point =
            &series->point[task->figure][load][heuristic];
        add_losses(point, &task->plan[i], &platform);
        point->over_bound +=
            task->plan[i].makespan * rate / beaumont_load(load);
    }
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
    if (code == 0) {
        add_reasons(series, task);
        add_platform(series, task->figure, seconds);
    }
    for (int i = 0; code == 0 && i < PLANS; i++)
        series->deviation = fmax(series->deviation,
                                 fabs(seconds[i] / task->plan[i].makespan - 1));
    task_clear(task);
    return code;
}

static int begin(const struct beaumont_setup *setup, int lane,
                 struct task *task, int figure, int number, struct error *err)
{
    struct divisible_platform platform = {beaumont_figures[figure].workers,
                                          task->worker, false, false};
    beaumont_platform(&beaumont_figures[figure], &setup->reading, setup->seed,
                      number, task->worker);
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
        point[i].rounds /= series->platforms[figure];
        point[i].latency /= series->platforms[figure];
        point[i].waiting /= series->platforms[figure];
        point[i].over_bound /= series->platforms[figure];
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
