/* Sweeps over the synchronization interval: the predicted best h against the
 * best that was measured, as in Andronikos et al., table 2.
 *
 * A sweep is three or more given intervals of otherwise equal cells.  Its
 * theory comes from the calibration that the run has stored, and the times at
 * the predicted intervals from cells with sync_interval auto, andronikos and
 * chen-xue; where there is no such cell, and for the model without skew, they
 * are interpolated between the measured intervals (straight lines over
 * log h). */
#ifndef BENCH_TABLES_SWEEP_H
#define BENCH_TABLES_SWEEP_H

#include "base/error.h"
#include "bench/results/results.h"

#include <stdio.h>

/* Prints all sweeps of a directory's results: T over h, and the table of
 * optima.  Prints nothing when there are none. */
int sweep_print(FILE *out, const struct results *results, const char *dir,
                struct error *err);

/* Writes the same to DIR/sync-interval.txt, and the table of optima to
 * DIR/sync-interval.csv (columns in results/README.md).  No files when there is
 * no sweep. */
int sweep_store(const struct results *results, const char *dir,
                struct error *err);

#endif
