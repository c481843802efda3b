#include "bench/foretell/sync_interval/models.h"

#include "base/system/whole.h"
#include "bench/foretell/sync_interval/forecast.h"
#include "bench/foretell/sync_interval/intervals.h"
#include "bench/options/command.h"
#include "bench/options/table.h"
#include "harness/process/need.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

static void add_line(struct table *table, const struct cell *cell,
                     const struct forecast_shape *shape,
                     const struct forecast *forecast)
{
    double auto_s, other_s, h = (double)cell->sync_interval;
    int64_t best = forecast_interval(forecast, "auto", &auto_s);
    table_add(table_under(table, "cell"), "%s", cell->hash);
    table_value(table, "k", (double)forecast->model.k, 17);
    table_value(table, "skew", shape->skew, 17);
    table_value(table, "columns", (double)shape->columns, 17);
    table_value(table, "model_s", forecast_time(forecast, h, true), 17);
    table_value(table, "no_skew_s", forecast_time(forecast, h, false), 17);
    table_value(table, "h_auto", (double)best, 17);
    table_value(table, "auto_s", auto_s, 17);
    table_value(table, "h_andronikos",
                (double)forecast_interval(forecast, "andronikos", &other_s),
                17);
    table_value(table, "h_chen_xue",
                (double)forecast_interval(forecast, "chen-xue", &other_s), 17);
    table_value(table, "h_no_skew", (double)forecast_without_skew(forecast),
                17);
    table_value(table, "ratio", interval_ratio(&forecast->model, h), 17);
}

/* The table omits loops without a calibration, or that this machine cannot
 * make. */
static int add_cell(struct table *table, const struct cell *cell,
                    const struct calibration *calibration)
{
    struct forecast_shape shape;
    struct forecast forecast;
    if (cell->sync_interval <= 0 ||
        forecast_shape(cell->kernel, &shape, NULL) != 0 ||
        forecast_cell(&forecast, cell, &shape, calibration, NULL) != 0)
        return 0;
    add_line(table, cell, &shape, &forecast);
    forecast_close(&forecast);
    return 1;
}

/* Only a missing calibration is not an error. */
static int add_cells(struct table *table, const struct results *results,
                     const char *dir, struct error *err)
{
    struct calibration calibration;
    int lines = 0;
    int code = intervals_stored(dir, &calibration, err);
    if (code != 0)
        return code == -ENOENT ? 0 : code;
    for (int i = 0; i < results->count; i++)
        lines += add_cell(table, &results->list[i].cell, &calibration);
    calibration_free(&calibration);
    return lines;
}

/* Returns the number of lines, or -errno with a text. */
static int models_print(FILE *out, const struct results *results,
                        const char *dir, struct error *err)
{
    struct table table;
    table_open(&table, 0, 0);
    int lines = add_cells(&table, results, dir, err);
    if (lines > 0)
        table_write(&table, TABLE_CSV, out);
    table_free(&table);
    return lines;
}

int models_store(const char *dir, const struct results *results,
                 struct error *err)
{
    char path[PATH_MAX + 32], *text;
    size_t size;
    snprintf(path, sizeof(path), "%s/sync-model.csv", dir);
    FILE *out = need_stream(&text, &size);
    int lines = models_print(out, results, dir, err);
    fclose(out);
    int code = lines > 0 ? file_whole(path, text, size, err) : lines;
    free(text);
    return code;
}

int models_command(const char *dir)
{
    struct results results;
    struct error err = {""};
    int lines = results_read(dir, &results, &err);
    if (lines == 0) {
        lines = models_print(stdout, &results, dir, &err);
        results_free(&results);
    }
    if (lines == 0)
        lines = error_set(&err, ENOENT,
                          "%s: the model knows none of its loops: it needs "
                          "sync intervals and a calibration.json",
                          dir);
    return lines > 0 ? COMMAND_OK : command_fail(COMMAND_USAGE, &err);
}
