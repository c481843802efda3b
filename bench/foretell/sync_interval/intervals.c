/* Intervals come from a calibration or, for a simulated cluster, from the costs
 * of its platform.  Plans of protocol push are only checked here: the
 * calibration must know their kernels and messages with input data. */
#include "bench/foretell/sync_interval/intervals.h"

#include "bench/calibrate/calibrate.h"
#include "bench/calibrate/calibration_find.h"
#include "bench/foretell/sync_interval/forecast.h"
#include "bench/foretell/sync_interval/platform_costs.h"
#include "bench/options/command.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* ---- the calibration ---- */

static bool is_chosen(const struct cell *cell)
{
    return strcmp(cell->sync_choice, "given") != 0;
}

static bool is_planned(const struct intervals_source *source,
                       const struct cell *cell)
{
    return source->simulate == NULL && strcmp(cell->protocol, "push") == 0;
}

/* By the costs of a platform's file, not by a calibration. */
static bool is_by_platform(const struct intervals_source *source,
                           const struct cell *cell)
{
    return source->simulate != NULL && is_chosen(cell) &&
           !this_machine_is(cell->platform);
}

/* Whether any cell needs a calibration. */
static bool any_needs(const struct intervals_source *source,
                      const struct cell *cells, int count)
{
    for (int i = 0; i < count; i++)
        if (is_planned(source, &cells[i]) ||
            (is_chosen(&cells[i]) && !is_by_platform(source, &cells[i])))
            return true;
    return false;
}

/* The kernels of plans, each once, as far as there is room. */
static void list_kernels(const struct intervals_source *source,
                         const struct cell *cells, int count,
                         struct calibrate_request *request)
{
    for (int i = 0; i < count; i++) {
        bool there = !is_planned(source, &cells[i]);
        for (int k = 0; !there && k < request->kernels; k++)
            there = strcmp(request->kernel[k].spec, cells[i].kernel) == 0;
        if (!there && request->kernels < CALIBRATE_KERNELS_MAX)
            request->kernel[request->kernels++].spec = cells[i].kernel;
    }
}

static int measure_costs(const struct intervals_source *source,
                         const struct cell *cells, int count, const char *path,
                         struct calibration *calibration, struct error *err)
{
    struct calibrate_request request = {.launcher = source->launcher,
                                        .oversubscribe = source->oversubscribe};
    int code = calibrate_check_place(path, err);
    if (code != 0)
        return code;
    list_kernels(source, cells, count, &request);
    return calibrate_make(&request, path, calibration, err);
}

static int load_calibration(struct intervals *intervals,
                            const struct intervals_source *source,
                            const struct cell *cells, int count,
                            struct error *err)
{
    char path[PATH_MAX];
    int code = calibration_find_quietly(source->file, &intervals->calibration,
                                        path, err);
    if (calibration_is_missing(source->file, code) && path[0] != '\0') {
        calibration_say_measuring(code, "sync_interval and plans", path);
        code = measure_costs(source, cells, count, path,
                             &intervals->calibration, err);
    }
    if (code != 0)
        return code;
    intervals->loaded = true;
    calibration_warn(path, &intervals->calibration);
    return 0;
}

static void stored_path(const char *dir, char *path, size_t size)
{
    snprintf(path, size, "%s/calibration.json", dir);
}

int intervals_stored(const char *dir, struct calibration *calibration,
                     struct error *err)
{
    char path[PATH_MAX];
    stored_path(dir, path, sizeof(path));
    int code = calibration_load(path, calibration, err);
    if (code == -ESTALE)
        return error_set(err, EINVAL,
                         "%s is of an earlier version of dlsbench, and all "
                         "cells here need the same: give another --out",
                         path);
    return code;
}

/* ---- the cells ---- */

static int resolve_cell(const struct calibration *calibration,
                        struct cell *cell, const struct forecast_shape *shape,
                        struct error *err)
{
    struct forecast forecast;
    int code = forecast_cell(&forecast, cell, shape, calibration, err);
    if (code != 0)
        return code;
    cell->sync_interval =
        forecast_interval(&forecast, cell->sync_choice, &cell->predicted_s);
    forecast_close(&forecast);
    return 0;
}

/* The missing measurements of the launch, with the command that makes them. */
static int check_plans(const struct calibration *calibration,
                       const struct intervals_source *source,
                       const struct cell *cells, int count, struct error *err)
{
    const struct calibration_kind *kind = &calibration->kind[CALIBRATION_RANKS];
    struct calibrate_request lacking = {.launcher = NULL};
    list_kernels(source, cells, count, &lacking);
    bool known = lacking.kernels == 0 || kind->transfers > 0;
    for (int k = 0; k < lacking.kernels; k++)
        known = known &&
                calibration_kernel_of(kind, lacking.kernel[k].spec) != NULL;
    if (known)
        return 0;
    char list[500] = "";
    for (int k = 0; k < lacking.kernels; k++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof(list) - used, " --kernel %s",
                 lacking.kernel[k].spec);
    }
    return error_set(err, EINVAL,
                     "the calibration does not know what plans need: measure "
                     "with dlsbench calibrate%s",
                     list);
}

/* By the calibration, or by the costs of the cell's platform. */
static int resolve_by(const struct calibration *calibration,
                      const struct intervals_source *source,
                      struct platform_messages *messages, struct cell *cell,
                      const struct forecast_shape *shape, struct error *err)
{
    struct calibration platform;
    if (!is_by_platform(source, cell))
        return resolve_cell(calibration, cell, shape, err);
    int code = platform_costs(&platform, messages, source->simulate, cell, err);
    if (code != 0)
        return code;
    code = resolve_cell(&platform, cell, shape, err);
    calibration_free(&platform);
    return code;
}

static int resolve_all(const struct calibration *calibration,
                       const struct intervals_source *source,
                       struct cell *cells, int count, struct error *err)
{
    struct platform_messages messages = {.platform = NULL};
    struct forecast_shape shape;
    const char *shaped = ""; /* the kernel of the current shape */
    int code = 0;
    for (int i = 0; code == 0 && i < count; i++) {
        if (!is_chosen(&cells[i]))
            continue;
        if (strcmp(shaped, cells[i].kernel) != 0)
            code = forecast_shape(cells[i].kernel, &shape, err);
        shaped = cells[i].kernel;
        if (code == 0)
            code = resolve_by(calibration, source, &messages, &cells[i], &shape,
                              err);
        if (code != 0)
            error_prefix(err, code, "sync_interval of %s, %s", cells[i].kernel,
                         cells[i].scheme);
    }
    return code;
}

/* All that a calibration says. */
static int use_calibration(const struct calibration *calibration,
                           const struct intervals_source *source,
                           struct cell *cells, int count, struct error *err)
{
    int code = check_plans(calibration, source, cells, count, err);
    return code == 0 ? resolve_all(calibration, source, cells, count, err)
                     : code;
}

int intervals_open(struct intervals *intervals,
                   const struct intervals_source *source, struct cell *cells,
                   int count, struct error *err)
{
    *intervals = (struct intervals){.loaded = false};
    intervals->resolved = true;
    if (!any_needs(source, cells, count))
        return resolve_all(NULL, source, cells, count, err);
    int code = load_calibration(intervals, source, cells, count, err);
    if (code == 0)
        code =
            use_calibration(&intervals->calibration, source, cells, count, err);
    return code;
}

int intervals_settle(struct intervals *intervals,
                     const struct intervals_source *source, const char *dir,
                     struct cell *cells, int count, struct error *err)
{
    struct calibration there;
    char path[PATH_MAX];
    if (!any_needs(source, cells, count))
        return intervals->resolved
                   ? 0
                   : resolve_all(NULL, source, cells, count, err);
    int code = intervals_stored(dir, &there, err);
    if (code == -ENOENT) {
        code = intervals->loaded
                   ? 0
                   : intervals_open(intervals, source, cells, count, err);
        stored_path(dir, path, sizeof(path));
        return code == 0 ? calibration_save(&intervals->calibration, path, err)
                         : code;
    }
    if (code != 0)
        return code;
    intervals_close(intervals);
    intervals->calibration = there;
    intervals->loaded = true;
    return use_calibration(&intervals->calibration, source, cells, count, err);
}

void intervals_close(struct intervals *intervals)
{
    if (intervals->loaded)
        calibration_free(&intervals->calibration);
    intervals->loaded = false;
}
