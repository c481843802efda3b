/* Shared by the simulated files of this room only. */
#ifndef HARNESS_MESSAGES_SIM_MESSAGES_INTERNAL_H
#define HARNESS_MESSAGES_SIM_MESSAGES_INTERNAL_H

#include "harness/messages/comm.h"

/* Requests on their way to a master at a time.  Natively a message travels
 * whether its receive is posted or not; here it sets out when it is posted,
 * so that one receive at a time would make a master wait for every message's
 * latency.  More than a few dozen at a time cost time to simulate, because
 * all share the link, and bring nothing. */
enum { COMM_POSTED = 16, COMM_LANDING = 32 };

/* Common settings of all simulated ranks' communicators. */
static inline void comm_simulate(struct comm *comm)
{
    comm->posted = COMM_POSTED;
    comm->landing = COMM_LANDING;
    comm->one_process = comm->hollow = comm->late = comm->moving = true;
}

#endif
