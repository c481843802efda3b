#include "bench/tables/sync_cells.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void make_way(const struct result *result, char *way)
{
    const struct cell *c = &result->cell;
    way[0] = '\0';
    if (c->ranks == 1)
        label_add(way, "threads", "");
    else if (c->threads == 1)
        label_add(way, "ranks", "");
    else
        snprintf(way, LABEL_SIZE, "ranks of %d threads", c->threads);
    label_way(way, c);
    if (result_unranked(result) != NULL)
        label_add(way, result_unranked(result), "");
}

/* The powers of a cell's workers without their load; NULL: all equal. */
static double *own_powers(const struct result *result, int workers,
                          const int *load)
{
    if (result->power == NULL)
        return cell_powers(&result->cell);
    double *own = calloc((size_t)workers, sizeof(*own));
    for (int w = 0; own != NULL && w < workers; w++)
        own[w] = result->power[w] * (load != NULL ? 1 + load[w] : 1);
    return own;
}

/* V_0 / max V, and the sum of V / (1 + load); measured powers have been
 * measured beside the load.  NAN: they are not known. */
static void weigh(const struct result *result, int workers, double *first,
                  double *total)
{
    int *load = cell_loads(&result->cell);
    double *power = own_powers(result, workers, load);
    double most = 0;
    *total = 0;
    for (int w = 0; w < workers; w++) {
        double own = power != NULL ? power[w] : 1;
        most = fmax(most, own);
        *total += own / (load != NULL ? 1 + load[w] : 1);
    }
    *first = (power != NULL ? power[0] : 1) / most;
    if (cell_measures_power(&result->cell) && result->power == NULL)
        *first = *total = NAN;
    free(power);
    free(load);
}

static int make_entry(const struct result *result, struct sync_cell *entry)
{
    double first, serial = NAN;
    *entry = (struct sync_cell){.cell = &result->cell,
                                .workers = cell_workers(&result->cell)};
    make_way(result, entry->way);
    weigh(result, entry->workers, &first, &entry->total_power);
    int code = result_median(result, offsetof(struct result_sample, time_s),
                             &entry->time_s, NULL);
    if (code == 0)
        code = result_median(result, offsetof(struct result_sample, serial_s),
                             &serial, NULL);
    entry->alone_s = serial * first;
    return code;
}

/* What goes wrong on purpose has a table of its own. */
static bool is_undisturbed(const struct cell *cell)
{
    return strcmp(cell->perturb, "none") == 0;
}

static bool counts(const struct result *result)
{
    return result->status == RESULT_OK && result->count > 0 &&
           result->cell.sync_interval > 0 && is_undisturbed(&result->cell) &&
           cell_workers(&result->cell) > 0;
}

int sync_order_column(const struct sync_cell *a, const struct sync_cell *b)
{
    const struct cell *c = a->cell, *d = b->cell;
    int loaded = (c->load[0] != '\0') - (d->load[0] != '\0');
    if (loaded != 0)
        return loaded;
    if (a->workers != b->workers)
        return a->workers - b->workers;
    int load = strcmp(c->load, d->load);
    return load != 0 ? load : strcmp(c->power, d->power);
}

int sync_order_scheme(const struct sync_cell *a, const struct sync_cell *b)
{
    const struct cell *c = a->cell, *d = b->cell;
    int order =
        label_scheme_position(c->scheme) - label_scheme_position(d->scheme);
    return order != 0 ? order : strcmp(c->scheme, d->scheme);
}

int sync_order_interval(const struct sync_cell *a, const struct sync_cell *b)
{
    return (a->cell->sync_interval > b->cell->sync_interval) -
           (a->cell->sync_interval < b->cell->sync_interval);
}

int sync_order_row(const struct sync_cell *a, const struct sync_cell *b)
{
    int order = sync_order_interval(a, b);
    return order != 0 ? order : sync_order_scheme(a, b);
}

int sync_order_block(const struct sync_cell *a, const struct sync_cell *b)
{
    int order = label_kernel_position(a->cell->kernel) -
                label_kernel_position(b->cell->kernel);
    if (order == 0)
        order = strcmp(a->cell->kernel, b->cell->kernel);
    return order != 0 ? order : strcmp(a->way, b->way);
}

static int compare(const void *x, const void *y)
{
    int order = sync_order_block(x, y);
    if (order == 0)
        order = sync_order_row(x, y);
    return order != 0 ? order : sync_order_column(x, y);
}

struct sync_cell *sync_cells_make(const struct results *results, int *count)
{
    struct sync_cell *list = calloc((size_t)results->count + 1, sizeof(*list));
    *count = 0;
    for (int i = 0; list != NULL && i < results->count; i++) {
        if (!counts(&results->list[i]))
            continue;
        if (make_entry(&results->list[i], &list[(*count)++]) != 0) {
            free(list);
            return NULL;
        }
    }
    if (list != NULL)
        qsort(list, (size_t)*count, sizeof(*list), compare);
    return list;
}
