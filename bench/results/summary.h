/* The table of a result directory. */
#ifndef BENCH_RESULTS_SUMMARY_H
#define BENCH_RESULTS_SUMMARY_H

#include "bench/options/table.h"
#include "bench/results/results.h"

#include <stdio.h>

/* The counts of a directory's cells by their state. */
struct summary_counts {
    int ok, unverified, failed, incomplete;
    int sampled, unchecked, simulated; /* among the ok cells */
};

/* The rows of all cells, judged.  `results` has to stay until it is freed. */
struct summary;

struct summary *summary_make(const struct results *results);
void summary_free(struct summary *summary);

/* Prints one table for each loop, with a part for each layout, transport and
 * hierarchy, and a row for each scheme, at most 80 columns.  Then it prints the
 * fastest of each shape that ran in several ways.  Repetitions
 * that failed verification have no numbers here. */
void summary_tables(FILE *out, const struct summary *summary);

/* Prints the results in words (answers.h), after all tables.  reported: a
 * directory that may hold a report of dlsbench omp, which goes before; NULL:
 * none. */
void summary_answers(FILE *out, const struct summary *summary,
                     const char *reported);

struct summary_counts summary_count(const struct results *results);

/* The last lines: how many cells are ok, failed, skipped (-1: not known), and
 * where the results are. */
void summary_end(FILE *out, const char *dir, struct summary_counts counts,
                 int skipped);

/* All of it on stdout, with the tables of tables.h; but for text the rows
 * alone. */
void summary_print(const struct results *results, const char *dir, bool store,
                   int skipped, enum table_format format);

#endif
