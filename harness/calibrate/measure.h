/* The calibrating launch: what `mpiexec ... dlsbench calibrate-launch` runs in
 * every rank.  One kind at a time: one rank with many threads, or many ranks
 * with a thread each. */
#ifndef HARNESS_CALIBRATE_MEASURE_H
#define HARNESS_CALIBRATE_MEASURE_H

#include <stdbool.h>

/* Every rank is given the same.  Rank 0 writes {"mpi": ..., "kind": ...}, see
 * calibration.h, to `path` and says errors in one line on stderr.  Returns the
 * exit code: 0 measured, 1 not. */
struct measure_plan {
    const char *path;
    int ranks, threads;
    bool oversubscribe; /* run even if workers share cores */
    int kernels;
    char *const *kernel; /* specs */
};
int measure_main(const struct measure_plan *plan);

#endif
