/* The table of a result directory. */
#ifndef BENCH_RESULTS_SUMMARY_H
#define BENCH_RESULTS_SUMMARY_H

#include "bench/results/results.h"

#include <stdio.h>

/* The counts of a directory's cells by their state. */
struct summary_counts {
    int ok, unverified, failed, incomplete;
};

/* Prints one table for each kernel, a part for each layout, transport and
 * hierarchy, a row for each scheme, at most 100 columns; then the fastest of
 * each shape where it ran in several ways.  Repetitions that did
 * not verify have no numbers here. */
void summary_print(FILE *out, const struct results *results);

struct summary_counts summary_count(const struct results *results);

/* The last lines: how many cells are ok, failed, skipped (-1: not known), and
 * where the results are. */
void summary_end(FILE *out, const char *dir, struct summary_counts counts,
                 int skipped);

#endif
