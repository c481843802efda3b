/* Chunks of all workers, as a report lists them. */
#ifndef HARNESS_REPETITION_LOGGED_H
#define HARNESS_REPETITION_LOGGED_H

#include "harness/protocol/parallel/parallel.h"

struct logged {
    struct ran ran;
    int64_t worker;
};

/* By time step, then by start. */
void logged_sort(struct logged *list, int64_t count);

#endif
