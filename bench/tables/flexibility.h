/* The table of what schemes stand: the time of each perturbed cell over that
 * of the cell which differs from it only in that nothing goes wrong. */
#ifndef BENCH_TABLES_FLEXIBILITY_H
#define BENCH_TABLES_FLEXIBILITY_H

#include "bench/results/results.h"

#include <stdio.h>

/* Prints one block for each kernel, way to run and perturbation, a row for
 * each scheme; nothing where no cell is perturbed. */
int flexibility_print(FILE *out, const struct results *results,
                      struct error *err);

#endif
