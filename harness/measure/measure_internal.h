/* The single measurements of a calibrating launch (measure.c). */
#ifndef HARNESS_MEASURE_MEASURE_INTERNAL_H
#define HARNESS_MEASURE_MEASURE_INTERNAL_H

#include "base/error.h"
#include "harness/costs/calibration.h"
#include "harness/measure/crew.h"
#include "harness/messages/comm.h"
#include "harness/repetition/repetition.h"

/* The cost of a chunk: c_sch. */

/* Collective, before all else.  Measures the launch's possible transports with
 * the null kernel under ss, so that all workers ask constantly.  Fills dispatch
 * and the workers' hosts and cores at rank 0.  All ranks return the same code;
 * -EBUSY: workers share cores. */
int dispatch_measure(struct launch_context *context, bool oversubscribe,
                     struct calibration_kind *kind, struct error *err);

/* Collective, after that: measures other charges of simulations
 * (kind->charge). */
int dispatch_charges(struct launch_context *context, bool oversubscribe,
                     struct calibration_kind *kind, struct error *err);

/* The cost of a boundary from one worker to another: c_d and c_c.
 *
 * Two workers exchange pieces of a row over the links of DMPS
 * (harness/protocol/pipeline/links.h): between threads a progress counter,
 * between ranks messages.  As with boundaries, a piece is written just before
 * it is sent and read on arrival.  One way is half of the round trip, as in
 * Andronikos et al., section 2.1.  All pairs are measured, disjoint ones at the
 * same time (the rounds of a tournament), so that they contend as in a loop. */

/* The number of pairs that boundary_measure measures: all for up to 64 workers;
 * beyond, 63 rounds spread over all. */
int boundary_pairs(int workers);

/* boundary_rounds: the rounds of the tournament. boundary_match: the two
 * workers of match `match` (0 to workers / 2 - 1, rounded up) of a round, the
 * lower one first.  False: one of them has no partner. */
int boundary_rounds(int workers);
bool boundary_match(int workers, int round, int match, int pair[2]);

/* Collective: fills kind->pair at rank 0.  All ranks return the same code. */
int boundary_measure(struct crew *crew, struct calibration_kind *kind,
                     struct error *err);

/* The cost of sending input data: g and G of Beaumont, Legrand and Robert.
 *
 * The rank of worker 0 sends through the port and the landings of protocol push
 * (harness/messages/input.h), to one rank after the other.  A message's time
 * lasts until its receiver's empty reply, minus half a round trip of empty
 * messages.  The data are never in a cache: each comes from another part of a
 * large store. */

/* The number of measured transfers: one to every rank but the first. */
int input_cost_count(const struct crew *crew);

/* Collective: fills kind->transfer at rank 0. */
void input_cost_measure(struct crew *crew, struct calibration_kind *kind);

/* How many messages per second a rank receives if all others send as fast as
 * they can: what a master can collect, by the size of results. */

/* Collective: fills kind->rate at rank 0 with medians of rounds.  With one rank
 * the rates stay unknown (NAN).  Returns 0, or -ENOMEM on all ranks. */
int rates_measure(const struct comm *comm, struct calibration_kind *kind,
                  struct error *err);

/* How the system shares a core between a worker and another busy process, in
 * time slices; a simulation needs it (harness/repetition/sim/time_slices.h).
 *
 * The last worker shares its core with a busy process, started as for a loaded
 * cell, and reads the clock constantly.  When the clock jumps, the busy process
 * had the core. */

/* Collective; `slices` is complete at rank 0, or empty (run 0) if the core was
 * not shared in slices.  All ranks return the same code. */
int slices_measure(struct crew *crew, struct calibration_slices *slices,
                   struct error *err);

#endif
