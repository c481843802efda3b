#include "bench/results/summary_rows.h"

#include "base/text.h"
#include "harness/program/need.h"
#include "harness/transport/registry/transport_registry.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static void make_label(const struct result *result, char *label)
{
    label[0] = '\0';
    label_cell(label, &result->cell);
    if (result_unranked(result) != NULL)
        label_add(label, result_unranked(result), "");
}

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
    make_label(result, row->label);
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

static int compare_long(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
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
        compare_long(c->sync_interval, d->sync_interval),
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
    for (int i = 0; i < count; i++)
        free(rows[i].shape);
    free(rows);
}
