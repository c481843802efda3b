/* The table of a result directory. */
#ifndef BENCH_RESULTS_SUMMARY_H
#define BENCH_RESULTS_SUMMARY_H

#include "bench/options/table.h"
#include "bench/results/results.h"

#include <stdio.h>

/* The number of a directory's cells in each state. */
struct summary_counts {
    int ok, unverified, failed, incomplete;
    int sampled, unchecked, simulated; /* among the ok cells */
};

/* The judged rows of all cells.  Keep `results` until it is freed. */
struct summary;

struct summary *summary_make(const struct results *results);
void summary_free(struct summary *summary);

/* Prints one table for each loop, with a part for each layout, transport and
 * hierarchy, and a row for each scheme, at most 80 columns.  Then prints the
 * fastest of each shape with several alternatives.  Excludes repetitions that
 * failed verification. */
void summary_tables(FILE *out, const struct summary *summary);

/* Prints the results in words (answers.h), after all tables. reported: a
 * directory that may have a report of dlsbench omp, printed first; NULL:
 * none. */
void summary_answers(FILE *out, const struct summary *summary,
                     const char *reported);

struct summary_counts summary_count(const struct results *results);

/* Prints the last lines: how many cells are ok, failed, skipped (-1: unknown),
 * and the place of the results. */
void summary_end(FILE *out, const char *dir, struct summary_counts counts,
                 int skipped);

/* Prints all of it on stdout, with the tables of python_tables.h; except as
 * text, only the rows. */
void summary_print(const struct results *results, const char *dir, bool store,
                   int skipped, enum table_format format);

#endif
