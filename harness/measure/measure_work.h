#ifndef HARNESS_MEASURE_MEASURE_WORK_H
#define HARNESS_MEASURE_MEASURE_WORK_H

#include "harness/measure/crew.h"
#include "harness/measure/measure.h"

/* Collective: measures one kernel; `kernel` (with room for the costs) is
 * complete at rank 0.  All ranks return the same code; -EINVAL: a grid with
 * less than two rows for each worker. */
int work_measure(struct crew *crew, const struct measure_kernel *asked,
                 struct calibration_kernel *kernel, struct error *err);

/* How many times blocks of h columns start a row, in a chunk of `rows` rows
 * of which each lags `skew` columns. */
double work_row_starts(int64_t rows, int64_t columns, int skew, int64_t h);

#endif
