/* Writes the JSON of Google Benchmark, the metrics of Bencher, or OpenMetrics.
 * A name is kernel/scheme/label, and stays the same from one directory to the
 * next, so that a tracker can follow a cell. */
#include "bench/commands/summary_trackers.h"

#include "base/text.h"
#include "bench/results/summary_rows.h"
#include "harness/process/need.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TO_NS = 1000000000, TO_US = 1000000, DIGITS = 12 };

/* A cell by the name that it has in every directory. */
struct tracked {
    const struct summary_row *row;
    char *name;
    char *left_out; /* the reason; NULL: it is not */
};

static char *reason_of(const struct summary_row *row)
{
    const struct result *result = row->result;
    const char *words = summary_row_words(result);
    const char *unranked = result_unranked(result);
    if (words != NULL)
        return need_text("%s%s%s", words, result->reason[0] ? ": " : "",
                         result->reason);
    if (unranked != NULL)
        return need_copy(unranked + strspn(unranked, "; "));
    return isfinite(row->time.median) ? NULL : need_copy("it has no time");
}

/* The label has everything unusual, and all conditions of the machine. */
static char *name_of(const struct summary_row *row, bool with_hash)
{
    char label[LABEL_SIZE] = "";
    const struct cell *cell = &row->result->cell;
    label_cell(label, cell);
    return need_text("%s/%s/%s%s%s", cell->kernel, cell->scheme, label,
                     with_hash ? "/" : "", with_hash ? cell->hash : "");
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Cells of one name get their hashes, too. */
static struct tracked *name_cells(const struct summary_row *rows, int count)
{
    struct tracked *list = need_zeroed((size_t)count + 1, sizeof(*list));
    char **names = need_zeroed((size_t)count + 1, sizeof(*names));
    for (int i = 0; i < count; i++)
        names[i] = name_of(&rows[i], false);
    qsort(names, (size_t)count, sizeof(*names), compare_names);
    for (int i = 0; i < count; i++) {
        char *name = name_of(&rows[i], false);
        char **found =
            bsearch(&name, names, (size_t)count, sizeof(*names), compare_names);
        bool twice = (found > names && text_is(found[-1], name)) ||
                     (found + 1 < names + count && text_is(found[1], name));
        list[i] =
            (struct tracked){&rows[i], twice ? name_of(&rows[i], true) : name,
                             reason_of(&rows[i])};
        if (twice)
            free(name);
    }
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(names);
    return list;
}

/* Text that was damaged is not in UTF-8. */
static json_t *json_text(const char *text)
{
    json_t *found = json_string(text);
    if (found != NULL)
        return found;
    char *copy = need_copy(text);
    for (char *c = copy; *c != '\0'; c++)
        *c = (unsigned char)*c < 128 ? *c : '?';
    found = json_string(copy);
    free(copy);
    return found != NULL ? found : (need_failed(), NULL);
}

static void write_json(json_t *root, FILE *out)
{
    if (root == NULL ||
        json_dumpf(root, out, JSON_INDENT(1) | JSON_REAL_PRECISION(DIGITS)) !=
            0)
        need_failed();
    fputc('\n', out);
    json_decref(root);
}

/* A loop's processor time is not measured, but compare.py needs one to read a
 * file. */
static json_t *google_repetition(const struct tracked *cell, int i)
{
    const struct result *result = cell->row->result;
    double us = result->samples[i].time_s * TO_US;
    return json_pack("{s:o,s:o,s:s,s:i,s:i,s:i,s:i,s:f,s:f,s:s}", "name",
                     json_text(cell->name), "run_name", json_text(cell->name),
                     "run_type", "iteration", "repetitions", result->count,
                     "repetition_index", i, "threads",
                     result->cell.ranks * result->cell.threads, "iterations", 1,
                     "real_time", us, "cpu_time", us, "time_unit", "us");
}

static void write_google(const struct tracked *list, int count, FILE *out)
{
    json_t *runs = json_array(), *without = json_array();
    for (int i = 0; i < count; i++) {
        if (list[i].left_out != NULL)
            json_array_append_new(
                without, json_pack("{s:o,s:o}", "name", json_text(list[i].name),
                                   "reason", json_text(list[i].left_out)));
        for (int k = 0;
             list[i].left_out == NULL && k < list[i].row->result->count; k++)
            if (isfinite(list[i].row->result->samples[k].time_s))
                json_array_append_new(runs, google_repetition(&list[i], k));
    }
    write_json(json_pack("{s:{s:s,s:s,s:s,s:o},s:o}", "context", "executable",
                         "dlsbench", "library_build_type", "release",
                         "cpu_time", "not measured: the same as real_time",
                         "left_out", without, "benchmarks", runs),
               out);
}

static void write_bencher(const struct tracked *list, int count, FILE *out)
{
    json_t *root = json_object();
    for (int i = 0; i < count; i++) {
        const struct stats_median *time = &list[i].row->time;
        json_t *name = list[i].left_out ? NULL : json_text(list[i].name);
        if (name != NULL)
            json_object_set_new(root, json_string_value(name),
                                json_pack("{s:{s:f,s:f,s:f}}", "latency",
                                          "value", time->median * TO_NS,
                                          "lower_value", time->low * TO_NS,
                                          "upper_value", time->high * TO_NS));
        json_decref(name);
    }
    write_json(root, out);
}

/* ---- OpenMetrics ---- */

static void write_label(FILE *out, const char *before, const char *name,
                        const char *value)
{
    fprintf(out, "%s%s=\"", before, name);
    for (const char *c = value; *c != '\0'; c++)
        if (*c == '\n')
            fputs("\\n", out);
        else
            fprintf(out, "%s%c", *c == '"' || *c == '\\' ? "\\" : "", *c);
    fputc('"', out);
}

static void write_point(FILE *out, const char *family,
                        const struct tracked *cell, double value)
{
    char number[32];
    const struct cell *of = &cell->row->result->cell;
    fprintf(out, "%s{", family);
    write_label(out, "", "cell", of->hash);
    write_label(out, ",", "name", cell->name);
    write_label(out, ",", "kernel", of->kernel);
    write_label(out, ",", "scheme", of->scheme);
    snprintf(number, sizeof(number), "%d", of->ranks * of->threads);
    write_label(out, ",", "workers", number);
    if (cell->left_out != NULL)
        write_label(out, ",", "reason", cell->left_out);
    fprintf(out, "} %.*g\n", DIGITS, value);
}

/* Omits missing times. */
static void write_openmetrics(const struct tracked *list, int count, FILE *out)
{
    static const struct {
        const char *name, *help;
    } times[] = {
        {"dlsbench_time_seconds", "Median time of the loop."},
        {"dlsbench_time_low_seconds", "Lower end of its 95 % interval."},
        {"dlsbench_time_high_seconds", "Upper end of its 95 % interval."}};
    for (int t = 0; t < 3; t++) {
        fprintf(out, "# TYPE %s gauge\n# UNIT %s seconds\n# HELP %s %s\n",
                times[t].name, times[t].name, times[t].name, times[t].help);
        for (int i = 0; i < count; i++) {
            const struct stats_median *time = &list[i].row->time;
            const double value[] = {time->median, time->low, time->high};
            if (list[i].left_out == NULL && isfinite(value[t]))
                write_point(out, times[t].name, &list[i], value[t]);
        }
    }
    fputs(
        "# TYPE dlsbench_ranked gauge\n# HELP dlsbench_ranked 1: the cell has "
        "a time; 0: it failed or is not to be compared, for this reason.\n",
        out);
    for (int i = 0; i < count; i++)
        write_point(out, "dlsbench_ranked", &list[i], list[i].left_out == NULL);
    fputs("# EOF\n", out);
}

/* Returns how many are not left out. */
static int report_left_out(const struct tracked *list, int count)
{
    const struct tracked *first = NULL;
    int missing = 0;
    for (int i = 0; i < count; i++)
        if (list[i].left_out != NULL && missing++ == 0)
            first = &list[i];
    if (missing > 0)
        fprintf(stderr, "dlsbench: %d of %d cells left out%s %s: %s\n", missing,
                count, missing > 1 ? "; the first is" : ":", first->name,
                first->left_out);
    return count - missing;
}

int trackers_write(const struct results *results, int format, FILE *out)
{
    static void (*const writers[])(const struct tracked *, int, FILE *) = {
        write_google, write_bencher, write_openmetrics};
    int count = results->count;
    struct summary_row *rows = summary_rows_make(results);
    struct tracked *list = name_cells(rows, count);
    writers[format](list, count, out);
    int written = report_left_out(list, count);
    for (int i = 0; i < count; i++) {
        free(list[i].name);
        free(list[i].left_out);
    }
    free(list);
    summary_rows_free(rows, count);
    return written;
}
