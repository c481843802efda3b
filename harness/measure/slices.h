/* How the system shares a core between a worker and another busy process, in
 * time slices; a simulation needs it (harness/repetition/sim/time_slices.h).
 *
 * The last worker shares its core with a busy process, started as for a loaded
 * cell, and reads the clock all the time.  When the clock jumps, the busy
 * process had the core. */
#ifndef HARNESS_MEASURE_SLICES_H
#define HARNESS_MEASURE_SLICES_H

#include "harness/costs/calibration.h"
#include "harness/measure/crew.h"

/* Collective; `slices` is complete at rank 0, empty (run 0) where the core was
 * not shared in slices.  All ranks return the same code. */
int slices_measure(struct crew *crew, struct calibration_slices *slices,
                   struct error *err);

#endif
