/* What schemes would do for recorded loops with other numbers of threads: a
 * replay of each visit that `dlsbench omp --record` has written, their times
 * added. */
#ifndef BENCH_FORETELL_REPLAY_OUTLOOK_H
#define BENCH_FORETELL_REPLAY_OUTLOOK_H

#include "base/error.h"
#include "harness/replay/replay.h"

#include <stdio.h>

enum { OUTLOOK_NUMBERS_MAX = 16, OUTLOOK_WORKERS_MAX = 1 << 16 };

struct outlook_loop {
    char *name;
    int threads;                     /* it was recorded with; 0: not known */
    int visits;                      /* that were recorded */
    int64_t all_visits;              /* that it had; 0: not known */
    int64_t iterations, least, most; /* of all visits, and of one */
    double serial_s;                 /* on one worker */
    /* For each number of workers: no schedule is faster. */
    double bound_s[OUTLOOK_NUMBERS_MAX];
    /* Of each scheme, for each number of workers; NAN: it does not take it.
     * Behind the schemes: of the loop as it is, if that is known. */
    double (*time_s)[OUTLOOK_NUMBERS_MAX];
    double (*even_s)[OUTLOOK_NUMBERS_MAX]; /* without single long iterations */
    char **why; /* of each scheme, why it does not; NULL: it takes all */
    /* As it is: its clause, and the same as a scheme (empty: not known). */
    char own[64], own_scheme[64];
    char recorded[64]; /* the scheme that it was recorded under */
    double visit_s;    /* of a recorded visit, measured; 0: not known */
    double others;     /* of its computing, others had the cores */
    double again_s;    /* the recorded visits, replayed as they were recorded */
};

struct outlook {
    int workers[OUTLOOK_NUMBERS_MAX];
    int numbers; /* of workers */
    struct replay_costs costs;
    char **scheme; /* that dlsbench omp takes and a replay knows */
    int schemes;
    struct outlook_loop *loop;
    int loops;
    int64_t room;
};

/* "2,16,64" into workers.  Returns 0 or -EINVAL. */
int outlook_read_workers(struct outlook *outlook, const char *text,
                         struct error *err);

/* Replays what `folder` has; workers and costs are set.  Returns 0, -ENOENT
 * (there are no records) or another -errno with a text; free it in any case. */
int outlook_open(struct outlook *outlook, const char *folder,
                 struct error *err);
void outlook_close(struct outlook *outlook);

/* The fastest scheme with the i-th number of workers; -1: none takes it. */
int outlook_best(const struct outlook *outlook, const struct outlook_loop *loop,
                 int i);

/* The relative error of the replay against the measurement of the recorded run,
 * or the share of the cores that others took then, if larger; NAN: not
 * known. */
double outlook_error(const struct outlook_loop *loop);

/* The gain of a scheme over the unmodified loop with the i-th number of
 * workers, with or without single long iterations, whichever is less: another
 * process may have caused such iterations.  NAN: not known. */
double outlook_gain(const struct outlook *outlook,
                    const struct outlook_loop *loop, int scheme, int i);

/* The scheme that gains most, by more than the replay's error and 1 %; -1: none
 * does, or it is not known. */
int outlook_winner(const struct outlook *outlook,
                   const struct outlook_loop *loop, int i);

/* An outlook as tables, one for each loop, and as outlook.json. */

/* `source`: of the calibrated costs; empty: of none. */
void outlook_print(const struct outlook *outlook, const char *source,
                   FILE *out);

/* Writes FOLDER/outlook.json for the report.  Returns 0 or -errno. */
int outlook_write_json(const struct outlook *outlook, const char *folder,
                       struct error *err);

#endif
