/* Estimates the time of cells before they run, to cut a campaign into jobs.
 *
 * The first available source is used:
 *     measured   the same cell in an earlier result directory
 *     alike      the same kernel there: its mean serial time over the workers,
 *                times the loss of its cells with as many workers against
 *                perfect scaling.  For other numbers of workers the loss is
 *                interpolated, and extrapolated by Amdahl's law
 *     model      the kernel's cost model times the calibrated time of an
 *                operation, over the workers (trace: without a calibration),
 *                times the loss of other kernels in the earlier directory
 *     limit      cell_seconds, or cell_timeout if that is less
 * A cell takes its serial passes, its warm-up and as many repetitions as the
 * policy may take. */
#ifndef BENCH_LAUNCHING_DRIVER_ESTIMATE_H
#define BENCH_LAUNCHING_DRIVER_ESTIMATE_H

#include "base/error.h"
#include "bench/results/results.h"
#include "harness/cell/cell.h"
#include "harness/costs/calibration.h"

#include <stdbool.h>

/* A kernel that was estimated: counting its operations may take a second (a
 * random matrix is made), so they are stored. */
struct estimate_kernel {
    char spec[SPEC_CANONICAL_MAX];
    double serial_s[CALIBRATION_KINDS]; /* NAN: unknown */
};

struct estimator {
    const struct policy *policy;
    struct results earlier;
    struct calibration calibration;
    bool has_earlier, has_calibration;
    struct estimate_kernel *kernel;
    int64_t kernels, room;
};

struct estimate {
    double seconds;
    double repetition_s, serial_s; /* NAN: unknown */
    const char *by;                /* measured | alike | model | limit */
};

/* `earlier`: a result directory, or NULL.  `calibration`: a file, or NULL for
 * this machine's, if it exists.  Returns 0 or -errno with a text. */
int estimator_open(struct estimator *estimator, const struct policy *policy,
                   const char *earlier, const char *calibration,
                   struct error *err);
void estimator_close(struct estimator *estimator);

/* The estimate of a checked cell. */
struct estimate estimate_cell(struct estimator *estimator,
                              const struct cell *cell);

/* Seconds of a cell under this policy, if a repetition takes `repetition_s` and
 * the loop takes one worker `serial_s`. */
double estimate_whole(const struct policy *policy, double repetition_s,
                      double serial_s);

#endif
