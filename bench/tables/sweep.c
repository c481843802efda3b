#include "bench/tables/sweep.h"

#include "bench/cli/table.h"
#include "bench/results/label.h"
#include "bench/tables/sweep_parts.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- pieces of tables ---- */

static void add_time(struct table *table, double seconds)
{
    char text[32] = "-";
    if (isfinite(seconds))
        table_seconds(seconds, seconds, text, sizeof(text));
    table_add(table, "%s", text);
}

static void add_share(struct table *table, double share, int decimals)
{
    if (isfinite(share))
        table_add(table, "%.*f %%", decimals, 100 * share);
    else
        table_add(table, "-");
}

/* The same for what may be more or less. */
static void add_percent(struct table *table, double share, int decimals)
{
    if (isfinite(share))
        table_add(table, "%+.*f %%", decimals, 100 * share);
    else
        table_add(table, "-");
}

static void add_interval(struct table *table, double h)
{
    if (isfinite(h))
        table_add(table, "%.0f", h);
    else
        table_add(table, "-");
}

static void add_words(struct table *table, const char *const *words, int count)
{
    for (int i = 0; i < count; i++)
        table_add(table, "%s", words[i]);
}

static bool same_kernel(const struct sweep *a, const struct sweep *b)
{
    return strcmp(a->cell->kernel, b->cell->kernel) == 0;
}

/* ---- T over h ---- */

static const char *who(const struct sweep_point *point)
{
    const char *choice = point->result->cell.sync_choice;
    return strcmp(choice, "given") == 0 ? "" : choice;
}

static void add_point(struct table *table, const struct sweep *sweep, int i)
{
    const struct sweep_point *p = &sweep->point[i];
    table_add(table, "%s%.0f", i == sweep->best ? "* " : "", p->h);
    table_add(table, "%s", who(p));
    add_time(table, p->time_s);
    add_time(table, p->half_s);
    add_time(table, p->model_s);
    add_percent(table, p->model_s / p->time_s - 1, 1);
    if (sweep->shape.skew == 0)
        return;
    add_time(table, p->plain_s);
    add_percent(table, p->plain_s / p->time_s - 1, 1);
}

/* All that cells are grouped by, but for the kernel. */
static void print_label(FILE *out, const struct sweep *sweep, int number)
{
    char label[LABEL_SIZE] = "", title[LABEL_SIZE + 64];
    struct cell cell = *sweep->cell;
    cell.sync_interval = 0; /* each cell has its own */
    snprintf(cell.sync_choice, sizeof(cell.sync_choice), "given");
    label_layout(label, &cell);
    label_way(label, &cell);
    label_machine(label, &cell);
    snprintf(title, sizeof(title), "%d: %s, %s%s", number, cell.scheme, label,
             sweep->unranked != NULL ? sweep->unranked : "");
    fputc('\n', out);
    table_heading(out, 2, title);
}

static int print_curve(FILE *out, const struct sweep *sweep, int number)
{
    static const char *const head[] = {"h",       "by",    "median",  "+/-",
                                       "T model", "error", "no skew", "error"};
    struct table table;
    int columns = sweep->shape.skew > 0 ? 8 : 6;
    print_label(out, sweep, number);
    table_open(&table, columns, 0);
    add_words(&table, head, columns);
    for (int i = 0; i < sweep->points; i++)
        add_point(&table, sweep, i);
    int code = table_print(&table, out, 4);
    table_free(&table);
    return code;
}

/* ---- the optima ---- */

/* The number is that of the curve, whose label tells all. */
static void add_names(struct table *table, const struct sweep *sweep,
                      int number)
{
    const struct cell *c = sweep->cell;
    table_add(table, "%d", number);
    table_add(table, "%.*s", (int)strcspn(c->kernel, ":"), c->kernel);
    table_add(table, "%dx%d %s", c->ranks, c->threads, c->transport);
    table_add(table, "%s", c->scheme);
}

static struct sweep_point best_of(const struct sweep *sweep)
{
    if (sweep->best >= 0)
        return sweep->point[sweep->best];
    return (struct sweep_point){.h = NAN, .time_s = NAN, .half_s = NAN};
}

static double gap(const struct sweep *sweep, double h)
{
    if (!sweep->known)
        return NAN;
    return fabs(h - best_of(sweep).h) / (double)sweep->shape.columns;
}

static int print_optima(FILE *out, const struct sweeps *sweeps)
{
    static const char *const head[] = {
        "sweep",   "kernel",    "layout",  "scheme",  "k",
        "h model", "h best",    "gap",     "t model", "t best",
        "+/-",     "time lost", "T model", "error"};
    enum { COLUMNS = sizeof(head) / sizeof(head[0]) };
    struct table table;
    table_open(&table, COLUMNS, 4);
    add_words(&table, head, COLUMNS);
    for (int i = 0; i < sweeps->count; i++) {
        const struct sweep *s = &sweeps->list[i];
        const struct sweep_choice *model = &s->choice[SWEEP_AUTO];
        const struct sweep_point best = best_of(s);
        add_names(&table, s, i + 1);
        add_interval(&table, s->k);
        add_interval(&table, model->h);
        add_interval(&table, best.h);
        add_share(&table, gap(s, model->h), 3);
        add_time(&table, model->time_s);
        add_time(&table, best.time_s);
        add_share(&table, best.half_s / best.time_s, 1);
        add_percent(&table, model->loss, 1);
        add_time(&table, s->predicted_s);
        add_percent(&table, s->predicted_s / model->time_s - 1, 1);
    }
    int code = table_print(&table, out, 2);
    table_free(&table);
    return code;
}

static void add_choice(struct table *table, const struct sweep_choice *choice)
{
    add_interval(table, choice->h);
    add_percent(table, choice->loss, 1);
}

static int print_others(FILE *out, const struct sweeps *sweeps)
{
    static const char *const head[] = {
        "sweep",        "kernel",    "layout",     "scheme",
        "h andronikos", "time lost", "h chen-xue", "time lost",
        "h no skew",    "time lost", "error of T", "no skew"};
    enum { COLUMNS = sizeof(head) / sizeof(head[0]) };
    struct table table;
    table_open(&table, COLUMNS, 4);
    add_words(&table, head, COLUMNS);
    for (int i = 0; i < sweeps->count; i++) {
        const struct sweep *s = &sweeps->list[i];
        add_names(&table, s, i + 1);
        add_choice(&table, &s->choice[SWEEP_PAPER]);
        add_choice(&table, &s->choice[SWEEP_CHEN_XUE]);
        add_choice(&table, &s->plain);
        add_share(&table, s->model_error, 1);
        add_share(&table, s->plain_error, 1);
    }
    int code = table_print(&table, out, 2);
    table_free(&table);
    return code;
}

static bool any_known(const struct sweeps *sweeps)
{
    for (int i = 0; i < sweeps->count; i++)
        if (sweeps->list[i].known)
            return true;
    return false;
}

static int print_all(FILE *out, const struct sweeps *sweeps)
{
    int code = 0;
    for (int i = 0; code == 0 && i < sweeps->count; i++) {
        const struct sweep *s = &sweeps->list[i];
        if (i == 0 || !same_kernel(s, s - 1)) {
            fputc('\n', out);
            table_heading(out, 0, s->cell->kernel);
            fputs("  time over the synchronization interval h; * fastest\n",
                  out);
        }
        code = print_curve(out, s, i + 1);
    }
    fprintf(out,
            "\nTheoretical against actual optimum (Andronikos et al., "
            "table 2); gap in %% of the columns,\n"
            "+/- half the 95 %% interval of t best%s\n",
            any_known(sweeps) ? ""
                              : "; no theory: the directory has no "
                                "calibration.json for these loops");
    if (code == 0)
        code = print_optima(out, sweeps);
    fprintf(out, "\nOther models' intervals, and the error of T, mean over "
                 "all h, with and without the skew\n");
    return code == 0 ? print_others(out, sweeps) : code;
}

int sweep_print(FILE *out, const struct results *results, const char *dir,
                struct error *err)
{
    struct sweeps sweeps;
    int code = sweeps_find(results, dir, &sweeps, err);
    if (code != 0)
        return code;
    if (sweeps.count > 0 && print_all(out, &sweeps) != 0)
        code = error_set(err, ENOMEM, "out of memory");
    sweeps_free(&sweeps);
    return code;
}

/* ---- for programs ---- */

static void add_real(struct table *table, double value)
{
    if (isfinite(value))
        table_add(table, "%.9g", value);
    else
        table_add(table, "-");
}

static void add_choice_csv(struct table *table,
                           const struct sweep_choice *choice)
{
    add_real(table, choice->h);
    add_real(table, choice->time_s);
    table_add(table, "%d", choice->measured);
}

/* What else cells are grouped by. */
static void add_rest(struct table *table, const struct sweep *sweep)
{
    char simulation[128];
    const struct cell *c = sweep->cell;
    const char *const word[] = {c->master,   c->window,   c->collect, c->bind,
                                c->rank_per, c->memory,   c->timing,  c->power,
                                c->load,     c->placement};
    add_words(table, word, sizeof(word) / sizeof(word[0]));
    table_add(table, "%d", c->smt);
    table_add(table, "%d", c->prefetch);
    table_add(table, "%lld", (long long)c->min_chunk);
    table_add(table, "%d", sweep->unranked != NULL);
    cell_simulation_words(c, simulation, sizeof(simulation));
    table_add(table, "%s", simulation);
}

static void add_line(struct table *table, const struct sweep *s)
{
    const struct cell *c = s->cell;
    const struct sweep_point best = best_of(s);
    const struct sweep_choice *model = &s->choice[SWEEP_AUTO];
    table_add(table, "%s", c->kernel);
    table_add(table, "%dx%d", c->ranks, c->threads);
    table_add(table, "%s", c->transport);
    table_add(table, "%s", c->hierarchy);
    table_add(table, "%s", c->protocol);
    table_add(table, "%s", c->scheme);
    add_real(table, s->k);
    add_real(table, model->h);
    add_real(table, best.h);
    add_real(table, model->time_s);
    add_real(table, best.time_s);
    add_real(table, 2 * best.half_s);
    add_real(table, 100 * gap(s, model->h));
    add_real(table, 100 * model->loss);
    add_real(table, s->predicted_s);
    add_choice_csv(table, &s->choice[SWEEP_PAPER]);
    add_choice_csv(table, &s->choice[SWEEP_CHEN_XUE]);
    add_choice_csv(table, &s->plain);
    add_real(table, 100 * s->model_error);
    add_real(table, 100 * s->plain_error);
    add_rest(table, s);
}

static int write_csv(const char *path, const struct sweeps *sweeps,
                     struct error *err)
{
    static const char *const head[] = {"kernel",
                                       "layout",
                                       "transport",
                                       "hierarchy",
                                       "protocol",
                                       "scheme",
                                       "k",
                                       "h_theory",
                                       "h_actual",
                                       "t_at_h_theory_s",
                                       "t_at_h_actual_s",
                                       "t_at_h_actual_ci95_s",
                                       "h_gap_percent_of_us",
                                       "time_lost_percent",
                                       "t_predicted_s",
                                       "h_andronikos",
                                       "t_at_h_andronikos_s",
                                       "h_andronikos_measured",
                                       "h_chen_xue",
                                       "t_at_h_chen_xue_s",
                                       "h_chen_xue_measured",
                                       "h_no_skew",
                                       "t_at_h_no_skew_s",
                                       "h_no_skew_measured",
                                       "t_error_percent",
                                       "t_error_no_skew_percent",
                                       "master",
                                       "window",
                                       "collect",
                                       "bind",
                                       "rank_per",
                                       "memory",
                                       "timing",
                                       "power",
                                       "load",
                                       "placement",
                                       "smt",
                                       "prefetch",
                                       "min_chunk",
                                       "oversubscribed",
                                       "simulation"};
    enum { COLUMNS = sizeof(head) / sizeof(head[0]) };
    struct table table;
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return error_set(err, errno, "%s: cannot write: %s", path,
                         strerror(errno));
    table_open(&table, COLUMNS, 0);
    add_words(&table, head, COLUMNS);
    for (int i = 0; i < sweeps->count; i++)
        add_line(&table, &sweeps->list[i]);
    bool bad = table_csv(&table, file) != 0;
    table_free(&table);
    bad = fclose(file) != 0 || bad;
    return bad ? error_set(err, EIO, "%s: cannot write", path) : 0;
}

static int write_text(const char *path, const struct sweeps *sweeps,
                      struct error *err)
{
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return error_set(err, errno, "%s: cannot write: %s", path,
                         strerror(errno));
    bool bad = print_all(file, sweeps) != 0;
    bad = fclose(file) != 0 || bad;
    return bad ? error_set(err, EIO, "%s: cannot write", path) : 0;
}

int sweep_store(const struct results *results, const char *dir,
                struct error *err)
{
    char path[4096];
    struct sweeps sweeps;
    int code = sweeps_find(results, dir, &sweeps, err);
    if (code != 0)
        return code;
    snprintf(path, sizeof(path), "%s/sync-interval.csv", dir);
    if (sweeps.count > 0)
        code = write_csv(path, &sweeps, err);
    snprintf(path, sizeof(path), "%s/sync-interval.txt", dir);
    if (sweeps.count > 0 && code == 0)
        code = write_text(path, &sweeps, err);
    sweeps_free(&sweeps);
    return code;
}
