/* The time in which a cache line moves from one core to another.  Some machines
 * have several states of it, which change the times of loops. */
#ifndef HARNESS_LAUNCH_HANDOVER_H
#define HARNESS_LAUNCH_HANDOVER_H

#include "harness/workers/context.h"

/* Half of a round trip between threads on the first two cores, in seconds, by
 * rank 0, while the other ranks sleep; about 0.1 ms.  Collective.  NAN: rank 0
 * may use one core only, the launch has one worker or several hosts, or it is a
 * simulation. */
double handover_measure(struct launch_context *context);

/* The same between the first two threads of a team, which run on the first two
 * cores meanwhile. */
double handover_of_team(const struct topo *topo, struct engine_team *team,
                        const struct engine_patience *patience);

#endif
