/* The calibrating launch: `mpiexec ... dlsbench calibrate-launch` runs it in
 * every rank.  It measures one kind: one rank with many threads, or many ranks
 * with one thread each. */
#ifndef HARNESS_MEASURE_MEASURE_H
#define HARNESS_MEASURE_MEASURE_H

#include "harness/costs/calibration.h"

#include <stdbool.h>

/* A kernel, and the widths of a grid's blocks, ascending; none: the usual
 * ones. */
struct measure_kernel {
    const char *spec;
    int widths;
    int64_t width[CALIBRATION_BLOCKS];
};

/* Reads the driver's arguments: a spec, perhaps with its widths as /100,200.
 * Sets `kernel` (free it) and returns the number of kernels, or -EINVAL. */
int measure_kernels(int argc, char *const *argv,
                    struct measure_kernel **kernel);

/* Every rank gets the same plan.  Rank 0 writes {"mpi": ..., "kind": ...}, see
 * calibration.h, to `path` and reports errors in one line on stderr.  Returns
 * the exit code: 0: measured, otherwise 1. */
struct measure_plan {
    const char *path;
    int ranks, threads;
    bool oversubscribe; /* run even if workers share cores */
    int kernels;
    const struct measure_kernel *kernel;
};
int measure_main(const struct measure_plan *plan);

#endif
