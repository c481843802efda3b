/* What schemes would do for recorded loops with other numbers of threads: a
 * replay of each visit that `dlsbench omp --record` has written, their times
 * added. */
#ifndef BENCH_FORETELL_REPLAY_OUTLOOK_H
#define BENCH_FORETELL_REPLAY_OUTLOOK_H

#include "base/error.h"
#include "harness/replay/replay.h"

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
    /* Of each scheme, for each number of workers; NAN: it does not take it. */
    double (*time_s)[OUTLOOK_NUMBERS_MAX];
    char **why; /* of each scheme, why it does not; NULL: it takes all */
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

#endif
