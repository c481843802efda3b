/* The private parts of the files results*.c; others use
 * bench/results/results.h. */
#ifndef BENCH_RESULTS_RESULTS_PARTS_H
#define BENCH_RESULTS_RESULTS_PARTS_H

#include "bench/results/results.h"

#include <stdbool.h>
#include <stdio.h>

/* Whether any cell leaves its powers to be measured. */
bool results_measure_power(const struct results *results);

/* Takes the powers of such cells from a file of workers. */
void results_read_workers(FILE *file, struct results *results);

#endif
