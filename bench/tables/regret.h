/* What scheme auto chose, and what that cost over the best fixed choice in the
 * same result directory: a cell that differs from it in nothing but scheme,
 * hierarchy and sync interval. */
#ifndef BENCH_TABLES_REGRET_H
#define BENCH_TABLES_REGRET_H

#include "bench/results/results.h"

#include <stdio.h>

/* A row for each cell of scheme auto; nothing when there is none. */
int regret_print(FILE *out, const struct results *results, const char *dir,
                 struct error *err);

/* The candidates, predicted, tried and measured, as <dir>/auto.csv. */
int regret_store(const struct results *results, const char *dir,
                 struct error *err);

#endif
