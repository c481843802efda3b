/* A task pool (Han and Chronopoulos, section IV): the chunks that a master
 * holds and can hand out.  They are served first-in first-out, but a reserved
 * one waits for its worker, which gets it before all others.
 *
 * Bookkeeping of one master, under that master's lock. */
#ifndef HARNESS_TRANSPORT_MASTER_TASK_POOL_H
#define HARNESS_TRANSPORT_MASTER_TASK_POOL_H

#include "sched/sched.h"

#include <stdbool.h>
#include <stdint.h>

/* A chunk in a pool or on its way to one. */
struct task {
    struct chunk chunk;
    int32_t worker;   /* the worker for which the scheme computed it */
    int32_t reserved; /* only that worker may get it */
};

struct task_pool {
    struct task *task; /* a ring */
    int room, head, count;
    int reserved; /* how many of them are reserved */
    int first, workers;
    int32_t *by_worker; /* number of reserved ones, by worker */
};

/* For a master of the workers [first, first + workers).  Returns 0 or
 * -ENOMEM. */
int task_pool_open(struct task_pool *pool, int room, int first, int workers);
void task_pool_close(struct task_pool *pool);
/* For a replay of very many masters, whose pools are mostly empty: lend frees
 * an empty pool's memory, claim allocates it before tasks come.  Returns 0 or
 * -ENOMEM. */
void task_pool_lend(struct task_pool *pool);
int task_pool_claim(struct task_pool *pool);
void task_pool_empty(struct task_pool *pool);

/* The pool must have room. */
void task_pool_put(struct task_pool *pool, const struct task *task);

/* This worker's reserved tasks may now go to any worker. */
void task_pool_release(struct task_pool *pool, int worker);

/* Takes the first task that may go to one of the workers [first, first +
 * workers).  False: none. */
bool task_pool_take(struct task_pool *pool, int first, int workers,
                    struct task *task);

/* Takes up to `workers` such tasks; returns their number. */
int task_pool_take_batch(struct task_pool *pool, int first, int workers,
                         struct task *tasks);

#endif
