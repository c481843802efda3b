/* The cost of a chunk: c_sch. */
#ifndef HARNESS_MEASURE_DISPATCH_H
#define HARNESS_MEASURE_DISPATCH_H

#include "harness/costs/calibration.h"
#include "harness/repetition/run.h"

/* Collective, before all else.  Measures the launch's possible transports with
 * the null kernel under ss, so that all workers ask all the time.  Fills
 * dispatch and the workers' hosts and cores at rank 0.  All ranks return the
 * same code; -EBUSY: workers share cores. */
int dispatch_measure(struct launch_context *context, bool oversubscribe,
                     struct calibration_kind *kind, struct error *err);

/* Collective, after that: the other charges of simulations (kind->charge). */
int dispatch_charges(struct launch_context *context, bool oversubscribe,
                     struct calibration_kind *kind, struct error *err);

#endif
