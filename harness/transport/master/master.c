#include "harness/transport/master/master.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int master_open(struct master *master, const struct tree *tree, int index)
{
    const struct tree_master *place = &tree->master[index];
    *master = (struct master){.index = index,
                              .first_worker = place->first_worker,
                              .workers = place->workers};
    bool super = place->parent < 0 && place->rank >= 0;
    master->left = calloc((size_t)place->workers + 1, sizeof(*master->left));
    /* Room for a batch, and as many reserved chunks of late workers. */
    int code = task_pool_open(&master->pool, (super ? 1 : 2) * place->workers,
                              place->first_worker, place->workers);
    return master->left != NULL ? code : -ENOMEM;
}

void master_close(struct master *master)
{
    task_pool_close(&master->pool);
    free(master->left);
    master->left = NULL;
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
    task_pool_empty(&master->pool);
    memset(master->left, 0, (size_t)master->workers * sizeof(*master->left));
    atomic_store(&master->must_ask, false);
}

int master_open_range(struct master *master, const struct tree *tree,
                      const struct sched_pair *pair,
                      const struct sched_loop *whole, int64_t min_chunk,
                      struct error *err)
{
    master->range = calloc(1, sizeof(*master->range));
    if (master->range == NULL)
        return error_set(err, ENOMEM, "out of memory for a master");
    return range_open(master->range, pair, whole, min_chunk, tree,
                      master->index, err);
}

int master_open_reports(struct master *master)
{
    return reports_open(&master->reports, master->first_worker, master->workers,
                        master->range != NULL);
}

/* By the scheme, or a returned chunk. */
static bool scheme_take(struct master *master, int asker, struct chunk *chunk)
{
    struct task given_back;
    if (sched_next(master->scheme, asker, chunk))
        return true;
    bool any = task_pool_take(&master->pool, 0, 0, &given_back);
    if (any)
        *chunk = given_back.chunk;
    return any;
}

/* Two schemes: the master that asks is one worker of the outer one. */
static int scheme_range(struct master *master, int first, struct task *task)
{
    *task = (struct task){.worker = first};
    return scheme_take(master, range_unit(master->units, first), &task->chunk);
}

static int scheme_batch(struct master *master, int first, int workers,
                        struct task *tasks)
{
    int count = 0;
    if (master->units != NULL)
        return scheme_range(master, first, tasks);
    for (int w = first; w < first + workers; w++) {
        struct task *task = &tasks[count];
        if (!scheme_take(master, w, &task->chunk))
            continue;
        task->worker = w;
        task->reserved = task->chunk.step < master->scheme->head->kept;
        count++;
    }
    return count;
}

/* A worker that has left gets no reserved chunk.  An unreserved chunk may name
 * a worker of another master. */
static void put_task(struct master *master, const struct task *task)
{
    struct task kept = *task;
    if (kept.reserved && master->left[task->worker - master->first_worker])
        kept.reserved = 0;
    task_pool_put(&master->pool, &kept);
}

static int window_batch(struct master *master)
{
    const struct master_upstream *upstream = master->upstream;
    int count = 0;
    for (int i = 0; i < upstream->sources; i++) {
        struct task task = {.worker = master->first_worker + i};
        if (!source_next(upstream->source[i], &task.chunk))
            continue;
        task.reserved =
            master->range == NULL && task.chunk.step < upstream->primed;
        put_task(master, &task);
        count++;
    }
    return count;
}

/* Called with the lock held. */
static void pass_reports(struct master *master)
{
    const struct master_upstream *upstream = master->upstream;
    struct reports *reports = &master->reports;
    struct report *list = reports->list; /* no report is added meanwhile */
    int count = reports_take(reports, list);
    for (int i = 0; i < count; i++) {
        if (master->parent != NULL) {
            master_report(master->parent, &list[i]);
        } else if (upstream->scheme != NULL) {
            engine_lock(upstream->lock);
            report_feed(upstream->scheme, upstream->units, &list[i]);
            engine_unlock(upstream->lock);
        }
    }
}

/* From a parent in the same process; fills a large pool in several parts, but
 * takes a range as a whole. */
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
            put_task(master, &tasks[i]);
        if (got == MASTER_CHUNK || answer == MASTER_DONE)
            answer = got;
    }
    master->exhausted = answer == MASTER_DONE;
    return answer;
}

/* By message, once until the answer arrives. */
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
static enum master_answer cut_chunk(struct master *master, int first,
                                    struct chunk *chunk)
{
    int unit = range_unit(&master->range->units, first);
    while (!range_next(master->range, unit, chunk)) {
        struct task whole;
        while (!task_pool_take(&master->pool, first, 1, &whole)) {
            enum master_answer answer = fill_from_above(master);
            if (answer != MASTER_CHUNK)
                return answer;
        }
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
        answer =
            scheme_take(master, worker, chunk) ? MASTER_CHUNK : MASTER_DONE;
    } else if (master->range != NULL) {
        answer = cut_chunk(master, worker, chunk);
    } else {
        struct task task;
        /* The new chunks may be reserved for others: then there may be more. */
        while (answer == MASTER_CHUNK &&
               !task_pool_take(&master->pool, worker, 1, &task))
            answer = fill_from_above(master);
        if (answer == MASTER_CHUNK)
            *chunk = task.chunk;
    }
    engine_unlock(&master->lock);
    return answer;
}

void master_report(struct master *master, const struct report *report)
{
    engine_lock(&master->lock);
    if (master->scheme != NULL)
        report_feed(master->scheme, master->units, report);
    else if (master->range != NULL)
        report_feed(&master->range->sched, &master->range->units, report);
    reports_add(&master->reports, report);
    engine_unlock(&master->lock);
}

static void give_back(struct master *master, int asker)
{
    struct task task = {.worker = master->first_worker};
    if (sched_take_primed(master->scheme, asker, &task.chunk))
        task_pool_put(&master->pool, &task);
}

void master_leave(struct master *master, int first, int workers)
{
    engine_lock(&master->lock);
    for (int w = first; w < first + workers; w++) {
        master->left[w - master->first_worker] = true;
        if (master->scheme == NULL)
            task_pool_release(&master->pool, w);
        else if (master->units == NULL)
            give_back(master, w);
        else if (w == first)
            give_back(master, range_unit(master->units, first));
    }
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
    bool wanting = master->pool.count == 0 && !master->exhausted &&
                   (master->range == NULL || !range_left(master->range));
    if (wanting && master->parent == NULL)
        ask_above(master);
    engine_unlock(&master->lock);
    if (wanting && master->parent != NULL)
        master_ask_ahead(master->parent);
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
        answer = cut_chunk(master, first, &tasks[0].chunk);
        *count = answer == MASTER_CHUNK;
    } else {
        while ((*count = task_pool_take_batch(&master->pool, first, workers,
                                              tasks)) == 0) {
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
        put_task(master, &tasks[i]);
    master->asked = false;
    master->exhausted = count == 0;
    engine_unlock(&master->lock);
}

bool master_needs_messages(const struct master *master)
{
    while (master->parent != NULL)
        master = master->parent;
    return master->scheme == NULL && master->upstream == NULL;
}
