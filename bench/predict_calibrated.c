#include "bench/calibrated.h"
#include "bench/forecast.h"
#include "bench/numbers.h"
#include "bench/predict.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The calibrated ones, in steps of 0.1: closer is noise. */
static double *make_power(const struct calibration_kind *kind, int workers)
{
    double *power = calloc((size_t)workers + 1, sizeof(*power));
    double least = INFINITY;
    for (int w = 0; power != NULL && w < workers; w++) {
        power[w] = kind->worker[w % kind->workers].power;
        least = fmin(least, power[w]);
    }
    for (int w = 0; power != NULL && w < workers; w++)
        power[w] = round(10 * power[w] / least) / 10;
    return power;
}

static int read_power(const struct predict_kernel *kernel,
                      const struct calibration *calibration,
                      const struct cell *cell, int workers, double **power,
                      struct error *err)
{
    int which = cell->ranks > 1 ? CALIBRATION_RANKS : CALIBRATION_THREADS;
    const struct calibration_kind *kind = &calibration->kind[which];
    if (kernel->power != NULL)
        return number_powers("--power", kernel->power, workers, power, err);
    *power = kind->workers > 0 ? make_power(kind, workers) : NULL;
    if (*power == NULL && kind->workers > 0)
        return error_set(err, ENOMEM, "out of memory");
    return 0;
}

static int forecast(const struct predict_kernel *kernel,
                    const struct calibration *calibration, struct predict *p,
                    struct error *err)
{
    struct forecast f;
    struct cell cell;
    double *power = NULL;
    cell_defaults(&cell);
    int code = cell_set(&cell, "layout", kernel->layout, err);
    int workers = cell.ranks * cell.threads;
    struct forecast_loop loop = {.kernel = kernel->kernel,
                                 .ranks = cell.ranks,
                                 .threads = cell.threads,
                                 .workers = workers,
                                 .transport =
                                     cell.ranks > 1 ? "master" : "shared",
                                 .stream = kernel->stream};
    if (code == 0)
        code = forecast_shape(kernel->kernel, &loop.shape, err);
    if (code == 0)
        code = read_power(kernel, calibration, &cell, workers, &power, err);
    loop.power = power;
    if (code == 0)
        code = forecast_chunks(kernel->scheme, loop.shape.rows, workers, power,
                               1, &loop.k, err);
    if (code == 0)
        code = forecast_open(&f, &loop, calibration, err);
    free(power);
    if (code != 0)
        return code;
    p->model = f.model;
    p->group = f.group;
    size_t used = strlen(p->source);
    snprintf(p->source + used, sizeof(p->source) - used,
             "\n          c_p of %.120s", f.kernel);
    return 0;
}

int predict_calibrated(const struct predict_kernel *kernel, struct predict *p,
                       struct error *err)
{
    struct calibration calibration;
    int code = calibrated_load(kernel->file, &calibration, p->source,
                               sizeof(p->source), err);
    if (code != 0)
        return code;
    p->calibrated = true;
    code = forecast(kernel, &calibration, p, err);
    calibration_free(&calibration);
    return code;
}
