/* Why a launch died while MPI started: the cause in our words, where what MPI
 * or its launcher said, and what this host has, leave no doubt. */
#ifndef BENCH_LAUNCHING_CAUSE_H
#define BENCH_LAUNCHING_CAUSE_H

#include <stdbool.h>
#include <stddef.h>

struct cause_sign; /* what gives a cause away */

struct cause {
    const struct cause_sign *sign; /* the first that was seen, or NULL */
    char line[200];                /* the line that it was in */
    double since;                  /* when, or when the launch began */
    long long refused; /* processes by control groups, before the launch */
};

/* A launch begins.  `now`: subprocess_now. */
void cause_open(struct cause *cause, double now);

/* Takes a line of a launch in which MPI is not up yet. */
void cause_line(struct cause *cause, const char *line, double now);

/* Looks at a launch in which MPI is not up yet: seconds until it is to be
 * stopped, because its launcher may wait for ever. */
double cause_left(struct cause *cause, double now);

/* The cause and what to do, in one line: empty when it is not known.  `said` is
 * the best line otherwise, `ours` when a rank of this program said it and so
 * knows best. */
void cause_words(const struct cause *cause, const char *said, bool ours,
                 int ranks, char *text, size_t size);

#endif
