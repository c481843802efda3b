/* The cost of a small message for its sender and its receiver, without its
 * transit time (o_s and o_r of the LogP model). */
#ifndef HARNESS_MESSAGES_BURST_H
#define HARNESS_MESSAGES_BURST_H

#include "harness/messages/comm.h"

struct burst {
    double send_s, receive_s;
    double one_way_s; /* half of a round trip, both included */
};

/* Collective: messages between ranks 0 and 1, from 1 to 0, which has posted its
 * receives, for send_s and receive_s; complete at rank 0.  With one rank there
 * are no messages: NANs. */
void burst_measure(const struct comm *comm, struct burst *burst);

#endif
