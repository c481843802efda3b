/* Predicts schemes for recorded loops with other numbers of threads: the sum
 * over replays of all visits that `dlsbench omp --record` has written. */
#ifndef BENCH_FORETELL_REPLAY_OUTLOOK_H
#define BENCH_FORETELL_REPLAY_OUTLOOK_H

#include "base/error.h"
#include "harness/replay/replay.h"

#include <stdio.h>

enum { OUTLOOK_NUMBERS_MAX = 16, OUTLOOK_WORKERS_MAX = 1 << 16 };

struct outlook_loop {
    char *name;
    int threads;                     /* in the recorded run; 0: unknown */
    int visits;                      /* recorded ones */
    int64_t all_visits;              /* all of the run; 0: unknown */
    int64_t iterations, least, most; /* of all visits; least, most: of one */
    double serial_s;                 /* seconds on one worker */
    /* By number of workers: a lower bound for any schedule. */
    double bound_s[OUTLOOK_NUMBERS_MAX];
    /* By scheme and number of workers; NAN: the scheme refuses it.  The last
     * row is the unmodified loop, if known. */
    double (*time_s)[OUTLOOK_NUMBERS_MAX];
    double (*even_s)[OUTLOOK_NUMBERS_MAX]; /* without single long iterations */
    char **why; /* by scheme: why it refuses some; NULL: it takes all */
    /* Unmodified: its clause, and the equivalent scheme (empty: unknown). */
    char clause[64], clause_scheme[64];
    char recorded[64]; /* the scheme while recording */
    double visit_s;    /* mean of a recorded visit, measured; 0: unknown */
    double others;     /* share of its computing in which others had the
                          cores; 1: its threads shared cores */
    double again_s;    /* replay of the recorded visits as recorded */
};

struct outlook {
    int workers[OUTLOOK_NUMBERS_MAX];
    int numbers; /* how many of them */
    struct replay_costs costs;
    char **scheme; /* those that dlsbench omp takes and a replay supports */
    int schemes;
    struct outlook_loop *loop;
    int loops;
    int64_t room;
};

/* Reads "2,16,64" into workers.  Returns 0 or -EINVAL. */
int outlook_read_workers(struct outlook *outlook, const char *text,
                         struct error *err);

/* Replays the records of `folder`; set workers and costs before.  Returns 0,
 * -ENOENT (no records) or another -errno with a text; free it in any case. */
int outlook_open(struct outlook *outlook, const char *folder,
                 struct error *err);
void outlook_close(struct outlook *outlook);

/* The fastest scheme with the i-th number of workers; -1: all refuse it. */
int outlook_best(const struct outlook *outlook, const struct outlook_loop *loop,
                 int i);

/* The relative error of the replay against the measured recorded run or, if
 * larger, the share of the cores that others had then; NAN: unknown. */
double outlook_error(const struct outlook_loop *loop);

/* The gain of a scheme over the unmodified loop with the i-th number of
 * workers: the lesser of those with and without single long iterations, because
 * another process may have caused these.  NAN: unknown. */
double outlook_gain(const struct outlook *outlook,
                    const struct outlook_loop *loop, int scheme, int i);

/* The scheme that gains most, by more than the replay's error and 1 %; -1: none
 * does, or unknown. */
int outlook_winner(const struct outlook *outlook,
                   const struct outlook_loop *loop, int i);

/* Prints tables, one per loop. `source`: of the calibrated costs; empty: not
 * calibrated. */
void outlook_print(const struct outlook *outlook, const char *source,
                   FILE *out);

/* Writes FOLDER/outlook.json for the report.  Returns 0 or -errno. */
int outlook_write_json(const struct outlook *outlook, const char *folder,
                       struct error *err);

#endif
