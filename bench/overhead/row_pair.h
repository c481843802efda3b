/* The simplest hand-over of rows between two workers (threads or ranks): our
 * protocols are compared with it. */
#ifndef BENCH_OVERHEAD_ROW_PAIR_H
#define BENCH_OVERHEAD_ROW_PAIR_H

#include "harness/repetition/repetition.h"

#include <stdatomic.h>
#include <stdint.h>

struct pair {
    struct launch_context *context; /* one rank of 2 threads, or 2 ranks */
    struct pair_flag {
        _Alignas(128) _Atomic int64_t value;
    } flag[2];
    double begin_s, end_s;
    void (*body)(struct pair *pair, int worker, void *arg);
    void *arg;
};

/* Whether both are threads of this process. */
bool pair_threads(const struct pair *pair);

/* Both run the body at the same time, bound to separate cores.  Returns seconds
 * from a common start until both have finished.  Collective over ranks. */
double pair_run(struct pair *pair,
                void (*body)(struct pair *pair, int worker, void *arg),
                void *arg);

/* Worker `worker` has reached `value`, which only increases.  Between ranks it
 * also sends `row` (`bytes` bytes); between threads that is already there. */
void pair_give(struct pair *pair, int worker, int64_t value, void *row,
               size_t bytes);
/* Waits until the other worker has reached `value`; one call per pair_give. */
void pair_take(struct pair *pair, int worker, int64_t value, void *row,
               size_t bytes);

#endif
