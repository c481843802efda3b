/* The starts of all chunks, for schemes whose chunks are known before. */
#include "sched/sched.h"

#include "base/list.h"
#include "sched/arith.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(struct error *err)
{
    return error_set(err, ENOMEM, "no memory for a table of chunks");
}

/* Makes room for one more start. */
static int grow_starts(struct sched_table *table, int64_t *room,
                       struct error *err)
{
    int code =
        list_grow(&table->start, room, table->steps + 1, sizeof(*table->start));
    return code == 0 ? 0 : no_memory(err);
}

/* Takes the chunk that was set aside for each worker.  Workers are asked by
 * number, so the starts do not come in order. */
static int take_primed(struct sched_table *table, struct sched *sched,
                       int workers, struct error *err)
{
    size_t n = (size_t)workers;
    struct chunk chunk;
    table->start = malloc(n * sizeof(*table->start));
    table->rank = malloc(n * sizeof(*table->rank));
    if (table->start == NULL || table->rank == NULL)
        return no_memory(err);
    for (int j = 0; j < workers; j++) {
        table->rank[j] = -1;
        if (!sched_take_primed(sched, j, &chunk))
            continue;
        table->start[chunk.step] = chunk.start;
        table->rank[j] = (int32_t)chunk.step;
        table->primed++;
    }
    table->steps = table->primed;
    return 0;
}

/* Records the sequence; any worker may ask, so worker 0 does. */
static int take_rest(struct sched_table *table, struct sched *sched,
                     int64_t room, struct error *err)
{
    struct chunk chunk;
    while (sched_next(sched, 0, &chunk)) {
        if (table->steps == SCHED_TABLE_STEPS_MAX)
            return error_set(err, E2BIG,
                             "more than %" PRId64 " chunks, too many for a "
                             "table",
                             SCHED_TABLE_STEPS_MAX);
        int code = grow_starts(table, &room, err);
        if (code != 0)
            return code;
        table->start[table->steps++] = chunk.start;
    }
    int code = grow_starts(table, &room, err);
    if (code == 0)
        table->start[table->steps] = table->iterations;
    table->end = table->start + 1;
    return code;
}

static int fill_table(struct sched_table *table, struct sched *sched,
                      int workers, struct error *err)
{
    table->fixed_size = sched_fixed_size(sched);
    if (table->fixed_size > 0) {
        table->steps = sched_ceil_div(table->iterations, table->fixed_size);
        return 0;
    }
    int64_t room = 0;
    if ((sched->ops->flags & SCHED_PRIMED) != 0) {
        int code = take_primed(table, sched, workers, err);
        if (code != 0)
            return code;
        room = workers;
    }
    return take_rest(table, sched, room, err);
}

/* Makes the chunks of a scheme with an order; starts need not ascend. */
static int build_order(struct sched_table *table, const struct sched_ops *ops,
                       const struct spec *spec, const struct sched_loop *loop,
                       int64_t min_chunk, struct error *err)
{
    int64_t count = ops->order_room(loop, spec);
    if (count > SCHED_TABLE_STEPS_MAX)
        return error_set(err, EINVAL,
                         "scheme %s: there can be at most %" PRId64 " chunks",
                         spec->canonical, SCHED_TABLE_STEPS_MAX);
    size_t room = (size_t)(count < loop->iterations ? count : loop->iterations);
    struct chunk *chunk = calloc(room, sizeof(*chunk));
    table->start = calloc(room + 1, sizeof(*table->start));
    table->end = calloc(room, sizeof(*table->end));
    int code = chunk != NULL && table->start != NULL && table->end != NULL
                   ? 0
                   : no_memory(err);
    if (code == 0) {
        count = (int64_t)room;
        code = ops->order(loop, spec, min_chunk, chunk, &count) == 0
                   ? 0
                   : no_memory(err);
    }
    for (int64_t i = 0; code == 0 && i < count; i++) {
        table->start[i] = chunk[i].start;
        table->end[i] = chunk[i].start + chunk[i].size;
    }
    table->steps = count;
    free(chunk);
    return code;
}

/* A table of an order is made before the loop can be. */
static int build_ordered(struct sched_table *table, const struct sched_ops *ops,
                         const struct spec *spec, const struct sched_loop *loop,
                         int64_t min_chunk, struct error *err)
{
    struct sched_table made = {.iterations = loop->iterations};
    int code = build_order(&made, ops, spec, loop, min_chunk, err);
    if (code == 0)
        *table = made;
    else
        sched_table_free(&made);
    return code;
}

/* Makes a table by asking a state of its own for all chunks. */
static int build_asked(struct sched_table *table, const struct sched_ops *ops,
                       const struct spec *spec, const struct sched_loop *loop,
                       int64_t min_chunk, struct error *err)
{
    struct sched_table made = {.iterations = loop->iterations};
    struct sched sched;
    void *memory = malloc(sched_bytes(ops, loop));
    if (memory == NULL)
        return no_memory(err);
    int code = sched_init(&sched, memory, ops, spec, loop, min_chunk, err);
    if (code == 0)
        code = fill_table(&made, &sched, loop->workers, err);
    free(memory);
    if (code == 0)
        *table = made;
    else
        sched_table_free(&made);
    return code;
}

int sched_table_build(struct sched_table *table, const struct sched_ops *ops,
                      const struct spec *spec, const struct sched_loop *loop,
                      int64_t min_chunk, struct error *err)
{
    int code = sched_check(ops, spec, loop, min_chunk, err);
    if (code != 0)
        return code;
    if (ops->order != NULL)
        return build_ordered(table, ops, spec, loop, min_chunk, err);
    /* Checked before init is called, which may be a program's own function. */
    if (!sched_has_sequence(ops, spec, loop))
        return error_set(err, ENOTSUP,
                         "%s has no table: %s the chunks depend on who asks",
                         ops->name,
                         ops->feedback ? "it learns from times, so that"
                                       : "with unequal powers");
    return build_asked(table, ops, spec, loop, min_chunk, err);
}

void sched_table_free(struct sched_table *table)
{
    if (table->start == NULL || table->end != table->start + 1)
        free(table->end);
    free(table->start);
    free(table->rank);
    *table = (struct sched_table){0};
}
