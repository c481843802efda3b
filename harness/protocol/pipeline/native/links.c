#include "harness/protocol/pipeline/links_internal.h"

#include "base/pages.h"

#include <errno.h>
#include <string.h>

/* Looks for a piece for one look for notes. */
enum { LOOKS_PER_NOTE = 16 };

/* The end of a pass: all ranks must reach it. */
struct links_end {
    MPI_Request request;
    bool entered;
};

void links_send(struct links *links, int64_t edge, enum link_flow flow,
                int64_t complete, void *row)
{
    struct link_edge *e = &links->edge[edge];
    struct link_stream *stream = &e->stream[flow];
    invariant(complete <= links_columns(links, flow));
    int32_t other = links_other(e, links_producer(flow));
    bool inside = other == links->comm->rank + 1;
    /* One that is not known may turn out to be inside. */
    if (links->own.memory != NULL && (inside || other == 0))
        links_copy(links, stream, complete, row);
    if (inside) {
        engine_publish(&stream->complete, complete);
        return;
    }
    /* Under the lock, since another thread may learn the other end meanwhile:
     * one of both sends the columns. */
    comm_begin(links->comm);
    stream->row = row;
    engine_publish(&stream->complete, complete);
    if (links_other(e, links_producer(flow)) != links->comm->rank + 1)
        links_send_piece(links, edge, flow);
    comm_end(links->comm);
}

/* Receives the rest of the step's row, in as many pieces as arrive. */
static bool take_piece(struct links *links, int64_t edge, enum link_flow flow,
                       int64_t need, char *row)
{
    struct link_stream *stream = &links->edge[edge].stream[flow];
    int32_t other = links_other(&links->edge[edge], 1 - links_producer(flow));
    bool any = false;
    for (;;) {
        MPI_Status status;
        int arrived, bytes;
        int64_t here = links_complete(links, edge, flow);
        size_t first = (size_t)(here % links->columns);
        if (!stream->receiving) {
            if (here >= need)
                return any;
            MPI_Irecv(
                row + first * links->column_bytes,
                (int)(((size_t)links->columns - first) * links->column_bytes),
                MPI_BYTE, other - 1, links_tag(edge, flow), links->pieces,
                &stream->piece);
        }
        MPI_Test(&stream->piece, &arrived, &status);
        stream->receiving = !arrived;
        if (!arrived)
            return any;
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        invariant(bytes > 0 && (size_t)bytes % links->column_bytes == 0);
        engine_publish(&stream->complete,
                       here + bytes / (int64_t)links->column_bytes);
        any = true;
    }
}

/* Receives pieces of the stream; returns whether anything arrived. */
static bool receive_pieces(struct links *links, int64_t edge,
                           enum link_flow flow, int64_t need, void *row)
{
    int32_t other = links_other(&links->edge[edge], 1 - links_producer(flow));
    if (!links->remote || !comm_try(links->comm))
        return false;
    bool any = false, known = other != 0 && other != links->comm->rank + 1;
    if (known)
        any = take_piece(links, edge, flow, need, row);
    /* Notes of other ranks can wait a little; an arrived piece cannot. */
    if (!any && (!known || ++links->looks % LOOKS_PER_NOTE == 0))
        any = links_take_notes(links);
    comm_end(links->comm);
    return any;
}

/* Passes a moment, unless something moved or a master has served. */
static void pass_moment(struct links *links, struct engine_idle *idle,
                        bool moved)
{
    bool served = links->serve != NULL && links->serve(links->serve_arg, NULL);
    if (served || moved)
        *idle = (struct engine_idle){0};
    else
        engine_idle(idle, &links->patience, NULL);
}

uint64_t links_wait(struct links *links, int64_t edge, enum link_flow flow,
                    int64_t need, void *row)
{
    struct engine_progress *progress = &links->edge[edge].stream[flow].complete;
    struct engine_idle idle = {0};
    int32_t other = links_other(&links->edge[edge], 1 - links_producer(flow));
    bool inside = !links->remote || other == links->comm->rank + 1;
    if (inside && links->serve == NULL)
        return engine_wait_until(&links->patience, progress, need);
    uint64_t since = engine_ticks();
    invariant(need <= links_columns(links, flow));
    while (engine_reached(progress) < need)
        pass_moment(links, &idle, receive_pieces(links, edge, flow, need, row));
    return engine_ticks() - since;
}

bool links_progress(struct links *links)
{
    if (!links->remote || !comm_try(links->comm))
        return false;
    bool any = links_take_notes(links);
    comm_end(links->comm);
    return any;
}

/* Whether everything this rank has to send has left it. */
static bool all_sent(struct links *links)
{
    if (!links->remote)
        return true;
    if (!comm_try(links->comm))
        return false;
    mailbox_reap(&links->box);
    invariant(links->owed >= 0);
    bool done = links->owed == 0 && links->box.requests == 0;
    comm_end(links->comm);
    return done;
}

/* Whether all ranks have reached the end. */
static bool all_here(struct links *links, struct links_end *end)
{
    int done = 0;
    if (!links->remote)
        return true;
    if (!comm_try(links->comm))
        return false;
    if (!end->entered)
        MPI_Ibarrier(links->notes, &end->request);
    end->entered = true;
    MPI_Test(&end->request, &done, MPI_STATUS_IGNORE);
    comm_end(links->comm);
    return done != 0;
}

void links_finish(struct links *links, const _Atomic int *working)
{
    struct links_end end = {.entered = false};
    struct engine_idle idle = {0};
    for (;;) {
        bool any = links_progress(links);
        if ((working == NULL || atomic_load(working) == 0) && all_sent(links) &&
            all_here(links, &end))
            break;
        pass_moment(links, &idle, any);
    }
    if (!links->remote)
        return;
    mailbox_withdraw(&links->box);
    links->messages += links->box.messages;
    links->bytes += links->box.bytes;
}

/* ---- opening and closing ---- */

static int map_edges(struct links *links, int64_t edges, struct error *err)
{
    if (links->remote && links->steps > 1 && edges > LINK_TAGS)
        return error_set(err, ENOTSUP,
                         "several time steps over several ranks: at most %d "
                         "rows, not %lld, with placement sticky; use replan",
                         (int)LINK_TAGS, (long long)edges);
    links->mapped = (size_t)(edges + 1) * sizeof(*links->edge);
    links->edge = pages_map(links->mapped);
    if (links->edge == NULL)
        return error_set(err, ENOMEM,
                         "no memory for the boundaries of %lld chunks",
                         (long long)edges);
    return 0;
}

/* Between ranks. */
static int open_remote(struct links *links, struct error *err)
{
    MPI_Comm_dup(links->comm->all, &links->notes);
    MPI_Comm_dup(links->comm->all, &links->pieces);
    int code = links_open_box(links);
    if (code != 0)
        error_set(err, -code, "out of memory for boundaries");
    return comm_agree(links->comm, code, err);
}

int links_open(struct links *links, const struct comm *comm, int64_t edges,
               int64_t columns, size_t column_bytes, int64_t steps,
               struct error *err)
{
    *links = (struct links){.comm = comm,
                            .notes = MPI_COMM_NULL,
                            .columns = columns,
                            .column_bytes = column_bytes,
                            .steps = steps,
                            .remote = comm->ranks > 1};
    int code = map_edges(links, edges, err);
    if (links->remote)
        code = comm_agree(comm, code, err);
    if (code == 0 && links->remote)
        code = open_remote(links, err);
    if (code != 0)
        links_close(links);
    return code;
}

void links_close(struct links *links)
{
    pages_unmap(links->edge, links->mapped);
    links->edge = NULL;
    links_drop_rows(links);
    if (!links->remote || links->notes == MPI_COMM_NULL)
        return;
    MPI_Comm_free(&links->notes);
    MPI_Comm_free(&links->pieces);
    mailbox_close(&links->box);
}

void links_reset(struct links *links)
{
    memset(links->edge, 0,
           (size_t)atomic_load(&links->touched) * sizeof(*links->edge));
    atomic_store(&links->touched, 0);
    atomic_store(&links->own.taken, 0);
    links->owed = 0;
    if (!links->remote)
        return;
    mailbox_reset(&links->box);
    mailbox_post(&links->box, 1);
}
