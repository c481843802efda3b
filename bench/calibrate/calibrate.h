/* dlsbench calibrate: measures this machine for the model of
 * sched/interval/interval.h. */
#ifndef BENCH_CALIBRATE_CALIBRATE_H
#define BENCH_CALIBRATE_CALIBRATE_H

#include "base/error.h"
#include "harness/measure/measure.h"

/* A measurement takes seconds; one that takes longer than this hangs. */
#define CALIBRATE_LIMIT_S 600.0

enum { CALIBRATE_KERNELS_MAX = 64 };

struct calibrate_request {
    const char *launcher; /* template */
    int workers;          /* of both kinds; 0: one per core */
    bool oversubscribe;   /* run even if workers share cores */
    bool ranks_only;
    bool only;   /* only the kernels below, without the usual ones */
    int kernels; /* measured in addition to the usual ones */
    struct measure_kernel kernel[CALIBRATE_KERNELS_MAX]; /* specs stay the
                                                            caller's */
};

/* Whether `path` can be written, before minutes are spent.  Returns 0 or
 * -errno. */
int calibrate_check_place(const char *path, struct error *err);

/* Measures with a launch for each kind, and writes `path`.  Returns 0 or
 * -errno; -EINTR: a signal came.  Free it with calibration_free. */
int calibrate_make(const struct calibrate_request *request, const char *path,
                   struct calibration *calibration, struct error *err);

/* Prints a calibration on stdout as a table. */
void calibrate_table(const struct calibration *calibration);

#endif
