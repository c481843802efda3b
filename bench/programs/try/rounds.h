/* The shuffled rounds of `dlsbench omp --try`: each candidate runs once a round
 * while it may still be the best for any loop.  In every round the program also
 * runs as it is.  Candidates that lack rounds get new ones.  Gaps of old rounds
 * are never filled, because the machine's load may have changed. */
#ifndef BENCH_PROGRAMS_TRY_ROUNDS_H
#define BENCH_PROGRAMS_TRY_ROUNDS_H

#include "base/error.h"
#include "bench/programs/execution/attempt.h"
#include "bench/programs/samples/tries.h"
#include "bench/programs/try/outputs.h"
#include "bench/programs/try/strips.h"
#include "bench/programs/try/subjects.h"
#include "sched/select/select.h"

#include <stdbool.h>
#include <stdint.h>

struct rounds {
    const struct attempts *attempts;
    struct candidates *candidates;
    struct subjects *subjects;
    const char *folder;   /* the result directory, which is there */
    char *const *command; /* of dlsbench, NULL ends it */
    const char *list;     /* --try */
    int repetitions;
    uint64_t seed;
    double own_s; /* the longest run as it is */

    struct tries *tries;
    bool dropped[CANDIDATES_MAX]; /* clearly slower, or takes no loop */
    bool failed[CANDIDATES_MAX];
    bool useless[CANDIDATES_MAX]; /* of those: it takes no loop */
    struct outputs outputs;
    struct strip *strip[CANDIDATES_MAX]; /* of its first good run; NULL: none */

    int lacks[CANDIDATES_MAX]; /* future rounds */
    struct select *select;     /* one for each subject and kind */
};

/* Finds out what the directory has, `useless` (and `dropped`) apart, with
 * `tries`, and what it lacks; rounds_close in any case. */
void rounds_open(struct rounds *rounds);
void rounds_close(struct rounds *rounds);

/* Compares the answers of all runs that there are, and says what is new where
 * there is progress (NULL: not).  One whose answer was another than all runs as
 * it is runs again when these also turn out to differ. */
struct progress;
void rounds_compare(struct rounds *rounds, struct progress *progress);

/* Choices with other answers have failed from now on, also in the directory. */
int rounds_spoil(struct rounds *rounds, struct error *err);

/* How many choices there are beside the program as it is, without those that
 * take no loop. */
int rounds_choices(const struct rounds *rounds);

/* How many rounds, and runs in them, are to come if nothing is dropped. */
int rounds_count(const struct rounds *rounds, int *runs);

/* Whether a run of any candidate has failed, and how many as it is. */
bool rounds_have_failed(const struct rounds *rounds);
int rounds_count_failed(const struct rounds *rounds, int *all);

/* Runs what the directory lacks, and stores it.  -EINTR: interrupted; all that
 * was measured is kept. */
int rounds_run(struct rounds *rounds, struct error *err);

#endif
