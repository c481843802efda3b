/* Reads all files twice: first the ends of cells, then the repetitions.  A
 * repetition of a launch whose end was not ok is dropped. */
#include "bench/results/results.h"

#include "base/folder.h"
#include "base/list.h"
#include "base/stats.h"
#include "base/text.h"
#include "harness/process/need.h"
#include "harness/record/record.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- cells ---- */

const struct result *results_find(const struct results *results,
                                  const char *hash)
{
    json_t *position = json_object_get(results->index, hash);
    if (position == NULL)
        return NULL;
    return &results->list[json_integer_value(position)];
}

static void read_cell(const json_t *line, const char *hash, json_t *texts,
                      struct cell *cell)
{
    cell_from_row(line, texts, cell);
    snprintf(cell->hash, sizeof(cell->hash), "%s", hash);
}

/* Where the line's cell is; NULL: it has none.  Returns 0 or -ENOMEM. */
static int find_result(struct results *results, const json_t *line,
                       struct result **place)
{
    const char *hash = json_string_value(json_object_get(line, "cell"));
    *place = NULL;
    if (hash == NULL)
        return 0;
    struct result *found = (struct result *)results_find(results, hash);
    if (found != NULL) {
        if (found->cell.kernel[0] == '\0')
            read_cell(line, hash, results->texts, &found->cell);
        *place = found;
        return 0;
    }
    if (list_grow(&results->list, &results->room, results->count + 1,
                  sizeof(*results->list)) != 0)
        return -ENOMEM;
    struct result *result = &results->list[results->count];
    *result = (struct result){.status = RESULT_NONE, .reason = ""};
    read_cell(line, hash, results->texts, &result->cell);
    *place = result;
    return json_object_set_new(results->index, hash,
                               json_integer(results->count++)) == 0
               ? 0
               : -ENOMEM;
}

/* ---- lines ---- */

static double read_number(const json_t *line, const char *key)
{
    const json_t *value = json_object_get(line, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *read_text(const json_t *line, const char *key)
{
    const char *value = json_string_value(json_object_get(line, key));
    return value ? value : "";
}

static json_t *ends_of(const struct results *results, const json_t *line)
{
    return json_object_get(results->ends, read_text(line, "launch"));
}

/* A launch has finished with a cell.  Any later line of this launch and cell is
 * from a driver that did not know it, or from a rank that outlived its launch.
 * With several launches the best end counts. */
static int take_done(struct results *results, const json_t *line)
{
    const char *status = read_text(line, "status");
    struct result *result;
    int code = find_result(results, line, &result);
    json_t *ends = ends_of(results, line);
    if (ends == NULL &&
        json_object_set_new(results->ends, read_text(line, "launch"),
                            ends = json_object()) != 0)
        code = -ENOMEM;
    if (code != 0 || result == NULL ||
        json_object_get(ends, read_text(line, "cell")) != NULL)
        return code;
    enum result_status now = strcmp(status, "ok") == 0 ? RESULT_OK
                             : strcmp(status, "unverified") == 0
                                 ? RESULT_UNVERIFIED
                                 : RESULT_FAILED;
    if (now >= result->status) {
        char reason[200];
        text_line(reason, sizeof(reason), read_text(line, "reason"));
        result->status = now;
        result->reason = cell_keep(&result->cell, reason);
    }
    return json_object_set_new(ends, read_text(line, "cell"),
                               json_integer(now)) == 0
               ? 0
               : -ENOMEM;
}

static int take_run(struct results *results, const json_t *line)
{
    const json_t *status =
        json_object_get(ends_of(results, line), read_text(line, "cell"));
    const json_t *verified = json_object_get(line, "verified");
    struct result *result;
    int code = find_result(results, line, &result);
    if (code != 0 || result == NULL ||
        json_integer_value(status) != RESULT_OK ||
        !(json_is_true(verified) || json_is_string(verified)))
        return code;
    if (list_grow(&result->samples, &result->room, result->count + 1,
                  sizeof(*result->samples)) != 0)
        return -ENOMEM;
    result->samples[result->count++] = (struct result_sample){
        .time_s = read_number(line, "time_s"),
        .bound_s = read_number(line, "bound_s"),
        .serial_s = read_number(line, "serial_s"),
        .overhead_mean_s = read_number(line, "overhead_mean_s"),
        .imbalance = read_number(line, "imbalance"),
        .chunks = read_number(line, "chunks"),
        .predicted_s = read_number(line, "predicted_s"),
        .serial_pass = read_number(line, "serial_pass"),
        .serial_others = read_number(line, "serial_others"),
        .others = read_number(line, "others"),
        .others_max_s = read_number(line, "others_max_s"),
        .launch = ends_of(results, line),
        .trial = json_is_true(json_object_get(line, "trial")),
    };
    const char *how = json_string_value(verified);
    bool simulated = json_is_true(json_object_get(line, "simulated"));
    result->simulated = result->simulated || simulated;
    bool unchecked = how != NULL && strcmp(how, "not compared") == 0;
    result->unchecked = result->unchecked || unchecked;
    result->sampled =
        result->sampled || (how != NULL && !simulated && !unchecked);
    result->oversubscribed =
        result->oversubscribed ||
        json_is_true(json_object_get(line, "oversubscribed"));
    result->shared_masters =
        result->shared_masters ||
        json_integer_value(json_object_get(line, "shared_masters")) > 0;
    return 0;
}

typedef int take_function(struct results *results, const json_t *line);

static int take_row(const json_t *row, const char *type, take_function *take,
                    struct results *results)
{
    /* Lines of another schema may mean something else; lines without a schema
     * are read. */
    const json_t *schema = json_object_get(row, "schema");
    if (schema != NULL && json_integer_value(schema) != RECORD_SCHEMA)
        return -EPROTO;
    return type == NULL || strcmp(read_text(row, "type"), type) == 0
               ? take(results, row)
               : 0;
}

/* Reads the lines of this type (NULL: all).  A launch killed while it wrote may
 * leave lines that are no objects; they are skipped, and counted once. */
static int read_lines(const char *path, const char *type, take_function *take,
                      struct results *results, struct error *err)
{
    struct rows rows;
    json_t *row;
    int taken = 0, code = rows_open(&rows, path, err);
    if (code != 0)
        return code;
    while (taken == 0 && (code = rows_next(&rows, &row, err)) > 0) {
        results->torn += row == NULL && take == take_done;
        taken = row != NULL ? take_row(row, type, take, results) : 0;
        json_decref(row);
    }
    rows_close(&rows);
    if (taken == -ENOMEM)
        return error_set(err, ENOMEM, "%s: out of memory", path);
    if (taken != 0)
        return error_set(err, EPROTO,
                         "%s: its schema is not %d: another version of "
                         "dlsbench wrote it, read it with that one",
                         path, RECORD_SCHEMA);
    return code;
}

static int read_ends(const char *path, struct results *results,
                     struct error *err)
{
    return read_lines(path, "cell_done", take_done, results, err);
}

static int read_runs(const char *path, struct results *results,
                     struct error *err)
{
    return read_lines(path, "run", take_run, results, err);
}

/* A cell whose repetitions were lost after its end must run again. */
static void reopen_empty(struct results *results)
{
    for (int i = 0; i < results->count; i++) {
        struct result *result = &results->list[i];
        if (result->status == RESULT_OK && result->count == 0)
            result->status = RESULT_NONE;
    }
}

static int read_workers(const char *path, struct results *results,
                        struct error *err)
{
    return read_lines(path, NULL, results_take_worker, results, err);
}

typedef int read_function(const char *path, struct results *results,
                          struct error *err);

/* Every launch's file of this kind. */
static int read_all(const char *dir, const char *kind, read_function *read,
                    struct results *results, struct error *err)
{
    struct folder found;
    int code = folder_find(dir, kind, ".jsonl", &found, err);
    for (int i = 0; code == 0 && i < found.count; i++)
        code = read(found.path[i], results, err);
    folder_free(&found);
    return code;
}

static int begin_results(struct results *results, const char *path,
                         struct error *err)
{
    *results = (struct results){
        .index = json_object(), .ends = json_object(), .texts = cell_texts()};
    return results->index != NULL && results->ends != NULL
               ? 0
               : error_set(err, ENOMEM, "%s: out of memory", path);
}

int results_read(const char *dir, struct results *results, struct error *err)
{
    int code = begin_results(results, dir, err);
    char *answers = need_text("%s/answers.json", dir);
    if (code == 0)
        results->tried = json_load_file(answers, 0, NULL);
    free(answers);
    if (code == 0)
        code = read_all(dir, "runs-", read_ends, results, err);
    if (code == 0)
        code = read_all(dir, "runs-", read_runs, results, err);
    reopen_empty(results);
    if (code == 0 && results_measure_power(results))
        code = read_all(dir, "workers-", read_workers, results, err);
    if (code != 0)
        results_free(results);
    return code;
}

int results_read_launch(const char *dir, const char *launch,
                        struct results *results, struct error *err)
{
    char path[PATH_MAX];
    if ((size_t)snprintf(path, sizeof(path), "%s/runs-%s.jsonl", dir, launch) >=
        sizeof(path))
        return error_set(err, ENAMETOOLONG, "%s: the path is too long", dir);
    int code = begin_results(results, path, err);
    if (code == 0 && access(path, F_OK) == 0)
        code = read_ends(path, results, err);
    if (code == 0 && results->count > 0)
        code = read_runs(path, results, err);
    reopen_empty(results);
    if (code != 0)
        results_free(results);
    return code;
}

const json_t *results_tried(const struct results *results, const char *kernel)
{
    size_t i;
    const json_t *loop;
    json_array_foreach(json_object_get(results->tried, "loops"), i, loop)
    {
        const char *name = json_string_value(json_object_get(loop, "name"));
        if (name != NULL && text_is(name, kernel) &&
            json_is_string(json_object_get(loop, "verdict")))
            return loop;
    }
    return NULL;
}

void results_free(struct results *results)
{
    for (int i = 0; i < results->count; i++) {
        free(results->list[i].samples);
        free(results->list[i].power);
    }
    free(results->list);
    json_decref(results->index);
    json_decref(results->ends);
    json_decref(results->texts);
    json_decref(results->tried);
    *results = (struct results){.list = NULL};
}

static struct stats_median find_interval(const struct result *result,
                                         size_t offset, int *count)
{
    double *values = need_zeroed((size_t)result->count + 1, sizeof(*values));
    struct stats_median median = {NAN, NAN, NAN};
    *count = 0;
    for (int i = 0; i < result->count; i++) {
        const char *sample = (const char *)&result->samples[i];
        double value = *(const double *)(sample + offset);
        if (!isnan(value))
            values[(*count)++] = value;
    }
    if (*count > 0)
        median = stats_median(values, *count);
    free(values);
    return median;
}

struct stats_median result_interval(const struct result *result, size_t offset)
{
    int count;
    return find_interval(result, offset, &count);
}

double result_median(const struct result *result, size_t offset, double *half)
{
    int count;
    struct stats_median median = find_interval(result, offset, &count);
    if (half != NULL)
        *half = count < RESULT_CI_LEAST ? (double)NAN
                                        : (median.high - median.low) / 2;
    return median.median;
}

const char *result_unranked(const struct result *result)
{
    if (result->oversubscribed)
        return "; oversubscribed, not ranked";
    return result->shared_masters ? "; a master on a worker's core, not ranked"
                                  : NULL;
}
