/* The progress display of a run. */
#ifndef BENCH_LAUNCHING_DRIVER_PROGRESS_H
#define BENCH_LAUNCHING_DRIVER_PROGRESS_H

#include "bench/launching/driver/launch_watch.h"
#include "bench/launching/progress_line.h"

#include <stddef.h>

/* Shows the state if it is time, or always with `last`. */
void progress_show(struct progress *progress, const struct watch *watch,
                   double now, bool last);

/* Seconds left when `fraction` (0 to 1) took `elapsed`; negative: unknown. */
double progress_left(double elapsed, double fraction);

/* The line: cells done, time left, current cell and, if it has more repetitions
 * than expected, its repetition. */
void progress_text(const struct watch *watch, double elapsed, char *text,
                   size_t size);

#endif
