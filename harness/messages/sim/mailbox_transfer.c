/* Messages in simulation.
 *
 * SMPI keeps every message that its receiver found by MPI_Test in a list of the
 * receiver, for ever, and walks all of it at the end of each later one.  So a
 * receiver watches the message's memory and waits for the message once it is
 * there.
 *
 * SMPI also keeps one list of all messages in flight whose senders do not wait
 * (short ones by MPI_Send and MPI_Isend), and walks it at the end of each.
 * With thousands of ranks this takes longer than everything else.  So senders
 * keep what they send, and wait for it later.
 *
 * There are two exceptions.  In a rank with several threads each thread is a
 * rank of SMPI, and none can wait for another's messages.  If a message keeps
 * its receiver busy, SMPI charges this only if the sender does not wait. */
#include "harness/messages/mailbox.h"

#include "harness/engine/sim/world.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The content of a place until its message arrives.  A message that begins with
 * the same bytes is only seen by a receiver that waits for it; none begins
 * so. */
static const uint64_t no_message = UINT64_MAX;

struct mailbox_kept {
    MPI_Request request;
    double sent_s;
    char data[MAILBOX_SHORT];
};

/* Each message walks the sender's list of unfinished sends.  So the sender soon
 * waits for sends old enough to have arrived, which takes no simulated time.
 * If one has not arrived, the link is so full that the wait is real. */
enum { LISTED = 32 };
static const double COME_S = 100e-6;

/* Not in the caller's memory, where messages may be empty. */
static bool marks_empty(const struct mailbox *box)
{
    return box->memory == box->block && box->stride >= sizeof(no_message);
}

void mailbox_prepare(struct mailbox *box, int at)
{
    if (marks_empty(box))
        memcpy(box->memory + (size_t)at * box->stride, &no_message,
               sizeof(no_message));
}

bool mailbox_has_come(struct mailbox *box)
{
    int there = 0, at = box->oldest;
    if (!marks_empty(box)) {
        MPI_Test(&box->receive[at], &there, MPI_STATUS_IGNORE);
        return there;
    }
    if (memcmp(box->memory + (size_t)at * box->stride, &no_message,
               sizeof(no_message)) == 0)
        return false;
    MPI_Wait(&box->receive[at], MPI_STATUS_IGNORE);
    return true;
}

static bool keeps_early(const struct comm *comm)
{
    return comm->lanes == 1 && !world_charges_receivers();
}

/* False: the sender keeps none. */
static bool has_kept(struct mailbox *box)
{
    if (!keeps_early(box->comm) || box->kept_room == 0)
        return false;
    if (box->kept != NULL)
        return true;
    box->kept = calloc((size_t)box->kept_room, sizeof(*box->kept));
    return box->kept != NULL;
}

static struct mailbox_kept *oldest_kept(const struct mailbox *box)
{
    return &box->kept[box->waited % box->kept_room];
}

static void wait_for_oldest(struct mailbox *box)
{
    MPI_Wait(&oldest_kept(box)->request, MPI_STATUS_IGNORE);
    box->waited++;
}

void mailbox_send_short(struct mailbox *box, const void *data, int bytes,
                        int to, int tag)
{
    mailbox_count(box, bytes);
    if (!has_kept(box)) {
        MPI_Send(data, bytes, MPI_BYTE, to, tag, box->at);
        return;
    }
    double now = engine_now();
    while (box->next - box->waited >= LISTED &&
           now - oldest_kept(box)->sent_s > COME_S)
        wait_for_oldest(box);
    if (box->next - box->waited == box->kept_room)
        wait_for_oldest(box);
    struct mailbox_kept *kept = &box->kept[box->next++ % box->kept_room];
    kept->sent_s = now;
    memcpy(kept->data, data, (size_t)bytes);
    MPI_Issend(kept->data, bytes, MPI_BYTE, to, tag, box->at, &kept->request);
}

void mailbox_drain(struct mailbox *box)
{
    while (box->waited < box->next)
        wait_for_oldest(box);
    free(box->kept);
    box->kept = NULL;
}

void mailbox_send_long(struct mailbox *box, const void *data, int count,
                       MPI_Datatype type, int64_t bytes, int to, int tag)
{
    mailbox_count(box, bytes);
    if (keeps_early(box->comm))
        MPI_Issend(data, count, type, to, tag, box->at, mailbox_add(box));
    else
        MPI_Isend(data, count, type, to, tag, box->at, mailbox_add(box));
}
