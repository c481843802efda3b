/* Costs of `predict` from a calibration in place of options. */
#include "bench/calibrate/calibration_find.h"
#include "bench/foretell/sync_interval/forecast.h"
#include "bench/foretell/sync_interval/predict.h"
#include "bench/options/numbers.h"
#include "kernels/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int make_forecast(const struct predict_kernel *kernel,
                         const struct calibration *calibration,
                         struct predict *p, struct error *err)
{
    const struct kernel_ops *ops;
    struct forecast f;
    struct cell cell;
    struct spec spec;
    struct forecast_chunks chunks = {.k = 1};
    double *power = NULL;
    cell_defaults(&cell, NULL);
    int code = cell_set(&cell, "layout", kernel->layout, err);
    int workers = cell.ranks * cell.threads;
    if (code == 0)
        code = kernel_parse(kernel->kernel, &ops, &spec, err);
    struct forecast_loop loop = {.kernel = spec.canonical,
                                 .ranks = cell.ranks,
                                 .threads = cell.threads,
                                 .workers = workers,
                                 .transport =
                                     cell.ranks > 1 ? "master" : "shared",
                                 .chunks = &chunks,
                                 .stream = kernel->stream};
    if (code == 0)
        code = forecast_shape(kernel->kernel, &loop.shape, err);
    if (code == 0 && kernel->power != NULL)
        code = number_powers("--power", kernel->power, workers, &power, err);
    loop.power = forecast_by_power(kernel->scheme) ? power : NULL;
    if (code == 0)
        code = forecast_chunks(kernel->scheme, loop.shape.rows, workers, power,
                               1, &chunks, err);
    loop.k = chunks.k;
    if (code == 0)
        code = forecast_open(&f, &loop, calibration, err);
    forecast_forget(&chunks);
    free(power);
    if (code != 0)
        return code;
    p->model = f.model;
    p->group = f.group;
    p->widths = f.widths;
    p->pieces = f.pieces;
    size_t used = strlen(p->source);
    snprintf(p->source + used, sizeof(p->source) - used,
             "\n          c_p of %.120s", f.kernel);
    return 0;
}

int predict_calibrated(const struct predict_kernel *kernel, struct predict *p,
                       struct error *err)
{
    struct calibration calibration;
    int code = calibration_find(kernel->file, &calibration, p->source,
                                sizeof(p->source), err);
    if (code != 0)
        return code;
    p->calibrated = true;
    code = make_forecast(kernel, &calibration, p, err);
    calibration_free(&calibration);
    return code;
}
