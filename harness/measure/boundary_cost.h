/* The cost of a boundary from one worker to another: c_d and c_c.
 *
 * Two workers send pieces of a row to and fro over the links of DMPS
 * (harness/protocol/pipeline/links.h): between threads a progress counter,
 * between ranks messages.  As with boundaries, a piece is written just before
 * it is sent and read on arrival. One way is half of the round trip, as in
 * Andronikos et al., section 2.1.  As there, all pairs are measured, disjoint
 * ones at the same time (the rounds of a tournament), so that they contend as
 * in a loop. */
#ifndef HARNESS_MEASURE_BOUNDARY_COST_H
#define HARNESS_MEASURE_BOUNDARY_COST_H

#include "harness/costs/calibration.h"
#include "harness/measure/crew.h"

/* Pairs that boundary_measure measures: all of up to 64 workers; of more, 63
 * rounds spread over all. */
int boundary_pairs(int workers);

/* The two workers of match `match` of a round (0 to boundary_rounds - 1) of the
 * tournament, the lower one first.  match is 0 to workers / 2 - 1, rounded up.
 * False: one of them lacks a partner. */
int boundary_rounds(int workers);
bool boundary_match(int workers, int round, int match, int pair[2]);

/* Collective: fills kind->pair at rank 0.  All ranks return the same code. */
int boundary_measure(struct crew *crew, struct calibration_kind *kind,
                     struct error *err);

#endif
