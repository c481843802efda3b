/* The private parts of the files results*.c; others use
 * bench/results/results.h. */
#ifndef BENCH_RESULTS_RESULTS_PARTS_H
#define BENCH_RESULTS_RESULTS_PARTS_H

#include "bench/results/results.h"

#include <stdbool.h>

/* Whether any cell leaves its powers to be measured. */
bool results_measure_power(const struct results *results);

/* Takes the power of such a cell from a worker's line.  Returns 0 or -ENOMEM.
 */
int results_take_worker(struct results *results, const json_t *line);

#endif
