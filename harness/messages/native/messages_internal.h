/* Shared by the files of this room for ranks in separate processes, whether
 * real or SMPI's. */
#ifndef HARNESS_MESSAGES_NATIVE_MESSAGES_INTERNAL_H
#define HARNESS_MESSAGES_NATIVE_MESSAGES_INTERNAL_H

#include "harness/messages/comm.h"

/* Large arrays are sent in parts whose size fits an int. */
enum { COMM_PART = 1 << 28 };

/* The bytes of the part that begins at `at`. */
static inline int comm_part(size_t bytes, size_t at)
{
    return (int)(bytes - at < COMM_PART ? bytes - at : COMM_PART);
}

/* Collective steps are nonblocking, and wait through the engine. */
void comm_wait_quietly(const struct comm *comm, MPI_Request *request);

/* comm_settle sets how an adopted communicator waits; comm_unsettle ends it. */
void comm_settle(struct comm *comm);
void comm_unsettle(struct comm *comm);

#endif
