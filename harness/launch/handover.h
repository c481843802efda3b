/* The time of moving a cache line from one core to another.  Some machines have
 * several states of it, which change the times of loops. */
#ifndef HARNESS_LAUNCH_HANDOVER_H
#define HARNESS_LAUNCH_HANDOVER_H

#include "harness/workers/context.h"

/* Half of a round trip between threads on the first two cores, in seconds, at
 * rank 0, while the other ranks sleep; about 0.1 ms.  Collective.  NAN: rank 0
 * has only one core, the launch has one worker or several hosts, or it is
 * simulated. */
double handover_measure(struct launch_context *context);

/* handover_measure for the first two threads of a team, which temporarily run
 * on the first two cores. */
double handover_of_team(const struct topo *topo, struct engine_team *team,
                        const struct engine_patience *patience);

#endif
