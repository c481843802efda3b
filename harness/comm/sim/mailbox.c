/* Messages in simulation.
 *
 * SMPI keeps a message whose receiver learned of it by MPI_Test in a list of
 * the receiver's, for ever, and passes through all of it at the end of each
 * later one.  So a receiver looks into the memory that the message comes to,
 * and waits for it when it is there.
 *
 * SMPI keeps one list of all messages in flight whose senders do not wait for
 * them (short ones by MPI_Send and MPI_Isend) and passes through all of it at
 * the end of each: with thousands of ranks that takes longer than everything
 * else.  So senders keep what they send, and wait for it later.  Not where a
 * rank has several threads: each is a rank of SMPI, and none of them can wait
 * for what another has sent; nor where a message keeps its receiver busy, which
 * SMPI charges only when the sender does not wait. */
#include "harness/comm/mailbox.h"

#include "harness/engine/sim/world.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What a place holds until its message has come.  A message that begins with
 * the same bytes is seen by those who wait for it only; none does. */
static const uint64_t no_message = UINT64_MAX;

struct mailbox_kept {
    MPI_Request request;
    char data[MAILBOX_SHORT];
};

/* Not in the caller's memory, where empty messages come, too. */
static bool marks(const struct mailbox *box)
{
    return box->memory == box->block && box->stride >= sizeof(no_message);
}

void mailbox_prepare(struct mailbox *box, int at)
{
    if (marks(box))
        memcpy(box->memory + (size_t)at * box->stride, &no_message,
               sizeof(no_message));
}

bool mailbox_has_come(struct mailbox *box)
{
    int there = 0, at = box->oldest;
    if (!marks(box)) {
        MPI_Test(&box->receive[at], &there, MPI_STATUS_IGNORE);
        return there;
    }
    if (memcmp(box->memory + (size_t)at * box->stride, &no_message,
               sizeof(no_message)) == 0)
        return false;
    MPI_Wait(&box->receive[at], MPI_STATUS_IGNORE);
    return true;
}

static bool keeps(const struct comm *comm)
{
    return comm->lanes == 1 && !world_charges_receivers();
}

/* False: the sender keeps none. */
static bool has_kept(struct mailbox *box)
{
    if (!keeps(box->comm) || box->kept_room == 0)
        return false;
    if (box->kept != NULL)
        return true;
    box->kept = calloc((size_t)box->kept_room, sizeof(*box->kept));
    for (int i = 0; box->kept != NULL && i < box->kept_room; i++)
        box->kept[i].request = MPI_REQUEST_NULL;
    return box->kept != NULL;
}

void mailbox_send_short(struct mailbox *box, const void *data, int bytes,
                        int to, int tag)
{
    mailbox_count(box, bytes);
    if (!has_kept(box)) {
        MPI_Send(data, bytes, MPI_BYTE, to, tag, box->at);
        return;
    }
    struct mailbox_kept *kept = &box->kept[box->next++ % box->kept_room];
    MPI_Wait(&kept->request, MPI_STATUS_IGNORE);
    memcpy(kept->data, data, (size_t)bytes);
    MPI_Issend(kept->data, bytes, MPI_BYTE, to, tag, box->at, &kept->request);
}

void mailbox_drain(struct mailbox *box)
{
    for (int i = 0; box->kept != NULL && i < box->kept_room; i++)
        MPI_Wait(&box->kept[i].request, MPI_STATUS_IGNORE);
    free(box->kept);
    box->kept = NULL;
}

void mailbox_send_long(struct mailbox *box, const void *data, int count,
                       MPI_Datatype type, int64_t bytes, int to, int tag)
{
    mailbox_count(box, bytes);
    if (keeps(box->comm))
        MPI_Issend(data, count, type, to, tag, box->at, mailbox_add(box));
    else
        MPI_Isend(data, count, type, to, tag, box->at, mailbox_add(box));
}
