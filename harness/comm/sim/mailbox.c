/* Sending in simulation.
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

#include <stdlib.h>
#include <string.h>

struct mailbox_kept {
    MPI_Request request;
    char data[MAILBOX_SHORT];
};

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
