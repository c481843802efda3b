/* The costs of a loop's iterations, for schemes that use them: the times of the
 * last visit's chunks, divided among their iterations.  A visit without known
 * costs is handed out in small equal chunks. */
#include "dls/omp/frames.h"

#include "base/cache_line.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LEARN_CHUNKS = 64 }; /* for each thread */

static double *resize_costs(double *old, int64_t count)
{
    double *made = realloc(old, (size_t)count * sizeof(*made));
    if (made == NULL) {
        settings_say("out of memory for the costs of a loop");
        _Exit(1);
    }
    return made;
}

/* ---- the chunks of a visit ---- */

void costs_move_last(struct sched_table *table)
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
    struct strategy strategy;
    int64_t chunk = loop->iterations / LEARN_CHUNKS / loop->workers;
    snprintf(text, sizeof(text), "css:chunk=%lld",
             (long long)(chunk > 0 ? chunk : 1));
    int code = strategy_parse(text, &strategy, err);
    return code != 0 ? code
                     : sched_table_build(table, strategy.ops, &strategy.spec,
                                         loop, 1, err);
}

void costs_watch(struct instance *instance, int64_t iterations)
{
    instance->seen = resize_costs(instance->seen, iterations);
    memset(instance->seen, 0, (size_t)iterations * sizeof(*instance->seen));
}

int costs_begin(struct instance *instance, int64_t iterations,
                struct error *err)
{
    struct loop_site *site = instance->site;
    struct sched_loop loop = {.iterations = iterations,
                              .workers = instance->threads};
    int code = -ENOENT;
    costs_watch(instance, iterations);
    sched_table_free(&instance->table);
    instance->table = (struct sched_table){0};
    engine_lock(&site->lock);
    if (site->costs == iterations) {
        loop.cost = site->cost;
        code = sched_table_build(&instance->table, site->strategy->ops,
                                 &site->strategy->spec, &loop, 1, err);
    }
    engine_unlock(&site->lock);
    if (code != 0) {
        loop.cost = NULL;
        code = build_learning(&instance->table, &loop, err);
    } else if (site->strategy->ops->order != NULL) {
        costs_move_last(&instance->table);
    }
    return code;
}

/* ---- measured costs ---- */

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

/* ---- recorded ---- */

static bool write_all(int file, const void *data, size_t size)
{
    const char *at = data;
    while (size > 0) {
        ssize_t done = write(file, at, size);
        if (done < 0 && errno != EINTR)
            return false;
        at += done > 0 ? done : 0;
        size -= done > 0 ? (size_t)done : 0;
    }
    return true;
}

static bool write_visit(const struct loop_site *site,
                        const struct instance *instance)
{
    const struct counters *counters = mapped();
    const struct counters_costs head = {instance->iterations,
                                        instance->threads};
    char name[128], path[4400];
    counters_name_costs(counters->host, counters->pid,
                        site->counted - counters->site, name);
    snprintf(path, sizeof(path), "%.4096s/%s", settings()->folder, name);
    int file = open(
        path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0644);
    bool good = file >= 0 && write_all(file, &head, sizeof(head)) &&
                write_all(file, instance->seen,
                          (size_t)head.iterations * sizeof(double));
    if (!good)
        settings_say("%s: costs cannot be recorded here: %s",
                     settings()->folder, strerror(errno));
    if (file >= 0)
        close(file);
    return good;
}

static void record_visit(struct loop_site *site,
                         const struct instance *instance)
{
    bool many = site->recorded_visits > 0 &&
                site->recorded + instance->iterations > COUNTERS_COSTS_MAX;
    if (many || site->recorded_visits == COUNTERS_VISITS_MAX)
        return;
    site->recorded += instance->iterations;
    site->recorded_visits++;
    if (!write_visit(site, instance))
        site->recorded_visits = COUNTERS_VISITS_MAX; /* no more of this loop */
}

/* Under the site's lock. */
void costs_keep(struct loop_site *site, const struct instance *instance)
{
    int64_t iterations = instance->iterations;
    if (instance->seen == NULL || iterations == 0)
        return;
    if (site->records)
        record_visit(site, instance);
    if (!site->by_cost)
        return;
    if (site->costs != iterations)
        site->cost = resize_costs(site->cost, iterations + 1);
    site->costs = iterations;
    site->cost[0] = 0;
    for (int64_t i = 0; i < iterations; i++)
        site->cost[i + 1] = site->cost[i] + instance->seen[i];
}
