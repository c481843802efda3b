/* Shared only by the simulated files of this room. */
#ifndef HARNESS_MESSAGES_SIM_MESSAGES_INTERNAL_H
#define HARNESS_MESSAGES_SIM_MESSAGES_INTERNAL_H

#include "harness/messages/comm.h"

/* The most requests on their way to a master.  Natively a message travels even
 * if its receive is not posted.  In simulation it departs when the receive is
 * posted, so with one receive a master would wait for the latency of every
 * message.  More than a few dozen take longer to simulate, because all share
 * the link, and change nothing. */
enum { COMM_POSTED = 16, COMM_LANDING = 32 };

/* The settings of all simulated communicators. */
static inline void comm_simulate(struct comm *comm)
{
    comm->posted = COMM_POSTED;
    comm->landing = COMM_LANDING;
    comm->one_process = comm->hollow = comm->late = comm->moving = true;
}

#endif
