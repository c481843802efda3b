/* The costs of a simulated platform in the form of a calibration, so that the
 * model of an interval describes the simulated cluster instead of this machine.
 * Messages cost as much as between SimGrid's ranks; an iteration its operations
 * over the speed of the worker's host; scheduling the cell's charges. */
#ifndef BENCH_FORETELL_SYNC_INTERVAL_PLATFORM_COSTS_H
#define BENCH_FORETELL_SYNC_INTERVAL_PLATFORM_COSTS_H

#include "base/error.h"
#include "bench/simgrid/simulate.h"
#include "harness/cell/cell.h"
#include "harness/costs/calibration.h"

/* The messages of one shape on one platform. */
struct platform_messages {
    const struct simulate_platform *platform; /* NULL: not asked yet */
    int ranks, threads;
    struct simulate_messages take;
};

/* Makes the calibration of a checked cell on a platform that simulate_open
 * opened from a file: its kernel, and one worker for each of the cell's.
 * messages caches SimGrid's last answer for further cells of the same shape;
 * zero it before the first call.  Free the calibration with calibration_free.
 * Returns 0 or a -errno with a text. */
int platform_costs(struct calibration *calibration,
                   struct platform_messages *messages,
                   const struct simulate *simulate, const struct cell *cell,
                   struct error *err);

#endif
