#include "harness/messages/mailbox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Allocates messages, aligned for any type, followed by the requests. */
static int open_ring(struct mailbox *box, const struct mailbox_setup *setup)
{
    size_t room = (size_t)setup->posted;
    size_t own = setup->given ? 0 : ((size_t)setup->count + 15) / 16 * 16;
    if (room == 0)
        return 0;
    box->block = calloc(room, own + sizeof(*box->receive));
    if (box->block == NULL)
        return -ENOMEM;
    box->memory = setup->given ? setup->memory : box->block;
    box->stride = setup->given ? setup->stride : own;
    box->receive = (void *)((char *)box->block + room * own);
    return 0;
}

/* Allocates the requests expected in advance. */
static int open_requests(struct mailbox *box, int requests)
{
    box->request = box->few;
    box->requests_room = MAILBOX_FEW;
    if (requests <= MAILBOX_FEW)
        return 0;
    box->request = malloc((size_t)requests * sizeof(*box->request));
    box->requests_room = requests;
    return box->request != NULL ? 0 : -ENOMEM;
}

int mailbox_open(struct mailbox *box, const struct mailbox_setup *setup)
{
    *box = (struct mailbox){
        .comm = setup->comm,
        .at = setup->at != (MPI_Comm)0 ? setup->at : setup->comm->all,
        .from = setup->from,
        .tag = setup->tag,
        .count = setup->count,
        .room = setup->posted,
        .type = setup->type != (MPI_Datatype)0 ? setup->type : MPI_BYTE,
        .kept_room = setup->kept};
    int code = open_ring(box, setup);
    if (code == 0)
        code = open_requests(box, setup->requests);
    if (code != 0)
        mailbox_close(box);
    return code;
}

void mailbox_close(struct mailbox *box)
{
    free(box->block);
    if (box->request != box->few)
        free(box->request);
    *box = (struct mailbox){.posted = 0};
}

void mailbox_reset(struct mailbox *box)
{
    box->oldest = 0;
    box->posted = 0;
    box->requests = 0;
    box->messages = 0;
    box->bytes = 0;
}

void mailbox_post(struct mailbox *box, int most)
{
    for (; box->posted < most && box->posted < box->room; box->posted++) {
        int at = (box->oldest + box->posted) % box->room;
        mailbox_prepare(box, at);
        comm_check(box->comm, MPI_Irecv(box->memory + (size_t)at * box->stride,
                                        box->count, box->type, box->from,
                                        box->tag, box->at, &box->receive[at]));
    }
}

void mailbox_withdraw(struct mailbox *box)
{
    for (; box->posted > 0; box->posted--) {
        MPI_Request *request =
            &box->receive[(box->oldest + box->posted - 1) % box->room];
        if (*request == MPI_REQUEST_NULL)
            continue;
        comm_check(box->comm, MPI_Cancel(request));
        comm_check(box->comm, MPI_Wait(request, MPI_STATUS_IGNORE));
    }
}

/* Makes room for one more request. */
static void grow_requests(struct mailbox *box)
{
    bool few = box->request == box->few;
    int room = box->requests_room * 2 + 64;
    MPI_Request *more =
        realloc(few ? NULL : box->request, (size_t)room * sizeof(*more));
    if (more != NULL) {
        if (few)
            memcpy(more, box->few, sizeof(box->few));
        box->request = more;
        box->requests_room = room;
        return;
    }
    comm_check(box->comm, MPI_Wait(&box->request[0], MPI_STATUS_IGNORE));
    box->requests--;
    memmove(box->request, box->request + 1,
            (size_t)box->requests * sizeof(*box->request));
}

MPI_Request *mailbox_add(struct mailbox *box)
{
    if (box->requests == box->requests_room)
        grow_requests(box);
    box->request[box->requests] = MPI_REQUEST_NULL;
    return &box->request[box->requests++];
}

void mailbox_reap(struct mailbox *box)
{
    comm_reap(box->comm, box->request, &box->requests);
}

void mailbox_await(struct mailbox *box, const struct engine_patience *patience)
{
    for (int i = 0; i < box->requests; i++)
        comm_wait(box->comm, patience, &box->request[i]);
    box->requests = 0;
}
