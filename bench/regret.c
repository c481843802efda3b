#include "bench/regret.h"

#include "bench/table.h"
#include "harness/choice.h"
#include "harness/stats.h"

#include <errno.h>
#include <glob.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* ---- choices-*.jsonl ---- */

static void read_lines(const char *path, json_t *lines)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    if (file == NULL)
        return;
    for (ssize_t length; (length = getline(&line, &room, file)) > 0;) {
        json_t *object = json_loadb(line, (size_t)length, 0, NULL);
        const char *type = json_string_value(json_object_get(object, "type"));
        if (type != NULL && is(type, "candidate"))
            json_array_append(lines, object);
        json_decref(object);
    }
    free(line);
    fclose(file);
}

/* Of a cell that was chosen for several times, the lines of the last launch:
 * launches are named by their time. */
static json_t *read_choices(const char *dir)
{
    char pattern[4096];
    glob_t found;
    json_t *lines = json_array();
    snprintf(pattern, sizeof(pattern), "%s/choices-*.jsonl", dir);
    if (glob(pattern, 0, NULL, &found) != 0)
        return lines;
    for (size_t i = 0; i < found.gl_pathc; i++)
        read_lines(found.gl_pathv[i], lines);
    globfree(&found);
    return lines;
}

static const char *text(const json_t *line, const char *key)
{
    const char *value = json_string_value(json_object_get(line, key));
    return value != NULL ? value : "";
}

static double number(const json_t *line, const char *key)
{
    const json_t *value = json_object_get(line, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* ---- one cell ---- */

/* What was chosen for one cell, and the best fixed choice. */
struct regret {
    const struct result *result;
    const char *launch;   /* whose lines count */
    const json_t *chosen; /* line of the choice */
    int candidates;
    bool trial;
    double time_s;              /* of the choice, under auto */
    double mean_s, best_mean_s; /* of all repetitions, trials included */
    double predicted_s;
    const struct result *best; /* NULL: none */
    double best_s;
};

static double median(const struct result *result)
{
    double value = NAN;
    if (result->count > 0)
        result_median(result, offsetof(struct result_sample, time_s), &value,
                      NULL);
    return value;
}

static double mean(const struct result *result)
{
    double sum = 0;
    for (int i = 0; i < result->count; i++)
        sum += result->samples[i].time_s;
    return result->count > 0 ? sum / result->count : NAN;
}

/* Equal but for what auto chooses. */
static bool same_problem(const struct result *a, const struct result *b)
{
    const struct cell *c = &a->cell, *d = &b->cell;
    const char *const pairs[][2] = {
        {c->kernel, d->kernel},     {c->transport, d->transport},
        {c->master, d->master},     {c->window, d->window},
        {c->collect, d->collect},   {c->bind, d->bind},
        {c->rank_per, d->rank_per}, {c->memory, d->memory},
        {c->timing, d->timing},     {c->protocol, d->protocol},
        {c->data, d->data},         {c->power, d->power},
        {c->load, d->load},         {c->placement, d->placement},
        {c->perturb, d->perturb},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        if (!is(pairs[i][0], pairs[i][1]))
            return false;
    return c->ranks == d->ranks && c->threads == d->threads &&
           c->prefetch == d->prefetch && c->smt == d->smt &&
           c->min_chunk == d->min_chunk && c->reissue == d->reissue &&
           a->simulated == b->simulated &&
           a->oversubscribed == b->oversubscribed;
}

static void find_best(const struct results *results, struct regret *r)
{
    for (int i = 0; i < results->count; i++) {
        const struct result *other = &results->list[i];
        if (other->status != RESULT_OK || choice_named(other->cell.scheme) ||
            !same_problem(r->result, other))
            continue;
        double time_s = median(other);
        if (isnan(time_s) || (r->best != NULL && time_s >= r->best_s))
            continue;
        r->best = other;
        r->best_s = time_s;
    }
}

/* Whether the line is of the cell, and of the launch that counts. */
static bool about(const struct regret *r, const json_t *line)
{
    return is(text(line, "cell"), r->result->cell.hash) &&
           (r->launch == NULL || is(text(line, "launch"), r->launch));
}

static bool look(const struct results *results, const json_t *lines,
                 const struct result *result, struct regret *r)
{
    size_t i;
    json_t *line;
    *r = (struct regret){.result = result};
    json_array_foreach(lines, i, line)
    {
        const char *launch = text(line, "launch");
        if (is(text(line, "cell"), result->cell.hash) &&
            (r->launch == NULL || strcmp(launch, r->launch) > 0))
            r->launch = launch;
    }
    json_array_foreach(lines, i, line)
    {
        if (!about(r, line))
            continue;
        r->candidates++;
        if (json_is_true(json_object_get(line, "chosen")))
            r->chosen = line;
    }
    if (r->chosen == NULL || result->status != RESULT_OK)
        return false;
    r->trial = is(text(r->chosen, "by"), "trial");
    r->predicted_s = number(r->chosen, "predicted_s");
    r->time_s = r->trial ? number(r->chosen, "median_s") : median(result);
    r->mean_s = mean(result);
    find_best(results, r);
    r->best_mean_s = r->best != NULL ? mean(r->best) : NAN;
    return true;
}

/* The cells of auto that ended well, in the order of the directory; free the
 * list. */
static int look_all(const struct results *results, const json_t *lines,
                    struct regret **list, int *count, struct error *err)
{
    *count = 0;
    *list = calloc((size_t)results->count + 1, sizeof(**list));
    if (*list == NULL)
        return error_set(err, ENOMEM, "out of memory");
    for (int i = 0; i < results->count; i++)
        if (choice_named(results->list[i].cell.scheme) &&
            look(results, lines, &results->list[i], &(*list)[*count]))
            ++*count;
    return 0;
}

/* ---- printing ---- */

static double share(double time_s, double of_s)
{
    return time_s / of_s - 1;
}

static void add_percent(struct table *table, double value)
{
    if (isfinite(value))
        table_add(table, "%+.1f %%", 100 * value);
    else
        table_add(table, "-");
}

static void add_choice(struct table *table, const char *scheme,
                       const char *hierarchy, double interval)
{
    char h[32] = "";
    if (isfinite(interval) && interval > 0)
        snprintf(h, sizeof(h), ", h %.0f", interval);
    table_add(table, "%s%s%s%s", scheme, is(hierarchy, "flat") ? "" : ", ",
              is(hierarchy, "flat") ? "" : hierarchy, h);
}

static void add_seconds(struct table *table, double seconds)
{
    char words[32];
    table_seconds(seconds, seconds, words, sizeof(words));
    table_add(table, "%s", isfinite(seconds) ? words : "-");
}

static void add_row(struct table *table, const struct regret *r)
{
    const struct cell *c = &r->result->cell;
    table_add(table, "%.*s", (int)strcspn(c->kernel, ":"), c->kernel);
    table_add(table, "%dx%d %s", c->ranks, c->threads, c->transport);
    table_add(table, "%s", c->load);
    table_add(table, r->trial ? "trial" : "simulation");
    table_add(table, "%d", r->candidates);
    add_choice(table, text(r->chosen, "scheme"), text(r->chosen, "hierarchy"),
               number(r->chosen, "sync_interval"));
    add_seconds(table, r->predicted_s);
    add_seconds(table, r->time_s);
    if (r->best != NULL)
        add_choice(table, r->best->cell.scheme, r->best->cell.hierarchy,
                   (double)r->best->cell.sync_interval);
    else
        table_add(table, "-");
    add_seconds(table, r->best != NULL ? r->best_s : NAN);
    add_percent(table, r->best ? share(r->time_s, r->best_s) : NAN);
    add_percent(table,
                r->best && r->trial ? share(r->mean_s, r->best_mean_s) : NAN);
}

/* Mean and largest over the cells of one way to choose. */
static void print_whole(FILE *out, const struct regret *list, int count,
                        bool trial)
{
    double sum = 0, most = -INFINITY, all[count + 1];
    int n = 0;
    for (int i = 0; i < count; i++) {
        if (list[i].trial != trial || list[i].best == NULL)
            continue;
        double regret = share(list[i].time_s, list[i].best_s);
        sum += regret;
        most = fmax(most, regret);
        all[n++] = regret;
    }
    if (n > 0)
        fprintf(out,
                "  by %s: %+.1f %% in the median and %+.1f %% in the mean of "
                "%d cells, %+.1f %% at most (aim: at most %d %%)\n",
                trial ? "trial" : "simulation",
                100 * stats_median(all, n).median, 100 * sum / n, n, 100 * most,
                trial ? 3 : 5);
}

static int print_all(FILE *out, const struct regret *list, int count)
{
    static const char *const head[] = {
        "loop",       "layout", "load",      "by",
        "candidates", "chosen", "predicted", "time",
        "best fixed", "time",   "regret",    "with trials"};
    enum { COLUMNS = sizeof(head) / sizeof(head[0]) };
    struct table table;
    table_open(&table, COLUMNS, 4);
    for (int i = 0; i < COLUMNS; i++)
        table_add(&table, "%s", head[i]);
    for (int i = 0; i < count; i++)
        add_row(&table, &list[i]);
    fprintf(out, "\nAutomatic selection: its time over that of the best fixed "
                 "choice in this directory\n\n");
    int code = table_print(&table, out, 2);
    table_free(&table);
    fputc('\n', out);
    print_whole(out, list, count, false);
    print_whole(out, list, count, true);
    return code;
}

int regret_print(FILE *out, const struct results *results, const char *dir,
                 struct error *err)
{
    struct regret *list;
    int count;
    json_t *lines = read_choices(dir);
    int code = look_all(results, lines, &list, &count, err);
    if (code == 0 && count > 0 && print_all(out, list, count) != 0)
        code = error_set(err, ENOMEM, "out of memory");
    free(list);
    json_decref(lines);
    return code;
}

/* ---- auto.csv ---- */

static void add_line(struct table *table, const struct results *results,
                     const struct regret *r, const json_t *line)
{
    const struct cell *c = &r->result->cell;
    const struct result *fixed = results_find(results, text(line, "candidate"));
    bool chosen = line == r->chosen;
    double measured =
        fixed != NULL && fixed->status == RESULT_OK ? median(fixed) : NAN;
    const char *const words[] = {c->hash,
                                 c->kernel,
                                 c->transport,
                                 c->master,
                                 c->load,
                                 text(line, "by"),
                                 text(line, "candidate"),
                                 text(line, "scheme"),
                                 text(line, "hierarchy")};
    const double numbers[] = {
        c->ranks,
        c->threads,
        number(line, "sync_interval"),
        number(line, "predicted_s"),
        number(line, "repetitions"),
        number(line, "median_s"),
        chosen,
        measured,
        chosen ? r->time_s : NAN,
        r->best != NULL ? r->best_s : NAN,
        chosen && r->best != NULL ? share(r->time_s, r->best_s) : NAN,
        chosen && r->best != NULL && r->trial ? share(r->mean_s, r->best_mean_s)
                                              : NAN};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        table_add(table, "%s", words[i]);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        bool whole = numbers[i] == trunc(numbers[i]);
        if (whole)
            table_add(table, "%.0f", numbers[i]);
        else
            table_number(table, numbers[i], 9);
    }
}

static int write_csv(FILE *file, const struct results *results,
                     const json_t *lines, const struct regret *list, int count)
{
    static const char *const head[] = {
        "cell",        "kernel",     "transport",
        "master",      "load",       "by",
        "candidate",   "scheme",     "hierarchy",
        "ranks",       "threads",    "sync_interval",
        "predicted_s", "tried",      "tried_median_s",
        "chosen",      "measured_s", "auto_s",
        "best_s",      "regret",     "regret_with_trials"};
    enum { COLUMNS = sizeof(head) / sizeof(head[0]) };
    struct table table;
    size_t l;
    json_t *line;
    table_open(&table, COLUMNS, 0);
    for (int i = 0; i < COLUMNS; i++)
        table_add(&table, "%s", head[i]);
    for (int i = 0; i < count; i++)
        json_array_foreach(lines, l, line)
        {
            if (about(&list[i], line))
                add_line(&table, results, &list[i], line);
        }
    int code = table_csv(&table, file);
    table_free(&table);
    return code;
}

int regret_store(const struct results *results, const char *dir,
                 struct error *err)
{
    char path[4096];
    struct regret *list;
    int count;
    json_t *lines = read_choices(dir);
    int code = look_all(results, lines, &list, &count, err);
    snprintf(path, sizeof(path), "%s/auto.csv", dir);
    FILE *file = code == 0 && count > 0 ? fopen(path, "w") : NULL;
    if (code == 0 && count > 0 && file == NULL)
        code = error_set(err, errno, "%s: cannot write: %s", path,
                         strerror(errno));
    if (file != NULL) {
        bool bad = write_csv(file, results, lines, list, count) != 0;
        bad = fclose(file) != 0 || bad;
        if (bad)
            code = error_set(err, EIO, "%s: cannot write", path);
    }
    free(list);
    json_decref(lines);
    return code;
}
