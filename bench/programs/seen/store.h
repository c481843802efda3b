/* The loops of a program as a launch in a result directory (results/README.md):
 * a loop is a kernel, its clause or scheme the scheme, and a run of the program
 * a repetition. */
#ifndef BENCH_PROGRAMS_SEEN_STORE_H
#define BENCH_PROGRAMS_SEEN_STORE_H

#include "base/error.h"
#include "base/stamp.h"
#include "bench/programs/seen/loops.h"

#include <stdbool.h>

enum { STORE_NAME = COUNTERS_NAME_MAX + 20 };

struct store_run {
    const char *folder; /* the result directory, which is there */
    char *const *words; /* the command line of dlsbench, NULL ends it */
    const char *scheme; /* as given; NULL: none */
    const char *status; /* of all cells: ok, unverified or failed */
    const char *reason; /* why it is not ok; NULL: it is */
    double seconds;     /* of the whole program */
    const char *answer; /* of the report; NULL: there is none */
    /* For a run that is one of several to compare: */
    const char *tried;      /* the candidate; NULL: it is none of these */
    const char *setting;    /* of the environment that it has; NULL: none */
    int round;              /* from 1 on */
    bool checked;           /* its answer was, and is right */
    const char *output;     /* digest of its stdout; empty: none */
    double cpu_s, others_s; /* processors' time; NAN: not known */
    long preempted;
    const char *program; /* its name in results, where no loop was seen */
    char launch[STAMP_LAUNCH_SIZE]; /* becomes the launch's name */
};

/* Appends the launch's files.  Does nothing for a program of which neither a
 * loop nor the name is known.  Returns 0 or -errno with a text. */
int store_loops(struct store_run *run, const struct loops *loops,
                struct error *err);

/* The name of the whole program in results, by the file that the first process
 * ran. */
void store_program_name(const struct loops *loops, char name[STORE_NAME]);

#endif
