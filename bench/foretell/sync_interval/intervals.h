/* The calibration for values that a campaign leaves to a model: the intervals
 * of sync_interval auto, andronikos and chen-xue (see
 * bench/foretell/sync_interval/forecast.h), and the plans of protocol push.
 * The launch makes these plans from the calibration in the result directory. */
#ifndef BENCH_FORETELL_SYNC_INTERVAL_INTERVALS_H
#define BENCH_FORETELL_SYNC_INTERVAL_INTERVALS_H

#include "base/error.h"
#include "bench/simgrid/simulate.h"
#include "harness/cell/cell.h"
#include "harness/costs/calibration.h"

#include <stdbool.h>

/* The origin of the model's costs. */
struct intervals_source {
    const char *file;     /* --calibration; NULL: the default place */
    const char *launcher; /* for measuring this machine */
    bool oversubscribe;   /* the campaign's; also allowed while calibrating */
    /* The open simulation; NULL: a native run.  Plans then use its platform.
     * Intervals use the costs of the platform, unless it is this machine:
     * bench/foretell/sync_interval/platform_costs.h. */
    const struct simulate *simulate;
};

struct intervals {
    struct calibration calibration;
    bool loaded;
    bool resolved; /* intervals_open was called */
};

/* Before there is a result directory: sets sync_interval and predicted_s of the
 * cells that need it; without such a cell, does nothing.  If the default place
 * has no calibration, it measures this machine, with the kernels of the plans;
 * this takes some 20 s and is announced on stderr. -EINVAL: the calibration
 * lacks the kernel of a plan. */
int intervals_open(struct intervals *intervals,
                   const struct intervals_source *source, struct cell *cells,
                   int count, struct error *err);

/* With the result directory: uses a calibration in it (from an earlier launch
 * or another shard); otherwise stores this one there. */
int intervals_settle(struct intervals *intervals,
                     const struct intervals_source *source, const char *dir,
                     struct cell *cells, int count, struct error *err);

void intervals_close(struct intervals *intervals);

/* Reads the calibration of a result directory. -ENOENT: none. */
int intervals_stored(const char *dir, struct calibration *calibration,
                     struct error *err);

#endif
