/* The shuffled rounds of `dlsbench omp --try`: each candidate runs once a round
 * while it may still be the best for any loop.  The unmodified program also
 * runs in every round.  Candidates that lack rounds get new ones.  Gaps of old
 * rounds are never filled, because the machine's load may have changed. */
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
    const char *folder;   /* the existing result directory */
    char *const *command; /* of dlsbench, NULL ends it */
    const char *list;     /* the text of --try */
    int repetitions;
    uint64_t seed;
    double own_s; /* the longest run of the unmodified program */

    struct tries *tries;
    bool dropped[CANDIDATES_MAX]; /* clearly slower, or useless */
    bool failed[CANDIDATES_MAX];
    bool useless[CANDIDATES_MAX]; /* takes no loop */
    struct outputs outputs;
    struct strip *strip[CANDIDATES_MAX]; /* of its first good run; NULL: none */

    int lacks[CANDIDATES_MAX]; /* rounds to come */
    struct select *select;     /* one for each subject and kind */
};

/* Reads from `tries` the state of the directory and what it lacks; `useless`
 * (and thus `dropped`) come from the caller.  Call rounds_close in any case. */
void rounds_open(struct rounds *rounds);
void rounds_close(struct rounds *rounds);

/* Compares the outputs of all runs so far, and prints news on `progress` (NULL:
 * nowhere).  A choice with another output runs again if the unmodified
 * program's output turns out to vary. */
struct progress;
void rounds_compare(struct rounds *rounds, struct progress *progress);

/* Marks choices with another output as failed, also in the directory. */
int rounds_spoil(struct rounds *rounds, struct error *err);

/* The number of choices besides the unmodified program, without those that take
 * no loop. */
int rounds_choices(const struct rounds *rounds);

/* How many rounds and `runs` are still to come if no candidate is dropped. */
int rounds_count(const struct rounds *rounds, int *runs);

/* Whether a run of any candidate failed; how many of the unmodified program. */
bool rounds_have_failed(const struct rounds *rounds);
int rounds_count_failed(const struct rounds *rounds, int *all);

/* Runs and stores what the directory lacks. -EINTR: interrupted; all
 * measurements are kept. */
int rounds_run(struct rounds *rounds, struct error *err);

#endif
