/* The regret as a table and as auto.csv. */
#include "bench/tables/regret_parts.h"

#include "bench/cli/table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is aimed at, in percent. */
enum { AIM_SIMULATION = 5, AIM_TRIAL = 3 };

/* ---- printing ---- */

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
    bool flat = strcmp(hierarchy, "flat") == 0;
    char h[32] = "";
    if (isfinite(interval) && interval > 0)
        snprintf(h, sizeof(h), ", h %.0f", interval);
    table_add(table, "%s%s%s%s", scheme, flat ? "" : ", ",
              flat ? "" : hierarchy, h);
}

static void add_seconds(struct table *table, double seconds)
{
    char words[32];
    table_seconds(seconds, seconds, words, sizeof(words));
    table_add(table, "%s", isfinite(seconds) ? words : "-");
}

static void add_interval(struct table *table, const struct regret *r)
{
    if (isfinite(r->low) && isfinite(r->high))
        table_add(table, "%+.1f to %+.1f", 100 * r->low, 100 * r->high);
    else
        table_add(table, "-");
}

static void add_row(struct table *table, const struct regret *r)
{
    const struct cell *c = &r->result->cell;
    const struct cell *best = r->best != NULL ? &r->best->cell : NULL;
    table_add(table, "%.*s", (int)strcspn(c->kernel, ":"), c->kernel);
    table_add(table, "%dx%d %s", c->ranks, c->threads, c->transport);
    table_add(table, "%s", c->load);
    table_add(table, r->trial ? "trial" : "simulation");
    table_add(table, "%d", r->candidates);
    add_choice(table, regret_text(r->chosen, "scheme"),
               regret_text(r->chosen, "hierarchy"),
               regret_number(r->chosen, "sync_interval"));
    add_seconds(table, r->predicted_s);
    add_seconds(table, r->time.median);
    if (best != NULL)
        add_choice(table, best->scheme, best->hierarchy,
                   (double)best->sync_interval);
    else
        table_add(table, "-");
    add_seconds(table, best != NULL ? r->best_time.median : NAN);
    add_percent(table, r->value);
    add_interval(table, r);
    add_percent(table, r->trial ? r->mean_s / r->best_mean_s - 1 : NAN);
}

/* Over the cells of one way to choose. */
static void print_whole(FILE *out, const struct regrets *regrets, bool trial)
{
    double aim = (trial ? AIM_TRIAL : AIM_SIMULATION) / 100.0;
    double sum = 0, most = -INFINITY, all[regrets->count + 1];
    int n = 0, within = 0, surely_above = 0;
    for (int i = 0; i < regrets->count; i++) {
        const struct regret *r = &regrets->list[i];
        if (r->trial != trial || !isfinite(r->value))
            continue;
        sum += r->value;
        most = fmax(most, r->value);
        within += r->value <= aim;
        surely_above += r->low > aim;
        all[n++] = r->value;
    }
    if (n > 0)
        fprintf(out,
                "  by %s: %+.1f %% in the median and %+.1f %% in the mean of "
                "%d cells, %+.1f %% at most; %d are within the %.0f %% aimed "
                "at, %d above it with all of their interval\n",
                trial ? "trial" : "simulation",
                100 * stats_median(all, n).median, 100 * sum / n, n, 100 * most,
                within, 100 * aim, surely_above);
}

static int print_all(FILE *out, const struct regrets *regrets)
{
    static const char *const head[] = {
        "loop",   "layout",    "load",       "by",         "candidates",
        "chosen", "predicted", "time",       "best fixed", "time",
        "regret", "95 %",      "with trials"};
    enum { COLUMNS = sizeof(head) / sizeof(head[0]) };
    struct table table;
    table_open(&table, COLUMNS, 4);
    for (int i = 0; i < COLUMNS; i++)
        table_add(&table, "%s", head[i]);
    for (int i = 0; i < regrets->count; i++)
        add_row(&table, &regrets->list[i]);
    fprintf(out, "\nAutomatic selection: its time over that of the best fixed "
                 "choice in this directory\n\n");
    int code = table_print(&table, out, 2);
    table_free(&table);
    fputc('\n', out);
    print_whole(out, regrets, false);
    print_whole(out, regrets, true);
    return code;
}

int regret_print(FILE *out, const struct results *results, const char *dir,
                 struct error *err)
{
    struct regrets regrets;
    int code = regrets_open(&regrets, results, dir, err);
    if (code != 0)
        return code;
    if (regrets.count > 0 && print_all(out, &regrets) != 0)
        code = error_set(err, ENOMEM, "out of memory");
    regrets_close(&regrets);
    return code;
}

/* ---- auto.csv ---- */

static void add_line(struct table *table, const struct results *results,
                     const struct regret *r, const json_t *line)
{
    const struct cell *c = &r->result->cell;
    bool chosen = line == r->chosen;
    const char *const words[] = {c->hash,
                                 c->kernel,
                                 c->transport,
                                 c->master,
                                 c->load,
                                 regret_text(line, "by"),
                                 regret_text(line, "candidate"),
                                 regret_text(line, "scheme"),
                                 regret_text(line, "hierarchy")};
    const double numbers[] = {
        c->ranks,
        c->threads,
        regret_number(line, "sync_interval"),
        regret_number(line, "predicted_s"),
        regret_number(line, "repetitions"),
        regret_number(line, "median_s"),
        chosen,
        regret_median(results_find(results, regret_text(line, "candidate"))),
        chosen ? r->time.median : NAN,
        r->best != NULL ? r->best_time.median : NAN,
        chosen ? r->value : NAN,
        chosen ? r->low : NAN,
        chosen ? r->high : NAN,
        chosen && r->trial ? r->mean_s / r->best_mean_s - 1 : NAN};
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
                     const struct regrets *regrets)
{
    static const char *const head[] = {"cell",
                                       "kernel",
                                       "transport",
                                       "master",
                                       "load",
                                       "by",
                                       "candidate",
                                       "scheme",
                                       "hierarchy",
                                       "ranks",
                                       "threads",
                                       "sync_interval",
                                       "predicted_s",
                                       "tried",
                                       "tried_median_s",
                                       "chosen",
                                       "measured_s",
                                       "auto_s",
                                       "best_s",
                                       "regret",
                                       "regret_low",
                                       "regret_high",
                                       "regret_with_trials"};
    enum { COLUMNS = sizeof(head) / sizeof(head[0]) };
    struct table table;
    size_t l;
    json_t *line;
    table_open(&table, COLUMNS, 0);
    for (int i = 0; i < COLUMNS; i++)
        table_add(&table, "%s", head[i]);
    for (int i = 0; i < regrets->count; i++)
        json_array_foreach(regrets->lines, l, line)
        {
            if (regret_about(&regrets->list[i], line))
                add_line(&table, results, &regrets->list[i], line);
        }
    int code = table_csv(&table, file);
    table_free(&table);
    return code;
}

int regret_store(const struct results *results, const char *dir,
                 struct error *err)
{
    char path[4096];
    struct regrets regrets;
    int code = regrets_open(&regrets, results, dir, err);
    if (code != 0)
        return code;
    snprintf(path, sizeof(path), "%s/auto.csv", dir);
    FILE *file = regrets.count > 0 ? fopen(path, "w") : NULL;
    if (regrets.count > 0 && file == NULL)
        code = error_set(err, errno, "%s: cannot write: %s", path,
                         strerror(errno));
    if (file != NULL) {
        bool bad = write_csv(file, results, &regrets) != 0;
        bad = fclose(file) != 0 || bad;
        if (bad)
            code = error_set(err, EIO, "%s: cannot write", path);
    }
    regrets_close(&regrets);
    return code;
}
