/* Messages of MPI: it copies short ones; long ones stay on their way. */
#include "harness/messages/mailbox.h"

bool mailbox_has_come(struct mailbox *box)
{
    int there = 0;
    comm_check(box->comm,
               MPI_Test(&box->receive[box->oldest], &there, MPI_STATUS_IGNORE));
    return there;
}

void mailbox_prepare(struct mailbox *box, int at)
{
    (void)box, (void)at;
}

void mailbox_send_short(struct mailbox *box, const void *data, int bytes,
                        int to, int tag)
{
    comm_check(box->comm, MPI_Send(data, bytes, MPI_BYTE, to, tag, box->at));
    mailbox_count(box, bytes);
}

void mailbox_drain(struct mailbox *box)
{
    (void)box;
}

void mailbox_send_long(struct mailbox *box, const void *data, int count,
                       MPI_Datatype type, int64_t bytes, int to, int tag)
{
    comm_check(box->comm, MPI_Isend(data, count, type, to, tag, box->at,
                                    mailbox_add(box)));
    mailbox_count(box, bytes);
}
