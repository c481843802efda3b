#include "bench/launching/driver/estimate.h"

#include "bench/campaign/kernel_work.h"
#include "bench/foretell/sync_interval/forecast.h"
#include "harness/check/setup.h"
#include "harness/process/need.h"
#include "kernels/kernel.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Serial passes in addition to those that take at most an eighth of the cells'
 * time (harness/problem/native/serial.c, harness/launch/launch_internal.h): one
 * warm-up, three timed, two by iterations; for long ones, one and one.  The
 * reference is cached and not counted. */
enum { SERIAL_PASSES = 6, LONG_PASSES = 2, REPETITIONS_LEAST = 3 };
static const double LONG_PASS_S = 3;

int estimator_open(struct estimator *e, const struct policy *policy,
                   const char *earlier, const char *calibration,
                   struct error *err)
{
    char path[4096];
    int code = 0;
    *e = (struct estimator){.policy = policy};
    if (earlier != NULL) {
        code = results_read(earlier, &e->earlier, err);
        if (code != 0)
            return error_prefix(err, code, "--from");
        e->has_earlier = true;
    }
    /* Without one of this machine there is no model, which is not an error. */
    if (calibration != NULL)
        code = calibration_load(calibration, &e->calibration, err);
    else if (calibration_default_path(path, sizeof(path), NULL) != 0 ||
             calibration_load(path, &e->calibration, NULL) != 0)
        return 0;
    e->has_calibration = code == 0;
    if (code != 0)
        estimator_close(e);
    return code;
}

void estimator_close(struct estimator *e)
{
    if (e->has_earlier)
        results_free(&e->earlier);
    if (e->has_calibration)
        calibration_free(&e->calibration);
    free(e->kernel);
    *e = (struct estimator){.policy = NULL};
}

double estimate_whole(const struct policy *p, double repetition_s,
                      double serial_s)
{
    /* cell_seconds is looked at after a repetition, and after three at least.
     */
    double most =
        fmax(p->cell_seconds, REPETITIONS_LEAST * repetition_s) + repetition_s;
    double repetitions = fmin(p->repetitions_max * repetition_s, most);
    int passes = serial_s > LONG_PASS_S ? LONG_PASSES : SERIAL_PASSES;
    double before = isnan(serial_s) ? 0 : passes * serial_s;
    return fmin(before + repetition_s + repetitions, p->cell_timeout);
}

/* ---- an earlier directory ---- */

#define MEDIAN(result, column)                                                 \
    result_median(result, offsetof(struct result_sample, column), NULL)

/* The loss of a number of workers against perfect scaling: the mean of time_s p
 * / serial_s over the cells of that many workers. */
struct loss {
    int workers, cells;
    double mean;
};

static void add_loss(struct loss *list, int *count, int workers, double lost)
{
    int at = 0;
    while (at < *count && list[at].workers < workers)
        at++;
    if (at == *count || list[at].workers != workers) {
        memmove(list + at + 1, list + at,
                (size_t)(*count - at) * sizeof(*list));
        list[at] = (struct loss){.workers = workers};
        ++*count;
    }
    struct loss *loss = &list[at];
    loss->mean += (lost - loss->mean) / ++loss->cells;
}

/* Between two known numbers of workers: on the line over log p; beyond the
 * largest: by Amdahl's law with the loop's serial share there. */
static double loss_at(const struct loss *list, int count, int workers)
{
    const struct loss *last = &list[count - 1];
    if (workers <= list[0].workers)
        return list[0].mean;
    for (int i = 1; i < count; i++) {
        const struct loss *low = &list[i - 1], *high = &list[i];
        if (workers > high->workers)
            continue;
        double way = log((double)workers / low->workers) /
                     log((double)high->workers / low->workers);
        return low->mean + way * (high->mean - low->mean);
    }
    double serial =
        last->workers > 1 ? (last->mean - 1) / (last->workers - 1) : 0;
    return last->mean + fmax(serial, 0) * (workers - last->workers);
}

/* The loss for a cell's number of workers, from the earlier cells of its
 * kernel, or of all; NAN: none.  Sets *serial_s to their mean. */
static double earlier_loss(const struct estimator *e, const struct cell *cell,
                           bool all, double *serial_s)
{
    struct loss *list = calloc((size_t)e->earlier.count + 1, sizeof(*list));
    double serial = 0, found = 0;
    int count = 0;
    for (int i = 0; list != NULL && i < e->earlier.count; i++) {
        const struct result *r = &e->earlier.list[i];
        double alone = MEDIAN(r, serial_s), time = MEDIAN(r, time_s);
        bool same = strcmp(r->cell.kernel, cell->kernel) == 0;
        int workers = cell_workers(&r->cell);
        if (r->simulated || !(all || same) || !(alone > 0) || !(time > 0) ||
            workers < 1)
            continue;
        serial += alone;
        found++;
        add_loss(list, &count, workers, time * workers / alone);
    }
    double lost =
        count > 0 ? loss_at(list, count, cell_workers(cell)) : (double)NAN;
    *serial_s = serial / found;
    free(list);
    return lost;
}

/* ---- the kernel's cost model ---- */

static void model_kernel(const struct estimator *e, const char *text,
                         double serial_s[CALIBRATION_KINDS])
{
    const struct kernel_ops *ops;
    struct spec spec;
    for (int k = 0; k < CALIBRATION_KINDS; k++)
        serial_s[k] = NAN;
    if (kernel_parse(text, &ops, &spec, NULL) != 0 || ops->cost == NULL)
        return;
    bool seconds = ops->cost->flops == 0;
    if (!seconds && !e->has_calibration)
        return;
    double operations = work_operations(ops, &spec);
    double starts = work_starts(ops, &spec);
    int steps = work_repeats(ops, &spec);
    for (int k = 0; k < CALIBRATION_KINDS; k++)
        serial_s[k] =
            steps * (seconds ? operations
                             : work_seconds(&e->calibration.kind[k], text,
                                            operations, starts));
}

/* Seconds of the serial loop by the model, as ranks or as threads; NAN: not
 * known. */
static double model_of(struct estimator *e, const struct cell *cell)
{
    int64_t i = 0;
    while (i < e->kernels && strcmp(e->kernel[i].spec, cell->kernel) != 0)
        i++;
    if (i == e->kernels) {
        need_room(&e->kernel, &e->room, e->kernels + 1, sizeof(*e->kernel));
        strcpy(e->kernel[i].spec, cell->kernel);
        model_kernel(e, cell->kernel, e->kernel[i].serial_s);
        e->kernels++;
    }
    const double *serial_s = e->kernel[i].serial_s;
    bool ranks = cell->ranks > 1 && !isnan(serial_s[CALIBRATION_RANKS]);
    return serial_s[ranks ? CALIBRATION_RANKS : CALIBRATION_THREADS];
}

/* The time of a loop with dependences, where workers wait for each other, by
 * the model of the sync interval; NAN: not known, or simulated. */
static double pipeline_of(const struct estimator *e, const struct cell *cell)
{
    struct forecast_shape shape;
    struct forecast forecast;
    double time_s, h = (double)cell->sync_interval;
    if (!e->has_calibration || cell->platform[0] != '\0' ||
        forecast_shape(cell->kernel, &shape, NULL) != 0 ||
        forecast_cell(&forecast, cell, &shape, &e->calibration, NULL) != 0)
        return NAN;
    if (h > 0)
        time_s = forecast_time(&forecast, fmin(h, (double)shape.columns), true);
    else
        forecast_interval(&forecast, "auto", &time_s);
    forecast_close(&forecast);
    return time_s;
}

/* ---- together ---- */

static struct estimate estimate_of(const struct policy *policy,
                                   double repetition_s, double serial_s,
                                   const char *by)
{
    return (struct estimate){estimate_whole(policy, repetition_s, serial_s),
                             repetition_s, serial_s, by};
}

struct estimate estimate_cell(struct estimator *e, const struct cell *cell)
{
    const struct policy *p = e->policy;
    const struct result *same =
        e->has_earlier ? results_find(&e->earlier, cell->hash) : NULL;
    double serial_s = NAN, workers = cell_workers(cell);
    double time_s = same != NULL ? MEDIAN(same, time_s) : NAN;
    if (time_s > 0)
        return estimate_of(p, time_s, MEDIAN(same, serial_s), "measured");
    double lost =
        e->has_earlier ? earlier_loss(e, cell, false, &serial_s) : (double)NAN;
    if (lost > 0)
        return estimate_of(p, serial_s * lost / workers, serial_s, "alike");
    serial_s = model_of(e, cell);
    time_s = serial_s > 0 ? pipeline_of(e, cell) : (double)NAN;
    if (time_s > 0)
        return estimate_of(p, time_s, serial_s, "model");
    if (serial_s > 0) {
        double unused;
        lost =
            e->has_earlier ? earlier_loss(e, cell, true, &unused) : (double)NAN;
        return estimate_of(p, serial_s * (lost > 1 ? lost : 1) / workers,
                           serial_s, "model");
    }
    return (struct estimate){fmin(p->cell_seconds, p->cell_timeout), NAN, NAN,
                             "limit"};
}
