/* Sends pieces of a row to another rank; called with MPI held. */
#include "harness/protocol/pipeline/links_internal.h"

enum { TAG_PIECE = 2 };

int links_tag(int64_t edge, enum link_flow flow)
{
    return TAG_PIECE + 2 * (int)(edge % LINK_TAGS) + (int)flow;
}

/* Sends complete, unsent columns.  All are in one step: a producer begins the
 * next only when the other end is known and has all of this one. */
void links_send_piece(struct links *links, int64_t edge, enum link_flow flow)
{
    struct link_stream *stream = &links->edge[edge].stream[flow];
    int32_t other = links_other(&links->edge[edge], links_producer(flow));
    int64_t complete = links_complete(links, edge, flow);
    if (other == 0 || complete <= stream->sent)
        return;
    size_t first = (size_t)(stream->sent % links->columns);
    /* The row has all of it, and the message stays within the step. */
    invariant(stream->row != NULL &&
              (int64_t)first + complete - stream->sent <= links->columns);
    size_t bytes = (size_t)(complete - stream->sent) * links->column_bytes;
    MPI_Request request;
    int left;
    MPI_Isend(stream->row + first * links->column_bytes, (int)bytes, MPI_BYTE,
              other - 1, links_tag(edge, flow), links->pieces, &request);
    MPI_Test(&request, &left, MPI_STATUS_IGNORE);
    if (!left) {
        mailbox_reap_old(&links->box);
        *mailbox_add(&links->box) = request;
    }
    mailbox_count(&links->box, (int64_t)bytes);
    stream->sent = complete;
    links->owed -= complete == links_columns(links, flow);
}
