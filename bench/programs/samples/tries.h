/* The measured times of a program's runs: the launches of `dlsbench omp --try`
 * in a result directory, by loop, candidate and round. */
#ifndef BENCH_PROGRAMS_SAMPLES_TRIES_H
#define BENCH_PROGRAMS_SAMPLES_TRIES_H

#include "base/error.h"
#include "bench/programs/samples/candidates.h"

#include <stdbool.h>
#include <stdint.h>

struct tries_sample {
    int candidate, round;
    int ranks, threads; /* 0: not known, without timed loops */
    double time_s;
    bool loose; /* the candidate may change the number of threads */
};

/* A loop, or the whole program.  A candidate has samples only if it handed out
 * the loop's chunks. */
struct tries_loop {
    char *name;
    bool whole;
    struct tries_sample *sample; /* of good runs only */
    int count;
    int64_t room;
};

/* How a run ended. */
struct tries_run {
    int candidate, round;
    bool good;
    char status[16], reason[300];   /* why it is not good */
    char output[64];                /* digest of its stdout; empty: not known */
    double time_s, cpu_s, others_s; /* of the whole program; NAN: not known */
};

struct tries {
    const struct candidates *candidates;
    struct tries_loop *loop;
    int loops;
    int64_t loops_room;
    struct tries_run *run;
    int runs;
    int64_t runs_room;
};

/* Reads all launches of a directory, except those of unlisted candidates and
 * truncated ones.  Call tries_free in any case. */
int tries_read(struct tries *tries, const struct candidates *candidates,
               const char *folder, struct error *err);
void tries_free(struct tries *tries);

/* Adds one launch. */
int tries_read_launch(struct tries *tries, const char *folder,
                      const char *launch, struct error *err);

/* NULL: none. */
const struct tries_loop *tries_find_loop(const struct tries *tries,
                                         const char *name);
const struct tries_run *tries_find_run(const struct tries *tries, int candidate,
                                       int round);
const struct tries_run *tries_find_failed(const struct tries *tries,
                                          int candidate);

/* Marks the candidate's first good run in this round as bad. */
void tries_spoil(struct tries *tries, int candidate, int round,
                 const char *reason);

/* The number of rounds with the candidate and the unmodified program. */
int tries_count_rounds(const struct tries *tries, int candidate);

/* 0: no round yet. */
int tries_last_round(const struct tries *tries);

/* The unmodified program's sample of the same round, ranks and threads; NULL:
 * none.  In other rounds the machine's load may differ. */
const struct tries_sample *tries_find_own(const struct tries_loop *loop,
                                          const struct tries_sample *sample);

/* The loop's share of the program's time, in each of its unmodified runs. */
int tries_shares(const struct tries_loop *loop,
                 const struct tries_loop *program, double *shares);

/* Copies a candidate's times that have a sample of the unmodified program
 * beside them; its times go into `own`.  Both lists have room for all samples
 * of the loop.  Returns their number. */
int tries_pairs(const struct tries_loop *loop, int candidate, double *own,
                double *times);

#endif
