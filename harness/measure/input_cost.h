/* The cost of sending input data: g and G of Beaumont, Legrand and Robert.
 *
 * The rank of worker 0 sends through the port and the landings that protocol
 * push uses (harness/messages/input.h), to one rank after the other.  A message
 * is timed from its start until its receiver says, by an empty one, that it has
 * come; half of the round trip of empty messages is subtracted.  The data are
 * fresh: they come from another part of a large store each time. */
#ifndef HARNESS_MEASURE_INPUT_COST_H
#define HARNESS_MEASURE_INPUT_COST_H

#include "harness/costs/calibration.h"
#include "harness/measure/crew.h"

/* The measured transfers: to every rank but the first. */
int input_cost_count(const struct crew *crew);

/* Collective: fills kind->transfer at rank 0. */
void input_cost_measure(struct crew *crew, struct calibration_kind *kind);

#endif
