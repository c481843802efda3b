#include "harness/transport/master/task_pool.h"

#include "base/invariant.h"

#include <errno.h>
#include <stdlib.h>

int task_pool_open(struct task_pool *pool, int room)
{
    *pool = (struct task_pool){.room = room};
    pool->task = calloc((size_t)room, sizeof(*pool->task));
    return pool->task != NULL ? 0 : -ENOMEM;
}

void task_pool_lend(struct task_pool *pool)
{
    invariant(pool->count == 0);
    free(pool->task);
    pool->task = NULL;
    pool->head = 0;
}

int task_pool_claim(struct task_pool *pool)
{
    return pool->task != NULL ? 0 : task_pool_open(pool, pool->room);
}

void task_pool_close(struct task_pool *pool)
{
    free(pool->task);
    *pool = (struct task_pool){.task = NULL};
}

void task_pool_empty(struct task_pool *pool)
{
    pool->head = 0;
    pool->count = 0;
    pool->reserved = 0;
}

static struct task *task_at(const struct task_pool *pool, int position)
{
    return &pool->task[(pool->head + position) % pool->room];
}

void task_pool_put(struct task_pool *pool, const struct task *task)
{
    invariant(pool->count < pool->room);
    *task_at(pool, pool->count++) = *task;
    pool->reserved += task->reserved != 0;
}

void task_pool_release(struct task_pool *pool, int worker)
{
    for (int i = 0; i < pool->count && pool->reserved > 0; i++) {
        struct task *task = task_at(pool, i);
        if (!task->reserved || task->worker != worker)
            continue;
        task->reserved = 0;
        pool->reserved--;
    }
}

/* The position of the first task for these workers, a reserved one of theirs
 * before all others.  -1: there is none. */
static int find_task(const struct task_pool *pool, int first, int workers)
{
    int found = -1;
    for (int i = 0; i < pool->count; i++) {
        const struct task *task = task_at(pool, i);
        bool theirs = task->worker >= first && task->worker < first + workers;
        if (task->reserved && theirs)
            return i;
        if (!task->reserved && found < 0)
            found = i;
        if (found >= 0 && pool->reserved == 0)
            break;
    }
    return found;
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
    pool->reserved -= task->reserved != 0;
    invariant(pool->reserved >= 0 && pool->reserved <= pool->count);
    return true;
}
