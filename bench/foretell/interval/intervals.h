/* The calibration behind the values that a campaign leaves to a model: the
 * intervals of sync_interval auto, andronikos and chen-xue (see
 * bench/foretell/interval/forecast.h), and the plans of protocol push, which
 * the launch makes from the calibration in the result directory. */
#ifndef BENCH_FORETELL_INTERVAL_INTERVALS_H
#define BENCH_FORETELL_INTERVAL_INTERVALS_H

#include "base/error.h"
#include "bench/simgrid/simulate.h"
#include "harness/cell/cell.h"
#include "harness/costs/calibration.h"

#include <stdbool.h>

/* Whose costs the model takes. */
struct intervals_source {
    const char *file;     /* --calibration; NULL: the default place */
    const char *launcher; /* for measuring this machine */
    bool oversubscribe;   /* the campaign's: then measuring may, too */
    /* Of a simulation, open: plans are for its platform, and intervals for its
     * costs (bench/foretell/interval/platform_costs.h) unless it is this
     * machine.  NULL: natively. */
    const struct simulate *simulate;
};

struct intervals {
    struct calibration calibration;
    bool loaded;
    bool resolved; /* intervals_open was here */
};

/* Before there is a result directory: fills in sync_interval and predicted_s
 * of the cells that need it.  With nothing at the default place this machine is
 * measured first, with the kernels of the plans, which takes some 20 s and is
 * said on stderr.  -EINVAL: the calibration lacks the kernel of a plan.  Does
 * nothing when no cell asks for it. */
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
