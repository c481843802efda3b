/* Stores the loops of a program as a launch in a result directory
 * (results/README.md).  A loop is a kernel, its clause or scheme the scheme,
 * and a run a repetition. */
#ifndef BENCH_PROGRAMS_SEEN_STORE_H
#define BENCH_PROGRAMS_SEEN_STORE_H

#include "base/error.h"
#include "base/stamp.h"
#include "bench/programs/seen/loops.h"

#include <stdbool.h>

enum { STORE_NAME = COUNTERS_NAME_MAX + 20 };

struct store_run {
    const char *folder; /* the existing result directory */
    char *const *words; /* the command line of dlsbench, NULL ends it */
    const char *scheme; /* as given; NULL: none */
    const char *status; /* of all cells: ok, unverified or failed */
    const char *reason; /* why not ok; NULL: it is ok */
    double seconds;     /* of the whole program */
    const char *answer; /* the report's answer; NULL: none */
    /* For a run of --try: */
    const char *tried;      /* the candidate; NULL: not a run of --try */
    const char *setting;    /* its environment setting; NULL: none */
    int round;              /* from 1 on */
    bool checked;           /* a check found its answer right */
    const char *output;     /* digest of its stdout; empty: none */
    double cpu_s, others_s; /* processors' time; NAN: not known */
    long preempted;
    const char *program; /* its name in results if no loop was seen */
    char launch[STAMP_LAUNCH_SIZE]; /* set to the launch's name */
};

/* Appends the launch's files.  Does nothing for a program without a known loop
 * or name.  Returns 0 or -errno with a text. */
int store_loops(struct store_run *run, const struct loops *loops,
                struct error *err);

/* The whole program's name in results: the file that the first process ran. */
void store_program_name(const struct loops *loops, char name[STORE_NAME]);

#endif
