#include "harness/transport/master/master.h"

#include <errno.h>
#include <stdlib.h>

int master_open(struct master *master, const struct tree *tree, int index)
{
    const struct tree_master *place = &tree->master[index];
    *master = (struct master){.index = index,
                              .first_worker = place->first_worker,
                              .workers = place->workers};
    /* A batch, and as many reserved chunks whose workers are late. */
    master->room = 2 * place->workers;
    if (place->parent < 0 && place->rank >= 0)
        return 0; /* the supermaster has no pool */
    master->pool = calloc((size_t)master->room, sizeof(*master->pool));
    return master->pool ? 0 : -ENOMEM;
}

void master_close(struct master *master)
{
    free(master->pool);
    master->pool = NULL;
    if (master->range != NULL)
        range_close(master->range);
    free(master->range);
    master->range = NULL;
    reports_close(&master->reports);
}

void master_reset(struct master *master, bool remember)
{
    if (master->range != NULL)
        range_drop(master->range, remember);
    reports_drop(&master->reports);
    master->asked = false;
    master->exhausted = false;
    master->head = 0;
    master->count = 0;
    master->reserved = 0;
    atomic_store(&master->must_ask, false);
}

int master_open_range(struct master *master, const struct tree *tree,
                      const struct sched_pair *pair, int64_t iterations,
                      int64_t min_chunk, const double *power, struct error *err)
{
    master->range = calloc(1, sizeof(*master->range));
    if (master->range == NULL)
        return error_set(err, ENOMEM, "out of memory for a master");
    return range_open(master->range, pair, iterations, min_chunk, tree,
                      master->index, power, err);
}

int master_open_reports(struct master *master)
{
    return reports_open(&master->reports, master->first_worker, master->workers,
                        master->range != NULL);
}

static struct task *pool_at(const struct master *master, int position)
{
    return &master->pool[(master->head + position) % master->room];
}

static void pool_push(struct master *master, const struct task *task)
{
    *pool_at(master, master->count++) = *task;
    master->reserved += task->reserved != 0;
}

/* Takes out the task at a position; those before it move up one place. */
static struct task pool_remove(struct master *master, int position)
{
    struct task task = *pool_at(master, position);
    for (int i = position; i > 0; i--)
        *pool_at(master, i) = *pool_at(master, i - 1);
    master->head = (master->head + 1) % master->room;
    master->count--;
    master->reserved -= task.reserved != 0;
    return task;
}

static bool below(const struct task *task, int first, int workers)
{
    return task->worker >= first && task->worker < first + workers;
}

/* The first task that may go to workers [first, first + workers); a reserved
 * one of theirs goes before all others.  -1: none. */
static int pool_find(const struct master *master, int first, int workers)
{
    int found = -1;
    for (int i = 0; i < master->count; i++) {
        const struct task *task = pool_at(master, i);
        if (task->reserved && below(task, first, workers))
            return i;
        if (!task->reserved && found < 0)
            found = i;
        if (found >= 0 && master->reserved == 0)
            break;
    }
    return found;
}

/* Two schemes: the master that asks is one worker of the outer one. */
static int scheme_range(struct master *master, int first, struct task *task)
{
    int unit = range_unit(master->units, first);
    *task = (struct task){.worker = first};
    return sched_next(master->scheme, unit, &task->chunk);
}

static int scheme_batch(struct master *master, int first, int workers,
                        struct task *tasks)
{
    int count = 0;
    if (master->units != NULL)
        return scheme_range(master, first, tasks);
    for (int w = first; w < first + workers; w++) {
        struct task *task = &tasks[count];
        if (!sched_next(master->scheme, w, &task->chunk))
            continue;
        task->worker = w;
        task->reserved = task->chunk.step < master->scheme->head->primed;
        count++;
    }
    return count;
}

static int window_batch(struct master *master)
{
    int count = 0;
    for (int i = 0; i < master->upstreams; i++) {
        struct task task = {.worker = master->first_worker + i};
        struct source *source = master->upstream[i];
        if (!source_next(source, &task.chunk))
            continue;
        task.reserved =
            master->range == NULL && task.chunk.step < master->upstream_primed;
        pool_push(master, &task);
        count++;
    }
    return count;
}

/* Called with the lock held. */
static void pass_reports(struct master *master)
{
    struct reports *reports = &master->reports;
    struct report *list = reports->list; /* nothing is added meanwhile */
    int count = reports_take(reports, list);
    for (int i = 0; i < count; i++) {
        if (master->parent != NULL) {
            master_report(master->parent, &list[i]);
        } else if (master->upstream_scheme != NULL) {
            engine_lock(master->upstream_lock);
            report_tell(master->upstream_scheme, master->upstream_units,
                        &list[i]);
            engine_unlock(master->upstream_lock);
        }
    }
}

/* A parent in the same process; a large pool is filled in several parts.  A
 * range comes whole. */
static enum master_answer fill_from_parent(struct master *master)
{
    enum { PART = 64 };
    struct task tasks[PART];
    enum master_answer answer = MASTER_DONE;
    int most = master->range != NULL ? master->workers : PART;
    for (int from = 0; from < master->workers; from += most) {
        int part = master->workers - from, count = 0;
        enum master_answer got =
            master_take_batch(master->parent, master->first_worker + from,
                              part < most ? part : most, tasks, &count);
        for (int i = 0; i < count; i++)
            pool_push(master, &tasks[i]);
        if (got == MASTER_CHUNK || answer == MASTER_DONE)
            answer = got;
    }
    master->exhausted = answer == MASTER_DONE;
    return answer;
}

/* By message, once until the answer is there. */
static void ask_above(struct master *master)
{
    if (master->asked)
        return;
    master->asked = true;
    atomic_store(&master->must_ask, true);
}

/* Fills the pool from above, or asks for it.  Called with the lock held. */
static enum master_answer fill_from_above(struct master *master)
{
    if (master->exhausted)
        return MASTER_DONE;
    if (master->parent != NULL || master->upstream != NULL)
        pass_reports(master);
    if (master->upstream != NULL) {
        master->exhausted = window_batch(master) == 0;
        return master->exhausted ? MASTER_DONE : MASTER_CHUNK;
    }
    if (master->parent != NULL)
        return fill_from_parent(master);
    ask_above(master);
    return MASTER_LATER;
}

/* From the range, and when that is used up from the next one. */
static enum master_answer cut(struct master *master, int first,
                              struct chunk *chunk)
{
    int unit = range_unit(&master->range->units, first);
    while (!range_next(master->range, unit, chunk)) {
        enum master_answer answer =
            master->count > 0 ? MASTER_CHUNK : fill_from_above(master);
        if (answer != MASTER_CHUNK)
            return answer;
        struct task whole = pool_remove(master, 0);
        range_begin(master->range, &whole.chunk);
    }
    return MASTER_CHUNK;
}

enum master_answer master_take(struct master *master, int worker,
                               struct chunk *chunk)
{
    enum master_answer answer = MASTER_CHUNK;
    engine_lock(&master->lock);
    if (master->scheme != NULL) {
        answer = sched_next(master->scheme, worker, chunk) ? MASTER_CHUNK
                                                           : MASTER_DONE;
    } else if (master->range != NULL) {
        answer = cut(master, worker, chunk);
    } else {
        int position;
        /* What came may be reserved for others: then there may be more. */
        while ((position = pool_find(master, worker, 1)) < 0) {
            answer = fill_from_above(master);
            if (answer != MASTER_CHUNK)
                break;
        }
        if (position >= 0)
            *chunk = pool_remove(master, position).chunk;
    }
    engine_unlock(&master->lock);
    return answer;
}

void master_report(struct master *master, const struct report *report)
{
    engine_lock(&master->lock);
    if (master->scheme != NULL)
        report_tell(master->scheme, master->units, report);
    else if (master->range != NULL)
        report_tell(&master->range->sched, &master->range->units, report);
    reports_add(&master->reports, report);
    engine_unlock(&master->lock);
}

int master_take_reports(struct master *master, struct report *to)
{
    engine_lock(&master->lock);
    int count = reports_take(&master->reports, to);
    engine_unlock(&master->lock);
    return count;
}

void master_pass_reports(struct master *master)
{
    engine_lock(&master->lock);
    pass_reports(master);
    engine_unlock(&master->lock);
}

void master_ask_ahead(struct master *master)
{
    if (master->scheme != NULL || master->upstream != NULL)
        return;
    engine_lock(&master->lock);
    bool wanting = master->count == 0 && !master->exhausted &&
                   (master->range == NULL || !range_left(master->range));
    if (wanting && master->parent == NULL)
        ask_above(master);
    engine_unlock(&master->lock);
    if (wanting && master->parent != NULL)
        master_ask_ahead(master->parent);
}

static int pool_batch(struct master *master, int first, int workers,
                      struct task *tasks)
{
    int count = 0;
    while (count < workers) {
        int position = pool_find(master, first, workers);
        if (position < 0)
            break;
        tasks[count++] = pool_remove(master, position);
    }
    return count;
}

enum master_answer master_take_batch(struct master *master, int first,
                                     int workers, struct task *tasks,
                                     int *count)
{
    enum master_answer answer = MASTER_CHUNK;
    engine_lock(&master->lock);
    if (master->scheme != NULL) {
        *count = scheme_batch(master, first, workers, tasks);
    } else if (master->range != NULL) {
        tasks[0] = (struct task){.worker = first};
        answer = cut(master, first, &tasks[0].chunk);
        *count = answer == MASTER_CHUNK;
    } else {
        while ((*count = pool_batch(master, first, workers, tasks)) == 0) {
            answer = fill_from_above(master);
            if (answer != MASTER_CHUNK)
                break;
        }
    }
    if (answer == MASTER_CHUNK && *count == 0)
        answer = MASTER_DONE;
    engine_unlock(&master->lock);
    return answer;
}

void master_fill(struct master *master, const struct task *tasks, int count)
{
    engine_lock(&master->lock);
    for (int i = 0; i < count; i++)
        pool_push(master, &tasks[i]);
    master->asked = false;
    master->exhausted = count == 0;
    engine_unlock(&master->lock);
}
