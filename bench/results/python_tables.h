/* The tables of a result directory besides its summary: on sync intervals,
 * perturbations, automatic selection and counted events. analysis/tables.py
 * makes them; this header decides when they are worth the start of Python. */
#ifndef BENCH_RESULTS_PYTHON_TABLES_H
#define BENCH_RESULTS_PYTHON_TABLES_H

#include "bench/results/results.h"

/* Whether the directory has data for such a table: several cells with a sync
 * interval, a perturbed cell, a cell of scheme auto, or explicitly requested
 * events. */
bool python_tables_fit(const struct results *results, const char *dir);

/* Prints these tables on stdout, if any, and with `store` writes the files that
 * results/README.md names.  Without Python a line on stderr says how to get
 * them: results are complete without. */
void python_tables_print(const struct results *results, const char *dir,
                         bool store);

#endif
