/* The calibration behind the values that a campaign leaves to a model.  They
 * are the intervals of sync_interval auto, andronikos and chen-xue (see
 * bench/foretell/sync_interval/forecast.h), and the plans of protocol push. The
 * launch makes these plans from the calibration in the result directory. */
#ifndef BENCH_FORETELL_SYNC_INTERVAL_INTERVALS_H
#define BENCH_FORETELL_SYNC_INTERVAL_INTERVALS_H

#include "base/error.h"
#include "bench/simgrid/simulate.h"
#include "harness/cell/cell.h"
#include "harness/costs/calibration.h"

#include <stdbool.h>

/* Where the model's costs come from. */
struct intervals_source {
    const char *file;     /* --calibration; NULL: the default place */
    const char *launcher; /* for measuring this machine */
    bool oversubscribe; /* the campaign's; the calibration may do it as well */
    /* The open simulation; NULL: a native run.  Plans then use its platform.
     * Intervals use the costs of the platform, except for this machine:
     * bench/foretell/sync_interval/platform_costs.h. */
    const struct simulate *simulate;
};

struct intervals {
    struct calibration calibration;
    bool loaded;
    bool resolved; /* intervals_open was here */
};

/* Before there is a result directory: fills in sync_interval and predicted_s of
 * the cells that need it; without such a cell, does nothing.  If the default
 * place has no calibration, it measures this machine, with the kernels of the
 * plans.  This takes some 20 s, and stderr says so.  -EINVAL: the calibration
 * lacks the kernel of a plan. */
int intervals_open(struct intervals *intervals,
                   const struct intervals_source *source, struct cell *cells,
                   int count, struct error *err);

/* With the result directory: a calibration in it (of an earlier launch, of
 * another shard) counts, else this one is stored there. */
int intervals_settle(struct intervals *intervals,
                     const struct intervals_source *source, const char *dir,
                     struct cell *cells, int count, struct error *err);

void intervals_close(struct intervals *intervals);

/* The calibration of a result directory.  -ENOENT: it has none. */
int intervals_stored(const char *dir, struct calibration *calibration,
                     struct error *err);

#endif
