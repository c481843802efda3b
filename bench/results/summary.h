/* The table of a result directory. */
#ifndef BENCH_RESULTS_SUMMARY_H
#define BENCH_RESULTS_SUMMARY_H

#include "bench/options/table.h"
#include "bench/results/results.h"

#include <stdio.h>

/* The counts of a directory's cells by their state. */
struct summary_counts {
    int ok, unverified, failed, incomplete;
    int sampled, unchecked, simulated; /* of those that are ok */
};

/* The rows of all cells, judged.  `results` has to stay until it is freed. */
struct summary;

struct summary *summary_make(const struct results *results);
void summary_free(struct summary *summary);

/* Prints one table for each loop, a part for each layout, transport and
 * hierarchy, a row for each scheme, at most 80 columns; then the fastest of
 * each shape where it ran in several ways.  Repetitions that did not verify
 * have no numbers here. */
void summary_tables(FILE *out, const struct summary *summary);

/* What they say, in words: answers.h.  Comes after all tables. */
void summary_answers(FILE *out, const struct summary *summary);

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
