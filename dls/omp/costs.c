/* The costs of a loop's iterations, for schemes that count with them: what the
 * chunks of the last visit took, shared by their iterations.  A visit of which
 * no costs are known is handed out in small equal chunks. */
#include "dls/omp/parts.h"

#include "base/lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEARN_CHUNKS = 64 }; /* of each thread */

static double *resize(double *old, int64_t count)
{
    double *made = realloc(old, (size_t)count * sizeof(*made));
    if (made == NULL) {
        settings_say("out of memory for the costs of a loop");
        _Exit(1);
    }
    return made;
}

/* ---- the chunks of a visit ---- */

/* The chunk with the last iteration goes out after all others. */
static void move_last(struct sched_table *table)
{
    int64_t last = table->steps - 1;
    for (int64_t i = 0; i < last; i++)
        if (table->end[i] == table->iterations) {
            int64_t start = table->start[i];
            table->start[i] = table->start[last];
            table->end[i] = table->end[last];
            table->start[last] = start;
            table->end[last] = table->iterations;
            return;
        }
}

static int build_learning(struct sched_table *table,
                          const struct sched_loop *loop, struct error *err)
{
    char text[64];
    struct way way;
    int64_t chunk = loop->iterations / LEARN_CHUNKS / loop->workers;
    snprintf(text, sizeof(text), "css:chunk=%lld",
             (long long)(chunk > 0 ? chunk : 1));
    int code = way_parse(text, &way, err);
    return code != 0
               ? code
               : sched_table_build(table, way.ops, &way.spec, loop, 1, err);
}

int costs_begin(struct instance *instance, int64_t iterations,
                struct error *err)
{
    struct site *site = instance->site;
    struct sched_loop loop = {.iterations = iterations,
                              .workers = instance->threads};
    int code = -ENOENT;
    instance->seen = resize(instance->seen, iterations);
    memset(instance->seen, 0, (size_t)iterations * sizeof(*instance->seen));
    sched_table_free(&instance->table);
    instance->table = (struct sched_table){0};
    engine_lock(&site->lock);
    if (site->costs == iterations) {
        loop.cost = site->cost;
        code = sched_table_build(&instance->table, site->way->ops,
                                 &site->way->spec, &loop, 1, err);
    }
    engine_unlock(&site->lock);
    if (code != 0) {
        loop.cost = NULL;
        code = build_learning(&instance->table, &loop, err);
    } else if (site->way->ops->order != NULL) {
        move_last(&instance->table);
    }
    return code;
}

/* ---- what they took ---- */

void costs_begin_chunk(struct frame *frame, const struct chunk *chunk)
{
    struct member *member = frame->member;
    member->cost_start = chunk->start;
    member->cost_size = chunk->size;
    member->cost_since = engine_ticks();
}

void costs_end_chunk(struct frame *frame)
{
    struct member *member = frame->member;
    double *seen = frame->instance->seen;
    int64_t size = member->cost_size;
    if (size == 0)
        return;
    /* No iteration is free: all costs together must not be 0. */
    double ticks = (double)(engine_ticks() - member->cost_since + 1);
    for (int64_t i = 0; i < size; i++)
        seen[member->cost_start + i] = ticks / (double)size;
    member->cost_size = 0;
}

/* Under the site's lock. */
void costs_keep(struct site *site, const struct instance *instance)
{
    int64_t iterations = instance->iterations;
    if (instance->seen == NULL || iterations == 0)
        return;
    if (site->costs != iterations)
        site->cost = resize(site->cost, iterations + 1);
    site->costs = iterations;
    site->cost[0] = 0;
    for (int64_t i = 0; i < iterations; i++)
        site->cost[i + 1] = site->cost[i] + instance->seen[i];
}
