/* The calibrating launch: what `mpiexec ... dlsbench calibrate-launch` runs in
 * every rank.  One kind at a time: one rank with many threads, or many ranks
 * with a thread each. */
#ifndef HARNESS_MEASURE_MEASURE_H
#define HARNESS_MEASURE_MEASURE_H

#include "harness/costs/calibration.h"

#include <stdbool.h>

/* A kernel, and for a grid the widths of its blocks, ascending: none for the
 * usual ones. */
struct measure_kernel {
    const char *spec;
    int widths;
    int64_t width[CALIBRATION_BLOCKS];
};

/* As the driver hands them to a launch: a spec, after it perhaps its widths as
 * /100,200.  Returns the number of kernels, in `kernel` (free it); -EINVAL. */
int measure_kernels(int argc, char *const *argv,
                    struct measure_kernel **kernel);

/* Every rank is given the same.  Rank 0 writes {"mpi": ..., "kind": ...}, see
 * calibration.h, to `path` and says errors in one line on stderr.  Returns the
 * exit code: 0 measured, 1 not. */
struct measure_plan {
    const char *path;
    int ranks, threads;
    bool oversubscribe; /* run even if workers share cores */
    int kernels;
    const struct measure_kernel *kernel;
};
int measure_main(const struct measure_plan *plan);

#endif
