/* The shuffled rounds of `dlsbench omp --try`: each candidate runs once a round
 * while it may still be the best for any loop. */
#ifndef BENCH_TRY_ROUNDS_H
#define BENCH_TRY_ROUNDS_H

#include "base/error.h"
#include "bench/try/attempt.h"
#include "bench/try/subjects.h"
#include "bench/try/tries.h"
#include "sched/select/select.h"

#include <stdbool.h>
#include <stdint.h>

struct rounds {
    const struct attempts *attempts;
    const struct candidates *candidates;
    const struct subjects *subjects;
    const char *folder;   /* the result directory, which is there */
    char *const *command; /* of dlsbench, NULL ends it */
    int repetitions;
    uint64_t seed;
    double own_s; /* the longest run as it is */

    struct tries *tries;
    bool dropped[CANDIDATES_MAX]; /* clearly slower, or takes no loop */
    bool failed[CANDIDATES_MAX];
    bool useless[CANDIDATES_MAX]; /* of those: it takes no loop */

    struct select *select; /* one for each subject */
};

/* Runs what the directory lacks, and stores it.  -EINTR: interrupted; all that
 * was measured is kept. */
int rounds_run(struct rounds *rounds, struct error *err);

#endif
