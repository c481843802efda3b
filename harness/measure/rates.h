/* How many messages a second a rank takes in when all others send to it as fast
 * as they can: what a master can collect, by the size of the results. */
#ifndef HARNESS_MEASURE_RATES_H
#define HARNESS_MEASURE_RATES_H

#include "base/error.h"
#include "harness/costs/calibration.h"
#include "harness/messages/comm.h"

/* Collective: fills kind->rate at rank 0, medians of rounds.  With one rank
 * there are no messages, and the rates stay unknown (NAN).  Returns 0, or
 * -ENOMEM on all ranks. */
int rates_measure(const struct comm *comm, struct calibration_kind *kind,
                  struct error *err);

#endif
