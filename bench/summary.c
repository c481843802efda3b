#include "bench/summary.h"

#include "bench/table.h"
#include "harness/stats.h"
#include "kernels/kernel.h"
#include "sched/sched.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_SIZE = 512, CI_SAMPLES_MIN = 6 };

/* A result with what it is sorted and grouped by. */
struct row {
    const struct result *result;
    int kernel, scheme; /* positions in the registries */
    char label[LABEL_SIZE];
    double time_s, half_s, bound_s, serial_s, overhead_s, imbalance, chunks;
};

/* ---- rows ---- */

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* Whether spec is `name` or begins with `name:`. */
static bool names(const char *spec, const char *name)
{
    size_t length = strlen(name);
    return strncmp(spec, name, length) == 0 && strchr(":", spec[length]);
}

static int kernel_position(const char *spec)
{
    int i = 0;
    while (kernel_list[i] != NULL && !names(spec, kernel_list[i]->name))
        i++;
    return i;
}

static int scheme_position(const char *spec)
{
    int i = 0;
    while (sched_schemes[i] != NULL && !names(spec, sched_schemes[i]->name))
        i++;
    return i;
}

/* Appends to a label; what does not fit is cut. */
static void add(char *label, const char *first, const char *second)
{
    size_t used = strlen(label);
    snprintf(label + used, LABEL_SIZE - used, "%s%s", first, second);
}

/* Layout, transport and hierarchy, then whatever is not as usual. */
static void make_label(const struct result *result, char *label)
{
    const struct cell *c = &result->cell;
    char number[32];
    bool master = is(c->transport, "master");
    snprintf(label, LABEL_SIZE, "%d %s x %d %s, %s", c->ranks,
             c->ranks == 1 ? "rank" : "ranks", c->threads,
             c->threads == 1 ? "thread" : "threads", c->transport);
    if (master)
        add(label, " ", c->master);
    if (!is(c->window, "auto"))
        add(label, " ", c->window);
    add(label, ", ", c->hierarchy);
    if (master && is(c->collect, "local"))
        add(label, ", collect ", c->collect);
    if (master && !c->prefetch)
        add(label, ", no prefetch", "");
    if (!is(c->bind, "compact"))
        add(label, ", bind ", c->bind);
    if (!is(c->timing, "worker"))
        add(label, ", timing ", c->timing);
    if (c->sync_interval > 0) {
        snprintf(number, sizeof(number), "%lld", (long long)c->sync_interval);
        add(label, ", sync interval ", number);
    }
    if (c->min_chunk > 1) {
        snprintf(number, sizeof(number), "%lld", (long long)c->min_chunk);
        add(label, ", min-chunk ", number);
    }
    if (c->power[0] != '\0')
        add(label, ", power ", c->power);
    if (c->load[0] != '\0')
        add(label, ", non-dedicated, load ", c->load);
    if (result->oversubscribed)
        add(label, "; oversubscribed, not ranked", "");
}

/* The median over the repetitions of one column; `values` is scratch. */
static double column(const struct result *result, size_t offset, double *values,
                     double *half)
{
    int n = 0;
    for (int i = 0; i < result->count; i++) {
        const char *sample = (const char *)&result->samples[i];
        double value = *(const double *)(sample + offset);
        if (!isnan(value))
            values[n++] = value;
    }
    *half = NAN;
    if (n == 0)
        return NAN;
    struct stats_median m = stats_median(values, n);
    if (n >= CI_SAMPLES_MIN)
        *half = (m.high - m.low) / 2;
    return m.median;
}

static int make_row(const struct result *result, struct row *row)
{
    double half;
    double *scratch = calloc((size_t)result->count + 1, sizeof(*scratch));
    if (scratch == NULL)
        return -ENOMEM;
    *row = (struct row){.result = result,
                        .kernel = kernel_position(result->cell.kernel),
                        .scheme = scheme_position(result->cell.scheme)};
    make_label(result, row->label);
#define COLUMN(field)                                                          \
    column(result, offsetof(struct result_sample, field), scratch, &half)
    row->bound_s = COLUMN(bound_s);
    row->serial_s = COLUMN(serial_s);
    row->overhead_s = COLUMN(overhead_mean_s);
    row->imbalance = COLUMN(imbalance);
    row->chunks = COLUMN(chunks);
    row->time_s = COLUMN(time_s);
    row->half_s = half;
#undef COLUMN
    free(scratch);
    return 0;
}

static int transport_position(const char *transport)
{
    return is(transport, "shared") ? 0 : is(transport, "master") ? 1 : 2;
}

static int compare_rows(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    const struct cell *c = &x->result->cell, *d = &y->result->cell;
    int orders[] = {
        x->kernel - y->kernel,
        strcmp(c->kernel, d->kernel),
        c->ranks - d->ranks,
        c->threads - d->threads,
        transport_position(c->transport) - transport_position(d->transport),
        is(d->hierarchy, "flat") - is(c->hierarchy, "flat"),
        strcmp(x->label, y->label),
        x->scheme - y->scheme,
        strcmp(c->scheme, d->scheme),
    };
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
        if (orders[i] != 0)
            return orders[i];
    return 0;
}

/* ---- printing ---- */

static void number_text(double value, int decimals, const char *unit,
                        char *text, int size)
{
    if (isfinite(value))
        snprintf(text, (size_t)size, "%.*f%s", decimals, value, unit);
    else
        snprintf(text, (size_t)size, "-");
}

/* What stands in place of numbers; NULL when there are numbers. */
static const char *no_numbers(const struct result *result)
{
    switch (result->status) {
    case RESULT_NONE:
        return "not complete";
    case RESULT_FAILED:
        return "FAILED";
    case RESULT_UNVERIFIED:
        return "UNVERIFIED: differs from the serial reference";
    case RESULT_OK:
        break;
    }
    return result->count > 0 ? NULL : "no repetition";
}

static void print_row(FILE *out, const struct row *row, double serial,
                      bool best)
{
    char time[24], half[24], chunks[24], speedup[24], bound[24], share[24];
    char imbalance[24];
    const struct result *result = row->result;
    const char *instead = no_numbers(result);
    if (instead != NULL) {
        bool known = result->cell.scheme[0] != '\0';
        fprintf(out, "  %-26.26s %s%s%.60s\n",
                known ? result->cell.scheme : result->cell.hash, instead,
                result->reason[0] ? ": " : "", result->reason);
        return;
    }
    number_text(row->chunks, 0, "", chunks, sizeof(chunks));
    table_seconds(row->time_s, row->time_s, time, sizeof(time));
    table_seconds(row->half_s, row->time_s, half, sizeof(half));
    number_text(serial / row->time_s, 3, "", speedup, sizeof(speedup));
    number_text(row->time_s / row->bound_s, 3, "", bound, sizeof(bound));
    number_text(100 * row->overhead_s / row->time_s, 2, " %", share,
                sizeof(share));
    number_text(100 * row->imbalance, 2, " %", imbalance, sizeof(imbalance));
    fprintf(out, "%c %-26.26s %8s %9s %8s %7s %7s %8s %9s %8s\n",
            best ? '*' : ' ', result->cell.scheme, chunks, time, half, speedup,
            bound, share, imbalance, result->sampled ? "sample" : "yes");
}

/* Rows [begin, end) have one label; the fastest is marked unless workers
 * shared cores. */
static void print_group(FILE *out, const struct row *rows, int begin, int end,
                        double serial)
{
    int best = -1;
    for (int i = begin; i < end; i++) {
        const struct result *result = rows[i].result;
        if (no_numbers(result) == NULL && !result->oversubscribed &&
            (best < 0 || rows[i].time_s < rows[best].time_s))
            best = i;
    }
    fprintf(out, "\n  %.96s\n", rows[begin].label);
    fprintf(out, "  %-26s %8s %9s %8s %7s %7s %8s %9s %8s\n", "scheme",
            "chunks", "median", "+/-", "speedup", "t/bound", "overhead",
            "imbalance", "verified");
    for (int i = begin; i < end; i++)
        print_row(out, &rows[i], serial, i == best);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One base for all speedups of a kernel. */
static double serial_base(const struct row *rows, int begin, int end)
{
    double *values = calloc((size_t)(end - begin), sizeof(*values));
    int n = 0;
    for (int i = begin; values != NULL && i < end; i++)
        if (!isnan(rows[i].serial_s))
            values[n++] = rows[i].serial_s;
    qsort(values, values ? (size_t)n : 0, sizeof(*values), compare_doubles);
    double base = n > 0 ? values[n / 2] : NAN;
    free(values);
    return base;
}

static void print_kernel(FILE *out, const struct row *rows, int begin, int end)
{
    char base[32];
    double serial = serial_base(rows, begin, end);
    table_seconds(serial, serial, base, sizeof(base));
    fprintf(out, "%s%.100s\n", begin > 0 ? "\n" : "",
            rows[begin].result->cell.kernel);
    fprintf(out, "  speedup over the serial loop of this program: %s\n", base);
    for (int i = begin, next; i < end; i = next) {
        for (next = i + 1; next < end; next++)
            if (!is(rows[next].label, rows[i].label))
                break;
        print_group(out, rows, i, next, serial);
    }
}

int summary_print(FILE *out, const struct results *results, struct error *err)
{
    int n = results->count, code = 0;
    struct row *rows = calloc((size_t)n + 1, sizeof(*rows));
    if (rows == NULL)
        return error_set(err, ENOMEM, "out of memory");
    for (int i = 0; i < n && code == 0; i++)
        code = make_row(&results->list[i], &rows[i]);
    if (code == 0 && n > 0)
        qsort(rows, (size_t)n, sizeof(*rows), compare_rows);
    for (int i = 0, next; code == 0 && i < n; i = next) {
        const char *kernel = rows[i].result->cell.kernel;
        for (next = i + 1; next < n; next++)
            if (!is(rows[next].result->cell.kernel, kernel))
                break;
        print_kernel(out, rows, i, next);
    }
    free(rows);
    return code == 0 ? 0 : error_set(err, ENOMEM, "out of memory");
}

struct summary_counts summary_count(const struct results *results)
{
    struct summary_counts counts = {0};
    for (int i = 0; i < results->count; i++) {
        enum result_status status = results->list[i].status;
        counts.ok += status == RESULT_OK;
        counts.unverified += status == RESULT_UNVERIFIED;
        counts.failed += status == RESULT_FAILED;
        counts.incomplete += status == RESULT_NONE;
    }
    return counts;
}

void summary_end(FILE *out, const char *dir, struct summary_counts counts,
                 int skipped)
{
    fprintf(out, "\n* fastest of its group; +/- is half the 95 %% confidence "
                 "interval of the median\n");
    fprintf(out, "%d cells ok, %d failed", counts.ok, counts.failed);
    if (counts.unverified > 0)
        fprintf(out, ", %d unverified", counts.unverified);
    if (counts.incomplete > 0)
        fprintf(out, ", %d not complete", counts.incomplete);
    if (skipped > 0)
        fprintf(out, ", %d impossible combinations skipped", skipped);
    fprintf(out, "\nresults: %s\n", dir);
}
