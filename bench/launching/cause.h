/* Why a launch died while MPI started, in our words. Only named if the messages
 * of MPI or its launcher, and this host's properties, leave no doubt. */
#ifndef BENCH_LAUNCHING_CAUSE_H
#define BENCH_LAUNCHING_CAUSE_H

#include <stdbool.h>
#include <stddef.h>

struct cause_sign; /* what reveals a cause */

struct cause {
    const struct cause_sign *sign; /* the first one found, or NULL */
    char line[200];                /* the line with the sign */
    double since;                  /* when it was found, or the begin */
    long long refused; /* forks refused by control groups, before the launch */
};

/* Call at a launch's begin. `now`: subprocess_now. */
void cause_open(struct cause *cause, double now);

/* Call for each line of a launch until MPI is up. */
void cause_line(struct cause *cause, const char *line, double now);

/* For a launch without MPI yet: seconds until it must be stopped, because its
 * launcher may wait for ever. */
double cause_left(struct cause *cause, double now);

/* The cause and a remedy, in one line; empty if unknown. `said`: the best line
 * otherwise; `ours`: a rank of this program wrote it, and so knows best. */
void cause_words(const struct cause *cause, const char *said, bool ours,
                 int ranks, char *text, size_t size);

#endif
