/* How long cells will take: before they run, for cutting a campaign into jobs.
 *
 * In this order, as far as it is known:
 *     measured   the same cell in an earlier result directory
 *     alike      the same kernel there: its mean serial time over the workers,
 *                times what its cells of as many workers lose there to perfect
 *                scaling; of other numbers of workers that is interpolated,
 *                and extrapolated by Amdahl's law
 *     model      the kernel's cost model times what a calibration says that an
 *                operation costs, over the workers (trace: without one), times
 *                what other kernels lose in the earlier directory
 *     limit      cell_seconds, or cell_timeout if that is less
 * From the time of a repetition follows that of the cell: the serial passes
 * before it, the warm-up, and as many repetitions as the policy may take. */
#ifndef BENCH_LAUNCHING_DRIVER_ESTIMATE_H
#define BENCH_LAUNCHING_DRIVER_ESTIMATE_H

#include "base/error.h"
#include "bench/results/results.h"
#include "harness/cell/cell.h"
#include "harness/costs/calibration.h"

#include <stdbool.h>

/* A kernel that was asked for: its operations are counted once, which may take
 * a second (a random matrix is made). */
struct estimate_kernel {
    char spec[SPEC_CANONICAL_MAX];
    double serial_s[CALIBRATION_KINDS]; /* NAN: not known */
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
    double repetition_s, serial_s; /* NAN: not known */
    const char *by;                /* measured | alike | model | limit */
};

/* `earlier`: a result directory, or NULL.  `calibration`: a file, or NULL for
 * that of this machine, if there is one.  Returns 0 or -errno with a text. */
int estimator_open(struct estimator *estimator, const struct policy *policy,
                   const char *earlier, const char *calibration,
                   struct error *err);
void estimator_close(struct estimator *estimator);

/* Of a checked cell. */
struct estimate estimate_cell(struct estimator *estimator,
                              const struct cell *cell);

/* Of a policy: the seconds of a cell whose repetitions take `repetition_s` and
 * whose loop takes one worker `serial_s`. */
double estimate_whole(const struct policy *policy, double repetition_s,
                      double serial_s);

#endif
