/* Two workers, threads of one process or ranks, that hand rows to each other
 * in the barest way: what our own protocols are held against. */
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

/* Whether the two are threads of this process. */
bool pair_threads(const struct pair *pair);

/* Both run the body at the same time, bound to separate cores; seconds from a
 * common start until both have finished.  Collective over ranks. */
double pair_run(struct pair *pair,
                void (*body)(struct pair *pair, int worker, void *arg),
                void *arg);

/* Worker `worker` has reached `value`, which only grows; `row` (bytes of it)
 * goes along between ranks, and is already there between threads. */
void pair_give(struct pair *pair, int worker, int64_t value, void *row,
               size_t bytes);
/* Until the other worker has reached `value`; one call for each pair_give. */
void pair_take(struct pair *pair, int worker, int64_t value, void *row,
               size_t bytes);

#endif
