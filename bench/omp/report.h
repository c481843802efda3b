/* What a program's loops did, for people: a table of them and, in words,
 * whether another schedule could matter. */
#ifndef BENCH_OMP_REPORT_H
#define BENCH_OMP_REPORT_H

#include "bench/omp/loops.h"

#include <stdio.h>

struct report_run {
    const char *program; /* its path */
    const char *words;   /* the command line */
    double seconds;      /* of the whole program */
    bool scheduled;      /* with --scheme */
};

void report_print(FILE *out, const struct loops *loops,
                  const struct report_run *run);

/* In words: whether the loop is worth another scheme, in a program that takes
 * `seconds`.  Returns `text`. */
const char *report_verdict(const struct loops_loop *loop, double seconds,
                           char *text, size_t size);

/* The clause, as in the source: "dynamic,4", "monotonic:runtime". */
const char *report_clause(const struct counters_site *site, char text[64]);

#endif
