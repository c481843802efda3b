/* The cost of a kernel on each worker: c_p, and c_b of kernels with
 * dependences.
 *
 * All workers run it at the same time, because they share caches and memory in
 * a loop, too.  Independent iterations: up to 16 blocks of iterations, the same
 * for every worker, spread over the loop.  Grids: every worker runs a separate
 * chunk of rows / workers - 1 rows, in blocks of h columns and up to 16 time
 * steps without waiting; c_p and c_b come from a fit over h of
 *     time / points = c_p + c_b (rows started) / points
 * (the boundaries above the chunks hold meaningless values).  Blocks of single
 * widths: measured_blocks.c. */
#ifndef HARNESS_MEASURE_MEASURE_WORK_H
#define HARNESS_MEASURE_MEASURE_WORK_H

#include "harness/measure/crew.h"
#include "harness/measure/measure.h"

/* Collective: measures one kernel; `kernel` (with room for the costs) is
 * complete at rank 0.  All ranks return the same code; -EINVAL: a grid with
 * fewer than two rows per worker. */
int work_measure(struct crew *crew, const struct measure_kernel *asked,
                 struct calibration_kernel *kernel, struct error *err);

/* How often blocks of h columns start a row in a chunk of `rows` rows, if each
 * row lags `skew` columns. */
double work_row_starts(int64_t rows, int64_t columns, int skew, int64_t h);

#endif
