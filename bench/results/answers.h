/* The result of a loop in words: which choice to take, which to avoid and why.
 * A cause is named only if the row's own numbers explain most of its loss. */
#ifndef BENCH_RESULTS_ANSWERS_H
#define BENCH_RESULTS_ANSWERS_H

#include "bench/results/summary_rows.h"

#include <stdio.h>

/* Prints the answer on judged rows [begin, end) of one loop, for each load and
 * other conditions; `name` is the loop's. */
void answers_print(FILE *out, const struct summary_row *rows, int begin,
                   int end, const char *name);

/* Marks the rows than which none of the same conditions is faster. */
void answers_mark(const struct summary_row *rows, int begin, int end,
                  bool *fastest);

#endif
