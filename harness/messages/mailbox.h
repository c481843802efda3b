/* A mailbox: the messages of a rank while a loop runs.
 *
 * Receives: messages of one tag arrive in a ring of receives posted early, and
 * are taken out one by one, the oldest first.  On their way: a list of the
 * requests of unfinished sends and of receives of expected messages.  Short
 * messages are sent at once; the caller may then change the data.  Counts: the
 * number of messages and bytes that the rank has sent.
 *
 * A protocol opens one in each rank and uses the parts that it needs:
 *
 *     const struct mailbox_setup setup = {.comm = comm,
 *                                         .from = MPI_ANY_SOURCE,
 *                                         .tag = TAG_NOTE,
 *                                         .posted = 1,
 *                                         .count = sizeof(struct note)};
 *     code = mailbox_open(&box, &setup);          0 or -ENOMEM
 *
 *     mailbox_reset(&box);                        before each repetition
 *     mailbox_post(&box, 1);                      by the rank; then a barrier
 *
 *     comm_begin(comm);                           with MPI held:
 *     mailbox_send_short(&box, &note, sizeof(note), to, TAG_NOTE);
 *     mailbox_reap_old(&box);
 *     MPI_Isend(row, bytes, MPI_BYTE, to, TAG_ROW, comm->all,
 *               mailbox_add(&box));
 *     mailbox_count(&box, bytes);
 *     while ((note = mailbox_take(&box)) != NULL) {
 *         ...                                     uses the note
 *         mailbox_post(&box, 1);                  receives the next one
 *     }
 *     comm_end(comm);
 *
 *     mailbox_withdraw(&box);                     after the loop
 *     mailbox_drain(&box);
 *     mailbox_close(&box);
 *
 * One thread at a time uses a mailbox: with several threads in a rank, the one
 * that holds MPI (comm_begin).  Calls after mailbox_open never fail: if memory
 * runs out, mailbox_add waits for the oldest request. */
#ifndef HARNESS_MESSAGES_MAILBOX_H
#define HARNESS_MESSAGES_MAILBOX_H

#include "harness/messages/comm.h"

/* The longest of short messages, in bytes. */
enum { MAILBOX_SHORT = 48 };

/* How many requests a mailbox has room for without allocation. */
enum { MAILBOX_FEW = 4 };

struct mailbox_setup {
    const struct comm *comm;
    MPI_Comm at; /* communicator of its messages; 0: comm->all */
    /* The ring: at most `posted` receives (0: none) of up to `count` elements
     * of `type` (0: bytes) from one address, or from MPI_ANY_SOURCE. */
    int from, tag, posted, count;
    MPI_Datatype type;
    /* Whether messages are received in the caller's memory, `stride` bytes
     * apart (NULL: they are empty), or in memory that the mailbox allocates. */
    bool given;
    void *memory;
    size_t stride;
    int requests; /* most on their way at once, if known */
    int kept; /* in simulation: the most unsent short messages; the sender of
                 one more waits. 0: no limit */
};

struct mailbox {
    const struct comm *comm;
    MPI_Comm at;
    /* The ring: `posted` receives, the oldest at `oldest`. */
    int from, tag, count, room;
    MPI_Datatype type;
    int oldest, posted;
    char *memory;
    size_t stride;
    MPI_Request *receive;
    void *block; /* the allocated memory of these */
    /* Requests on their way. */
    MPI_Request *request, few[MAILBOX_FEW];
    int requests, requests_room;
    /* Short messages in simulation: those from number `waited` on are
     * unfinished; number i is at kept[i % kept_room]. */
    struct mailbox_kept *kept;
    int kept_room;
    int64_t next, waited;
    int64_t messages, bytes; /* sent since the reset */
};

/* The setup's comm and memory stay the caller's.  A mailbox must not be moved.
 * Returns 0 or -ENOMEM. */
int mailbox_open(struct mailbox *box, const struct mailbox_setup *setup);
/* Also closes a zeroed mailbox that was never opened. */
void mailbox_close(struct mailbox *box);

/* Before a repetition: clears receives, requests and counts. */
void mailbox_reset(struct mailbox *box);

/* ---- the ring of receives ---- */

/* Posts receives up to `most`, or as many as the ring has. */
void mailbox_post(struct mailbox *box, int most);

/* The request of the oldest receive, for a caller that also waits for other
 * requests (comm_pause); NULL: none is posted. */
static inline MPI_Request *mailbox_oldest(struct mailbox *box)
{
    return box->posted > 0 ? &box->receive[box->oldest] : NULL;
}

/* Whether the message of the oldest receive has arrived; its request is then
 * null. */
bool mailbox_has_come(struct mailbox *box);

/* Takes out the oldest receive if its message has arrived (its request may
 * already be null).  The message is valid until mailbox_post reaches its place
 * again.  NULL: not arrived. */
static inline void *mailbox_take(struct mailbox *box)
{
    int at = box->oldest;
    if (box->posted == 0)
        return NULL;
    bool there = box->receive[at] == MPI_REQUEST_NULL || mailbox_has_come(box);
    if (!there || comm_failed(box->comm))
        return NULL;
    box->oldest = at + 1 < box->room ? at + 1 : 0;
    box->posted--;
    return box->memory + (size_t)at * box->stride;
}

/* Cancels the posted receives: no message follows. */
void mailbox_withdraw(struct mailbox *box);

/* Called before a receive is posted at this place of the ring. */
void mailbox_prepare(struct mailbox *box, int at);

/* ---- sent and expected messages ---- */

static inline void mailbox_count(struct mailbox *box, int64_t bytes)
{
    box->messages++;
    box->bytes += bytes;
}

/* Sends and counts up to MAILBOX_SHORT bytes, which the caller may change
 * afterwards.  The receiver must be able to receive them without waiting for
 * this rank. */
void mailbox_send_short(struct mailbox *box, const void *data, int bytes,
                        int to, int tag);

/* Waits until all short messages are sent; by one thread after the loop. */
void mailbox_drain(struct mailbox *box);

/* Begins to send a message and counts it; the data must not change until it is
 * complete. bytes: of all `count` elements. */
void mailbox_send_long(struct mailbox *box, const void *data, int count,
                       MPI_Datatype type, int64_t bytes, int to, int tag);

/* The slot for one more request on its way; use it before the next call for
 * this mailbox. */
MPI_Request *mailbox_add(struct mailbox *box);

/* Removes complete requests.  In simulation, if there are many, it waits for
 * the oldest. */
void mailbox_reap(struct mailbox *box);

/* mailbox_reap, but only from time to time, for a caller that adds many
 * requests; returns whether it did. */
static inline bool mailbox_reap_old(struct mailbox *box)
{
    bool many = box->requests >= 64 && box->requests % 64 == 0;
    if (many)
        mailbox_reap(box);
    return many;
}

/* Waits for all messages on their way, the oldest first; without MPI held. */
void mailbox_await(struct mailbox *box, const struct engine_patience *patience);

#endif
