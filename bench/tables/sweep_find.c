#include "bench/tables/sweep_parts.h"

#include "bench/predict/intervals.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Given intervals that make a sweep. */
enum { POINTS_MIN = 3 };

static const char *const words[SWEEP_CHOICES] = {"auto", "andronikos",
                                                 "chen-xue"};

/* ---- which cells make a sweep ---- */

static bool usable(const struct result *result)
{
    return result->status == RESULT_OK && result->count > 0 &&
           result->cell.sync_interval > 0 &&
           strcmp(result->cell.perturb, "none") == 0;
}

/* In the order of sweeps: all but the interval first. */
static int compare_cells(const struct cell *a, const struct cell *b)
{
    const int orders[] = {strcmp(a->kernel, b->kernel),
                          a->ranks - b->ranks,
                          a->threads - b->threads,
                          strcmp(a->transport, b->transport),
                          strcmp(a->hierarchy, b->hierarchy),
                          strcmp(a->protocol, b->protocol),
                          strcmp(a->scheme, b->scheme),
                          strcmp(a->master, b->master),
                          strcmp(a->window, b->window),
                          strcmp(a->collect, b->collect),
                          strcmp(a->bind, b->bind),
                          a->smt - b->smt,
                          strcmp(a->rank_per, b->rank_per),
                          strcmp(a->memory, b->memory),
                          strcmp(a->timing, b->timing),
                          strcmp(a->power, b->power),
                          strcmp(a->load, b->load),
                          strcmp(a->placement, b->placement),
                          cell_simulation_compare(a, b),
                          a->prefetch - b->prefetch,
                          (a->min_chunk > b->min_chunk) -
                              (a->min_chunk < b->min_chunk)};
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
        if (orders[i] != 0)
            return orders[i];
    return 0;
}

/* What shared cores is not compared with what did not. */
static int compare_groups(const struct result *a, const struct result *b)
{
    int order = compare_cells(&a->cell, &b->cell);
    return order != 0 ? order : result_crowding(a) - result_crowding(b);
}

static int compare_results(const void *x, const void *y)
{
    const struct result *r = *(const struct result *const *)x;
    const struct result *s = *(const struct result *const *)y;
    const struct cell *a = &r->cell, *b = &s->cell;
    int order = compare_groups(r, s);
    if (order != 0)
        return order;
    return (a->sync_interval > b->sync_interval) -
           (a->sync_interval < b->sync_interval);
}

static bool given(const struct result *result)
{
    return strcmp(result->cell.sync_choice, "given") == 0;
}

/* ---- what was measured ---- */

static int measure_point(const struct result *result, struct sweep_point *point)
{
    *point = (struct sweep_point){.result = result,
                                  .h = (double)result->cell.sync_interval,
                                  .model_s = NAN,
                                  .plain_s = NAN};
    return result_median(result, offsetof(struct result_sample, time_s),
                         &point->time_s, &point->half_s);
}

double sweep_time(const struct sweep *sweep, double h)
{
    const struct sweep_point *p = sweep->point;
    for (int i = 0; i < sweep->points; i++) {
        if (p[i].h == h)
            return p[i].time_s;
        if (i > 0 && p[i - 1].h < h && h < p[i].h) {
            double share = log(h / p[i - 1].h) / log(p[i].h / p[i - 1].h);
            return p[i - 1].time_s + share * (p[i].time_s - p[i - 1].time_s);
        }
    }
    return NAN;
}

static void find_best(struct sweep *sweep)
{
    sweep->best = sweep->unranked != NULL ? -1 : 0;
    if (sweep->unranked != NULL)
        return;
    for (int i = 1; i < sweep->points; i++)
        if (sweep->point[i].time_s < sweep->point[sweep->best].time_s)
            sweep->best = i;
}

/* ---- what the model says ---- */

static struct sweep_choice recommend(const struct sweep *sweep, double h)
{
    struct sweep_choice choice = {.h = h, .time_s = sweep_time(sweep, h)};
    for (int i = 0; i < sweep->points; i++)
        choice.measured = choice.measured || sweep->point[i].h == h;
    choice.loss = sweep->best < 0
                      ? NAN
                      : choice.time_s / sweep->point[sweep->best].time_s - 1;
    return choice;
}

static void ask_model(struct sweep *sweep, const struct forecast *forecast)
{
    double time;
    for (int i = 0; i < sweep->points; i++) {
        struct sweep_point *p = &sweep->point[i];
        p->model_s = forecast_time(forecast, p->h, true);
        p->plain_s = forecast_time(forecast, p->h, false);
        sweep->model_error += fabs(p->model_s / p->time_s - 1) / sweep->points;
        sweep->plain_error += fabs(p->plain_s / p->time_s - 1) / sweep->points;
    }
    sweep->k = (double)forecast->model.k;
    for (int c = 0; c < SWEEP_CHOICES; c++) {
        double h = (double)forecast_interval(forecast, words[c], &time);
        sweep->choice[c] = recommend(sweep, h);
        if (c == SWEEP_AUTO)
            sweep->predicted_s = time;
    }
    sweep->plain = recommend(sweep, (double)forecast_without_skew(forecast));
}

static void not_known(struct sweep *sweep)
{
    const struct sweep_choice none = {.h = NAN, .time_s = NAN, .loss = NAN};
    for (int c = 0; c < SWEEP_CHOICES; c++)
        sweep->choice[c] = none;
    sweep->plain = none;
    sweep->k = sweep->predicted_s = NAN;
    sweep->model_error = sweep->plain_error = NAN;
}

/* A loop that the calibration does not know, that cannot be made here, or that
 * ran beside competing load, which is not in the model, is shown without
 * theory. */
static void add_theory(struct sweep *sweep,
                       const struct calibration *calibration)
{
    struct forecast forecast;
    struct error err;
    if (calibration == NULL || sweep->cell->load[0] != '\0' ||
        forecast_shape(sweep->cell->kernel, &sweep->shape, &err) != 0 ||
        forecast_cell(&forecast, sweep->cell, &sweep->shape, calibration,
                      &err) != 0) {
        not_known(sweep);
        return;
    }
    sweep->known = true;
    ask_model(sweep, &forecast);
    forecast_close(&forecast);
}

/* ---- all of it ---- */

static int make_sweep(const struct result *const *results, int count,
                      const struct calibration *calibration,
                      struct sweep *sweep)
{
    *sweep = (struct sweep){.cell = &results[0]->cell,
                            .unranked = result_unranked(results[0])};
    sweep->point = calloc((size_t)count, sizeof(*sweep->point));
    if (sweep->point == NULL)
        return -ENOMEM;
    for (int i = 0; i < count; i++)
        if (measure_point(results[i], &sweep->point[sweep->points++]) != 0)
            return -ENOMEM;
    find_best(sweep);
    add_theory(sweep, calibration);
    return 0;
}

/* Sorted results [first, end) that differ in their interval only. */
static int end_of_group(const struct result *const *results, int count,
                        int first, int *given_count)
{
    int end = first;
    *given_count = 0;
    while (end < count && compare_groups(results[first], results[end]) == 0)
        *given_count += given(results[end++]);
    return end;
}

static int make_sweeps(const struct result *const *results, int count,
                       const struct calibration *calibration,
                       struct sweeps *sweeps)
{
    sweeps->list = calloc((size_t)count + 1, sizeof(*sweeps->list));
    if (sweeps->list == NULL)
        return -ENOMEM;
    for (int i = 0, end, intervals; i < count; i = end) {
        end = end_of_group(results, count, i, &intervals);
        if (intervals < POINTS_MIN)
            continue;
        int code = make_sweep(results + i, end - i, calibration,
                              &sweeps->list[sweeps->count++]);
        if (code != 0)
            return code;
    }
    return 0;
}

int sweeps_find(const struct results *results, const char *dir,
                struct sweeps *sweeps, struct error *err)
{
    struct calibration calibration;
    struct error reason;
    int count = 0;
    const struct result **sorted =
        calloc((size_t)results->count + 1, sizeof(*sorted));
    *sweeps = (struct sweeps){.count = 0};
    if (sorted == NULL)
        return error_set(err, ENOMEM, "out of memory");
    for (int i = 0; i < results->count; i++)
        if (usable(&results->list[i]))
            sorted[count++] = &results->list[i];
    qsort(sorted, (size_t)count, sizeof(*sorted), compare_results);
    bool known = intervals_stored(dir, &calibration, &reason) == 0;
    int code = make_sweeps(sorted, count, known ? &calibration : NULL, sweeps);
    if (known)
        calibration_free(&calibration);
    free(sorted);
    if (code == 0)
        return 0;
    sweeps_free(sweeps);
    return error_set(err, ENOMEM, "out of memory");
}

void sweeps_free(struct sweeps *sweeps)
{
    for (int i = 0; i < sweeps->count; i++)
        free(sweeps->list[i].point);
    free(sweeps->list);
    *sweeps = (struct sweeps){.count = 0};
}
