#include "bench/results/summary_rows.h"

#include "base/text.h"
#include "bench/results/summary.h"
#include "harness/process/need.h"
#include "harness/transport/registry/transport_registry.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Layout, powers, load and perturbation, without the interval. */
static void make_shape(struct summary_row *row)
{
    char shape[LABEL_SIZE] = "";
    label_layout(shape, &row->result->cell);
    size_t layout = strlen(shape);
    label_conditions(shape, &row->result->cell);
    row->shape = need_copy(shape);
    row->conditions = row->shape + layout;
}

static void make_row(const struct result *result, struct summary_row *row)
{
    *row = (struct summary_row){
        .result = result,
        .kernel = label_kernel_position(result->cell.kernel),
        .scheme = label_scheme_position(result->cell.scheme)};
    char label[LABEL_SIZE] = "";
    struct cell here = result->cell;
    here.platform = ""; /* the loop's title has it */
    label_cell(label, &here);
    if (result_unranked(result) != NULL)
        label_add(label, result_unranked(result), "");
    row->label = need_copy(label);
    make_shape(row);
#define MEDIAN(field, half)                                                    \
    result_median(result, offsetof(struct result_sample, field), half)
    row->bound_s = MEDIAN(bound_s, NULL);
    row->others = MEDIAN(others, NULL);
    row->others_max_s = MEDIAN(others_max_s, NULL);
    row->overhead_s = MEDIAN(overhead_mean_s, NULL);
    row->imbalance = MEDIAN(imbalance, NULL);
    row->chunks = MEDIAN(chunks, NULL);
    row->planned_s = MEDIAN(predicted_s, NULL);
    MEDIAN(time_s, &row->half_s);
    row->time = result_interval(result, offsetof(struct result_sample, time_s));
#undef MEDIAN
    if (!text_is(result->cell.protocol, "push"))
        row->planned_s = NAN;
}

static int transport_position(const char *transport)
{
    const struct transport_ops *ops = transport_find(transport);
    int i = 0;
    while (transport_list[i] != NULL && transport_list[i] != ops)
        i++;
    return i;
}

static int compare_rows(const void *a, const void *b)
{
    const struct summary_row *x = a, *y = b;
    const struct cell *c = &x->result->cell, *d = &y->result->cell;
    int orders[] = {
        x->kernel - y->kernel,
        strcmp(c->kernel, d->kernel),
        cell_simulation_compare(c, d),
        c->ranks - d->ranks,
        c->threads - d->threads,
        transport_position(c->transport) - transport_position(d->transport),
        text_is(d->hierarchy, "flat") - text_is(c->hierarchy, "flat"),
        (c->sync_interval > d->sync_interval) -
            (c->sync_interval < d->sync_interval),
        strcmp(x->label, y->label),
        x->scheme - y->scheme,
        strcmp(c->scheme, d->scheme),
    };
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
        if (orders[i] != 0)
            return orders[i];
    return 0;
}

const char *summary_row_words(const struct result *result)
{
    switch (result->status) {
    case RESULT_NONE:
        return "not complete";
    case RESULT_FAILED:
        return "FAILED";
    case RESULT_UNVERIFIED:
        return result->reason[0] != '\0'
                   ? "UNVERIFIED"
                   : "UNVERIFIED: differs from the serial reference";
    case RESULT_OK:
        break;
    }
    return NULL;
}

bool summary_row_ranked(const struct summary_row *row)
{
    return summary_row_words(row->result) == NULL &&
           result_unranked(row->result) == NULL;
}

bool summary_row_same_loop(const struct summary_row *a,
                           const struct summary_row *b)
{
    const struct cell *c = &a->result->cell, *d = &b->result->cell;
    return text_is(c->kernel, d->kernel) && cell_simulation_compare(c, d) == 0;
}

struct summary_row *summary_rows_make(const struct results *results)
{
    int n = results->count;
    struct summary_row *rows = need_zeroed((size_t)n, sizeof(*rows));
    for (int i = 0; i < n; i++)
        make_row(&results->list[i], &rows[i]);
    if (n > 0)
        qsort(rows, (size_t)n, sizeof(*rows), compare_rows);
    return rows;
}

void summary_rows_free(struct summary_row *rows, int count)
{
    for (int i = 0; i < count; i++) {
        free(rows[i].label);
        free(rows[i].shape);
    }
    free(rows);
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
        if (status != RESULT_OK)
            continue;
        counts.simulated += results->list[i].simulated;
        counts.unchecked += results->list[i].unchecked;
        counts.sampled += results->list[i].sampled;
    }
    return counts;
}

/* ---- rows for programs ---- */

enum { TEXTS = 10, DIGITS = 9 };

static const char *status_word(const struct result *result)
{
    static const char *const words[] = {[RESULT_NONE] = "not complete",
                                        [RESULT_FAILED] = "failed",
                                        [RESULT_UNVERIFIED] = "unverified",
                                        [RESULT_OK] = "ok"};
    return words[result->status];
}

/* As in runs-*.jsonl. */
static const char *verified_word(const struct result *result)
{
    return result->status != RESULT_OK ? "false"
           : result->simulated         ? "handed out"
           : result->unchecked         ? "not compared"
           : result->sampled           ? "sample"
                                       : "true";
}

static void add_row(struct table *table, const struct summary_row *row,
                    bool fastest)
{
    char simulation[2 * SPEC_CANONICAL_MAX];
    const struct result *result = row->result;
    const struct cell *cell = &result->cell;
    const char *conditions = row->conditions;
    cell_simulation_words(cell, simulation, sizeof(simulation));
    const char *const text[TEXTS][2] = {
        {"cell", cell->hash},
        {"kernel", cell->kernel},
        {"scheme", cell->scheme},
        {"transport", cell->transport},
        {"hierarchy", cell->hierarchy},
        {"conditions", conditions + (conditions[0] == ',' ? 2 : 0)},
        {"simulation", simulation},
        {"status", status_word(result)},
        {"verified", verified_word(result)},
        {"reason", result->reason},
    };
    const struct {
        const char *head;
        double value;
    } number[] = {
        {"fastest", fastest},
        {"ranks", cell->ranks},
        {"threads", cell->threads},
        {"sync_interval",
         cell->sync_interval > 0 ? (double)cell->sync_interval : NAN},
        {"repetitions", result->count},
        {"time_s", row->time.median},
        {"time_low_s", row->time.low},
        {"time_high_s", row->time.high},
        {"serial_s", row->serial.median},
        {"speedup", row->refused ? NAN : row->speedup.median},
        {"speedup_low", row->refused ? NAN : row->speedup.low},
        {"speedup_high", row->refused ? NAN : row->speedup.high},
        {"refused", row->refused},
        {"chunks", row->chunks},
        {"bound_s", row->bound_s},
        {"overhead_s", row->overhead_s},
        {"imbalance", row->imbalance},
        {"others", row->others},
    };
    for (int i = 0; i < TEXTS; i++)
        table_add(table_under(table, text[i][0]), "%s", text[i][1]);
    for (size_t i = 0; i < sizeof(number) / sizeof(number[0]); i++)
        table_value(table, number[i].head, number[i].value, DIGITS);
}

void summary_rows_write(FILE *out, const struct summary_row *rows, int count,
                        const bool *fastest, enum table_format format)
{
    struct table table;
    table_open(&table, 0, TEXTS);
    for (int i = 0; i < count; i++)
        add_row(&table, &rows[i], fastest[i]);
    table_write(&table, format, out);
    table_free(&table);
}

void summary_rows_legend(FILE *out, const struct results *results,
                         const struct summary_row *rows, int count)
{
    bool ranked = false, half = false, few = false, bound = false, slow = false;
    char text[512];
    for (int i = 0; i < count; i++) {
        const struct summary_row *row = &rows[i];
        if (summary_row_words(row->result) != NULL)
            continue;
        ranked |= summary_row_ranked(row) &&
                  results_tried(results, row->result->cell.kernel) == NULL;
        half |= isfinite(row->half_s);
        few |= !isfinite(row->half_s);
        bound |= isfinite(row->bound_s);
        slow |= !row->result->simulated && row->time.median < row->bound_s;
    }
    snprintf(text, sizeof(text), "%s%s%s%s%s",
             ranked ? "; * fastest of its group; = cannot be told from the "
                      "fastest"
                    : "",
             half ? "; +/- half the 95 % interval of the median" : "",
             few ? "; no +/- with fewer than 6 repetitions" : "",
             bound ? "; t/bound: over the least time that these chunks can "
                     "take"
                   : "",
             slow ? ", below 1 where the machine was slower when costs were "
                    "measured"
                  : "");
    fputc('\n', out);
    if (text[0] != '\0')
        table_heading(out, 0, text + 2);
}
