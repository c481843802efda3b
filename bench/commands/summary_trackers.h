/* The times of a result directory in formats of programs that track them over
 * years (docs/trackers.md).  Leaves out cells that failed, are incomplete, did
 * not verify or are not ranked, so that no reader takes them for good ones. */
#ifndef BENCH_COMMANDS_SUMMARY_TRACKERS_H
#define BENCH_COMMANDS_SUMMARY_TRACKERS_H

#include "bench/results/results.h"

#include <stdio.h>

#define TRACKER_FORMATS "google-benchmark", "bencher", "openmetrics"
#define TRACKER_FORMAT_WORDS "google-benchmark|bencher|openmetrics"

/* Writes each cell in `format`, an index of TRACKER_FORMATS, and a line on
 * stderr about omitted cells.  Returns the number of written cells. */
int trackers_write(const struct results *results, int format, FILE *out);

#endif
