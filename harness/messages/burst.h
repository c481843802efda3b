/* The time that a small message costs its sender and its receiver, without
 * transit (o_s and o_r of the LogP model). */
#ifndef HARNESS_MESSAGES_BURST_H
#define HARNESS_MESSAGES_BURST_H

#include "harness/messages/comm.h"

struct burst {
    double send_s, receive_s;
    double one_way_s; /* half of a round trip, both included */
};

/* Collective: sends messages from rank 1 to rank 0, whose receives are posted,
 * for send_s and receive_s, and round trips between both; complete at rank 0.
 * With one rank: NANs. */
void burst_measure(const struct comm *comm, struct burst *burst);

#endif
