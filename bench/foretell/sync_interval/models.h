/* The model's predictions for the cells of a result directory, by the
 * calibration in it: the columns that analysis/ puts next to measured times. */
#ifndef BENCH_FORETELL_SYNC_INTERVAL_MODELS_H
#define BENCH_FORETELL_SYNC_INTERVAL_MODELS_H

#include "base/error.h"
#include "bench/results/results.h"

#include <stdio.h>

/* Writes DIR/sync-model.csv by rename (columns: results/README.md): a line for
 * each cell with a sync interval and a calibrated loop.  Without lines no file.
 * Returns 0 or -errno with a text. */
int models_store(const char *dir, const struct results *results,
                 struct error *err);

/* dlsbench predict --of DIR: prints the same lines.  Returns an exit code. */
int models_command(const char *dir);

#endif
