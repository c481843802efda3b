#include "harness/transport/master/task_pool.h"

#include "base/invariant.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int task_pool_open(struct task_pool *pool, int room, int first, int workers)
{
    *pool =
        (struct task_pool){.room = room, .first = first, .workers = workers};
    return task_pool_claim(pool);
}

void task_pool_lend(struct task_pool *pool)
{
    invariant(pool->count == 0);
    free(pool->task);
    free(pool->by_worker);
    pool->task = NULL;
    pool->by_worker = NULL;
    pool->head = 0;
}

int task_pool_claim(struct task_pool *pool)
{
    if (pool->task == NULL)
        pool->task = calloc((size_t)pool->room, sizeof(*pool->task));
    if (pool->by_worker == NULL)
        pool->by_worker =
            calloc((size_t)pool->workers + 1, sizeof(*pool->by_worker));
    return pool->task != NULL && pool->by_worker != NULL ? 0 : -ENOMEM;
}

void task_pool_close(struct task_pool *pool)
{
    free(pool->task);
    free(pool->by_worker);
    *pool = (struct task_pool){.task = NULL};
}

void task_pool_empty(struct task_pool *pool)
{
    pool->head = 0;
    pool->count = 0;
    if (pool->reserved > 0)
        memset(pool->by_worker, 0,
               (size_t)pool->workers * sizeof(*pool->by_worker));
    pool->reserved = 0;
}

static struct task *task_at(const struct task_pool *pool, int position)
{
    return &pool->task[(pool->head + position) % pool->room];
}

/* One reserved task more or less. */
static void count_reserved(struct task_pool *pool, int worker, int more)
{
    invariant(worker >= pool->first && worker < pool->first + pool->workers);
    pool->by_worker[worker - pool->first] += more;
    pool->reserved += more;
}

/* Whether a task is reserved for one of these workers.  In a pool of many tasks
 * most searches end here. */
static bool has_reserved(const struct task_pool *pool, int first, int workers)
{
    for (int w = first; w < first + workers && pool->reserved > 0; w++)
        if (w >= pool->first && w < pool->first + pool->workers &&
            pool->by_worker[w - pool->first] > 0)
            return true;
    return false;
}

void task_pool_put(struct task_pool *pool, const struct task *task)
{
    invariant(pool->count < pool->room);
    *task_at(pool, pool->count++) = *task;
    if (task->reserved)
        count_reserved(pool, task->worker, 1);
}

void task_pool_release(struct task_pool *pool, int worker)
{
    for (int i = 0; i < pool->count && has_reserved(pool, worker, 1); i++) {
        struct task *task = task_at(pool, i);
        if (!task->reserved || task->worker != worker)
            continue;
        task->reserved = 0;
        count_reserved(pool, worker, -1);
    }
}

/* The position of the first task for these workers; one reserved for them comes
 * before all others. -1: none. */
static int find_task(const struct task_pool *pool, int first, int workers)
{
    bool theirs_first = has_reserved(pool, first, workers);
    if (!theirs_first && pool->count == pool->reserved)
        return -1;
    for (int i = 0; i < pool->count; i++) {
        const struct task *task = task_at(pool, i);
        bool theirs = task->worker >= first && task->worker < first + workers;
        if (theirs_first ? task->reserved && theirs : !task->reserved)
            return i;
    }
    return -1;
}

/* The tasks before it move up one place. */
bool task_pool_take(struct task_pool *pool, int first, int workers,
                    struct task *task)
{
    int position = find_task(pool, first, workers);
    if (position < 0)
        return false;
    *task = *task_at(pool, position);
    for (int i = position; i > 0; i--)
        *task_at(pool, i) = *task_at(pool, i - 1);
    pool->head = (pool->head + 1) % pool->room;
    pool->count--;
    if (task->reserved)
        count_reserved(pool, task->worker, -1);
    invariant(pool->reserved >= 0 && pool->reserved <= pool->count);
    return true;
}

/* Moves up to `most` tasks out, either those reserved for these workers or
 * unreserved ones; the others keep their order. */
static int move_out(struct task_pool *pool, bool reserved, int first,
                    int workers, struct task *tasks, int most)
{
    int moved = 0, kept = 0;
    for (int i = 0; i < pool->count; i++) {
        struct task task = *task_at(pool, i);
        bool theirs = task.worker >= first && task.worker < first + workers;
        bool fits = reserved ? task.reserved && theirs : !task.reserved;
        if (fits && moved < most)
            tasks[moved++] = task;
        else
            *task_at(pool, kept++) = task;
    }
    pool->count = kept;
    for (int i = 0; i < moved && reserved; i++)
        count_reserved(pool, tasks[i].worker, -1);
    return moved;
}

int task_pool_take_batch(struct task_pool *pool, int first, int workers,
                         struct task *tasks)
{
    int count = 0;
    if (pool->reserved > 0)
        count = move_out(pool, true, first, workers, tasks, workers);
    if (count < workers && pool->count > pool->reserved)
        count += move_out(pool, false, first, workers, tasks + count,
                          workers - count);
    return count;
}
