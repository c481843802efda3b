#include "harness/transport/master/range.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- units ---- */

static void add_unit(struct range_units *units, int first, int workers,
                     const double *power)
{
    units->first[units->count] = first;
    for (int w = first; w < first + workers; w++)
        units->power[units->count] += power != NULL ? power[w] : 1;
    units->count++;
}

int range_units_open(struct range_units *units, const struct tree *tree,
                     int master, const double *power)
{
    const struct tree_master *above = &tree->master[master];
    size_t most = (size_t)above->workers + 1; /* none is empty */
    *units = (struct range_units){.first = calloc(most, sizeof(int)),
                                  .power = calloc(most, sizeof(double))};
    if (units->first == NULL || units->power == NULL) {
        range_units_close(units);
        return -ENOMEM;
    }
    for (int i = 0; above->leaf && i < above->workers; i++)
        add_unit(units, above->first_worker + i, 1, power);
    for (int m = master + 1; !above->leaf && m < tree->count; m++)
        if (tree->master[m].parent == master && tree->master[m].workers > 0)
            add_unit(units, tree->master[m].first_worker,
                     tree->master[m].workers, power);
    return 0;
}

void range_units_close(struct range_units *units)
{
    free(units->first);
    free(units->power);
    *units = (struct range_units){0};
}

int range_unit(const struct range_units *units, int first_worker)
{
    int low = 0, high = units->count - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (units->first[middle] <= first_worker)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* ---- ranges ---- */

static struct sched_loop loop_of(const struct range *range, int64_t iterations)
{
    return (struct sched_loop){
        .iterations = iterations,
        .workers = range->units.count,
        .power = range->units.power,
        .cost = range->cost != NULL ? range->cost + range->start : NULL};
}

int range_open(struct range *range, const struct sched_pair *pair,
               const struct sched_loop *whole, int64_t min_chunk,
               const struct tree *tree, int master, struct error *err)
{
    *range = (struct range){.ops = pair->inner,
                            .spec = &pair->inner_spec,
                            .min_chunk = min_chunk,
                            .cost = whole->cost};
    int code = range_units_open(&range->units, tree, master, whole->power);
    if (code == 0) {
        const struct sched_loop loop = loop_of(range, whole->iterations);
        range->memory = malloc(sched_bytes(range->ops, &loop));
        range->taken = calloc((size_t)loop.workers, sizeof(*range->taken));
        if (range->memory == NULL || range->taken == NULL)
            code = error_set(err, ENOMEM, "out of memory for a master");
        else
            code = sched_init(&range->sched, range->memory, range->ops,
                              range->spec, &loop, min_chunk, err);
    }
    if (code != 0)
        range_close(range);
    return code;
}

void range_close(struct range *range)
{
    range_units_close(&range->units);
    free(range->memory);
    free(range->taken);
    *range = (struct range){0};
}

/* Whether the scheme cuts a loop of this size; a scheme that continues from
 * range to range cuts all sizes. */
static bool begin_scheme(struct range *range, const struct sched_loop *loop)
{
    if (range->begun && range->ops->again != NULL)
        return sched_again(&range->sched, range->spec, loop) == 0;
    return sched_init(&range->sched, range->memory, range->ops, range->spec,
                      loop, range->min_chunk, NULL) == 0;
}

void range_begin(struct range *range, const struct chunk *whole)
{
    range->start = whole->start;
    const struct sched_loop loop = loop_of(range, whole->size);
    bool cuts = begin_scheme(range, &loop);
    range->begun = range->begun || cuts;
    range->piece = cuts ? 0 : whole->size;
    range->primed = cuts ? range->sched.head->primed : 0;
    memset(range->taken, 0, (size_t)loop.workers * sizeof(*range->taken));
    range->open = true;
}

void range_drop(struct range *range, bool remember)
{
    range->begun = range->begun && remember;
    range->open = false;
}

bool range_left(const struct range *range)
{
    const struct sched_head *head = range->sched.head;
    return range->open && (range->piece > 0 || range->primed > 0 ||
                           head->next_start < head->iterations);
}

/* A primed chunk: the unit's own, or the first one left. */
static bool take_primed(struct range *range, int unit, struct chunk *chunk)
{
    for (int i = 0; range->taken[unit]; i++)
        if (!range->taken[i])
            unit = i;
    range->taken[unit] = true;
    range->primed--;
    return sched_next(&range->sched, unit, chunk);
}

bool range_next(struct range *range, int unit, struct chunk *chunk)
{
    bool got = false;
    while (range->open && !got) {
        if (range->piece > 0) { /* all of a range that is not cut */
            *chunk = (struct chunk){.size = range->piece};
            range->open = false;
            got = true;
        } else if (range->primed > 0)
            got = take_primed(range, unit, chunk);
        else
            range->open = got = sched_next(&range->sched, unit, chunk);
    }
    if (got)
        chunk->start += range->start;
    return got;
}
