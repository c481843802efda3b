/* Pieces of a row on their way to another rank; called with MPI held. */
#include "harness/dependence/links_parts.h"

#include <stdlib.h>

enum { TAG_PIECE = 2 };

void links_reap(struct links *links)
{
    links->send_count = comm_reap(links->comm, links->sends, links->send_count);
}

static void keep_send(struct links *links, MPI_Request request)
{
    if (links->send_count == links->send_room)
        links_reap(links);
    if (links->send_count >= links->send_room / 2) {
        int room = links->send_room * 2 + 64;
        MPI_Request *more = realloc(links->sends, (size_t)room * sizeof(*more));
        if (more == NULL)
            abort(); /* a few bytes: nothing sensible is left */
        links->sends = more;
        links->send_room = room;
    }
    links->sends[links->send_count++] = request;
}

int links_tag(int64_t edge, enum link_way way)
{
    return TAG_PIECE + 2 * (int)(edge % LINK_TAGS) + (int)way;
}

/* Complete columns that have not been sent.  All are in one step: a producer
 * begins the next only when the other end is known and has all of this one. */
void links_send_piece(struct links *links, int64_t edge, enum link_way way)
{
    struct link_stream *stream = &links->edge[edge].stream[way];
    int32_t other = links_other(&links->edge[edge], links_producer(way));
    int64_t complete = links_complete(links, edge, way);
    if (other == 0 || complete <= stream->sent)
        return;
    size_t first = (size_t)(stream->sent % links->columns);
    size_t bytes = (size_t)(complete - stream->sent) * links->column_bytes;
    MPI_Request request;
    int left;
    MPI_Isend(stream->row + first * links->column_bytes, (int)bytes, MPI_BYTE,
              other - 1, links_tag(edge, way), links->pieces, &request);
    MPI_Test(&request, &left, MPI_STATUS_IGNORE);
    if (!left)
        keep_send(links, request);
    links->messages++;
    links->bytes += (int64_t)bytes;
    stream->sent = complete;
    links->owed -= complete == links_columns(links, way);
}
