#include "bench/tables/flexibility.h"

#include "bench/cli/table.h"
#include "bench/results/label.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A perturbed cell beside the one in which nothing goes wrong. */
struct pair {
    const struct result *with, *without; /* without: NULL, there is none */
    char way[LABEL_SIZE];
    struct stats_median with_s, without_s; /* NAN: no time */
};

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* Equal cells have equal hashes. */
static const struct result *undisturbed(const struct results *results,
                                        const struct cell *cell)
{
    struct cell without = *cell;
    strcpy(without.perturb, "none");
    return cell_check(&without, NULL) == 0 ? results_find(results, without.hash)
                                           : NULL;
}

static int median(const struct result *result, struct stats_median *time_s)
{
    *time_s = (struct stats_median){NAN, NAN, NAN};
    if (result == NULL || result->status != RESULT_OK)
        return 0;
    return result_interval(result, offsetof(struct result_sample, time_s),
                           time_s);
}

static int make_pair(const struct results *results, const struct result *result,
                     struct pair *pair)
{
    struct cell cell = result->cell;
    *pair =
        (struct pair){.with = result, .without = undisturbed(results, &cell)};
    strcpy(cell.perturb, "none");
    label_layout(pair->way, &cell);
    label_way(pair->way, &cell);
    label_machine(pair->way, &cell);
    int code = median(result, &pair->with_s);
    return code == 0 ? median(pair->without, &pair->without_s) : code;
}

/* ---- printing ---- */

static int compare_blocks(const struct pair *a, const struct pair *b)
{
    const struct cell *c = &a->with->cell, *d = &b->with->cell;
    int orders[] = {label_kernel_position(c->kernel) -
                        label_kernel_position(d->kernel),
                    strcmp(c->kernel, d->kernel), strcmp(a->way, b->way),
                    strcmp(c->perturb, d->perturb)};
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
        if (orders[i] != 0)
            return orders[i];
    return 0;
}

static int compare_pairs(const void *x, const void *y)
{
    const struct pair *a = x, *b = y;
    const char *c = a->with->cell.scheme, *d = b->with->cell.scheme;
    int order = compare_blocks(a, b);
    if (order == 0)
        order = label_scheme_position(c) - label_scheme_position(d);
    return order != 0 ? order : strcmp(c, d);
}

static void add_seconds(struct table *table, double seconds)
{
    char text[24];
    table_seconds(seconds, seconds, text, sizeof(text));
    table_add(table, "%s", text);
}

static void add_row(struct table *table, const struct pair *pair)
{
    struct stats_median ratio = stats_ratio(pair->with_s, pair->without_s);
    table_add(table, "%s", pair->with->cell.scheme);
    add_seconds(table, pair->without_s.median);
    if (pair->with->status == RESULT_FAILED)
        table_add(table, "FAILED");
    else
        add_seconds(table, pair->with_s.median);
    table_number(table, ratio.median, 4);
    table_number(table, ratio.low, 4);
    table_number(table, ratio.high, 4);
}

static int print_block(FILE *out, const struct pair *pairs, int begin, int end)
{
    struct table table;
    const struct cell *cell = &pairs[begin].with->cell;
    char title[sizeof(cell->kernel) + LABEL_SIZE + 2];
    table_open(&table, 6, 1);
    table_add(&table, "scheme");
    table_add(&table, "without");
    table_add(&table, "with");
    table_add(&table, "flexibility");
    table_add(&table, "from");
    table_add(&table, "to");
    for (int i = begin; i < end; i++)
        add_row(&table, &pairs[i]);
    snprintf(title, sizeof(title), "%s, %s", cell->kernel, pairs[begin].way);
    fputc('\n', out);
    table_heading(out, 2, title);
    table_heading(out, 2, cell->perturb);
    int code = table_print(&table, out, 4);
    table_free(&table);
    return code;
}

static int print_pairs(FILE *out, struct pair *pairs, int count)
{
    int code = 0;
    qsort(pairs, (size_t)count, sizeof(*pairs), compare_pairs);
    fprintf(out, "\nflexibility: time under perturbation over time without, "
                 "with its 95 %% confidence interval\n");
    for (int i = 0, next; code == 0 && i < count; i = next) {
        for (next = i + 1; next < count; next++)
            if (compare_blocks(&pairs[i], &pairs[next]) != 0)
                break;
        code = print_block(out, pairs, i, next);
    }
    return code;
}

static bool is_perturbed(const struct result *result)
{
    return !is(result->cell.perturb, "none") && result->status != RESULT_NONE;
}

int flexibility_print(FILE *out, const struct results *results,
                      struct error *err)
{
    int count = 0, code = 0;
    struct pair *pairs = calloc((size_t)results->count + 1, sizeof(*pairs));
    if (pairs == NULL)
        return error_set(err, ENOMEM, "out of memory");
    for (int i = 0; code == 0 && i < results->count; i++)
        if (is_perturbed(&results->list[i]))
            code = make_pair(results, &results->list[i], &pairs[count++]);
    if (code == 0 && count > 0)
        code = print_pairs(out, pairs, count);
    free(pairs);
    return code == 0 ? 0 : error_set(err, ENOMEM, "out of memory");
}
