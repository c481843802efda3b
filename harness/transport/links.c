#include "harness/transport/links.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { TAG_NOTE = 1, TAG_PIECE = 2 };
enum { LINK_ANSWER = 2 }; /* a note from the home */
/* Looks for a piece for one look for notes. */
enum { LOOKS_PER_NOTE = 16 };

/* The end of a pass: all ranks come to it. */
struct links_end {
    MPI_Request request;
    bool entered;
};

/* ---- messages; called with MPI held ---- */

/* Takes out what has left. */
static void reap_sends(struct links *links)
{
    int kept = 0;
    for (int i = 0; i < links->send_count; i++) {
        int done;
        MPI_Test(&links->sends[i], &done, MPI_STATUS_IGNORE);
        if (!done)
            links->sends[kept++] = links->sends[i];
    }
    links->send_count = kept;
}

static void keep_send(struct links *links, MPI_Request request)
{
    if (links->send_count == links->send_room)
        reap_sends(links);
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

static void send_note(struct links *links, int to, int64_t edge, int end,
                      int rank)
{
    struct link_note note = {edge, end, rank};
    MPI_Send(&note, sizeof(note), MPI_BYTE, to, TAG_NOTE, links->notes);
    links->messages++;
    links->bytes += (int64_t)sizeof(note);
}

static int piece_tag(int64_t edge, enum link_way way)
{
    return TAG_PIECE + 2 * (int)(edge % LINK_TAGS) + (int)way;
}

/* Columns that a stream carries in all. */
static int64_t stream_columns(const struct links *links, enum link_way way)
{
    return (way == LINK_DOWN ? links->steps : links->steps - 1) *
           links->columns;
}

static enum link_end producer(enum link_way way)
{
    return way == LINK_DOWN ? LINK_PREDECESSOR : LINK_SUCCESSOR;
}

/* Where the other end is, rank + 1, for one that is here. */
static int32_t other_of(const struct link_edge *edge, enum link_end end)
{
    return atomic_load_explicit(&edge->other[end], memory_order_relaxed);
}

/* What is complete and has not been sent.  All of it lies in one step: a
 * producer goes on to the next only when the other end is known and has all
 * of this one. */
static bool send_piece(struct links *links, int64_t edge, enum link_way way)
{
    struct link_stream *stream = &links->edge[edge].stream[way];
    int32_t other = other_of(&links->edge[edge], producer(way));
    int64_t complete = links_complete(links, edge, way);
    if (other == 0 || complete <= stream->sent)
        return false;
    size_t first = (size_t)(stream->sent % links->columns);
    size_t bytes = (size_t)(complete - stream->sent) * links->column_bytes;
    MPI_Request request;
    int left;
    MPI_Isend(stream->row + first * links->column_bytes, (int)bytes, MPI_BYTE,
              other - 1, piece_tag(edge, way), links->pieces, &request);
    MPI_Test(&request, &left, MPI_STATUS_IGNORE);
    if (!left)
        keep_send(links, request);
    links->messages++;
    links->bytes += (int64_t)bytes;
    stream->sent = complete;
    links->owed -= complete == stream_columns(links, way);
    return true;
}

/* ---- registration; called with MPI held ---- */

static int home_of(const struct links *links, int64_t edge)
{
    return (int)(edge % links->comm->ranks);
}

/* The way that an end of this rank feeds, when it feeds one. */
static bool feeds(const struct links *links, enum link_end end,
                  enum link_way *way)
{
    *way = end == LINK_PREDECESSOR ? LINK_DOWN : LINK_UP;
    return stream_columns(links, *way) > 0;
}

/* The other end of one of this rank's edges is at `rank`. */
static void meet(struct links *links, int64_t edge, int rank)
{
    struct link_edge *e = &links->edge[edge];
    bool inside = rank == links->comm->rank;
    for (int end = 0; end < 2; end++) {
        enum link_way way;
        if (!e->here[end])
            continue;
        atomic_store_explicit(&e->other[end], rank + 1, memory_order_relaxed);
        if (!feeds(links, end, &way))
            continue;
        if (inside)
            links->owed--;
        else
            send_piece(links, edge, way);
    }
}

static void tell(struct links *links, int to, int64_t edge, int rank)
{
    if (to == links->comm->rank)
        meet(links, edge, rank);
    else
        send_note(links, to, edge, LINK_ANSWER, rank);
}

static void touch(struct links *links, int64_t edge)
{
    if (edge >= atomic_load_explicit(&links->touched, memory_order_relaxed))
        atomic_store_explicit(&links->touched, edge + 1, memory_order_relaxed);
}

/* At the home: the second of the two ends brings both together. */
static void at_home(struct links *links, int64_t edge, int end, int rank)
{
    struct link_edge *e = &links->edge[edge];
    int other = e->registered[1 - end] - 1;
    touch(links, edge);
    e->registered[end] = rank + 1;
    if (other < 0)
        return;
    tell(links, rank, edge, other);
    if (other != rank)
        tell(links, other, edge, rank);
}

/* ---- what protocols call ---- */

void links_register(struct links *links, int64_t edge, enum link_end end)
{
    enum link_way way;
    if (!links->remote) {
        /* Several threads: the largest stays. */
        int64_t touched = atomic_load(&links->touched);
        while (edge >= touched && !atomic_compare_exchange_weak(
                                      &links->touched, &touched, edge + 1))
            ;
        return;
    }
    int home = home_of(links, edge);
    comm_begin(links->comm);
    touch(links, edge);
    links->edge[edge].here[end] = true;
    links->owed += feeds(links, end, &way);
    if (home == links->comm->rank)
        at_home(links, edge, end, home);
    else
        send_note(links, home, edge, end, links->comm->rank);
    comm_end(links->comm);
}

void links_send(struct links *links, int64_t edge, enum link_way way,
                int64_t complete, void *row)
{
    struct link_edge *e = &links->edge[edge];
    struct link_stream *stream = &e->stream[way];
    if (other_of(e, producer(way)) == links->comm->rank + 1) {
        engine_publish(&stream->complete, complete);
        return;
    }
    comm_begin(links->comm);
    stream->row = row;
    engine_publish(&stream->complete, complete);
    if (other_of(e, producer(way)) != links->comm->rank + 1)
        send_piece(links, edge, way);
    comm_end(links->comm);
}

static void listen_for_notes(struct links *links)
{
    MPI_Irecv(&links->note, sizeof(links->note), MPI_BYTE, MPI_ANY_SOURCE,
              TAG_NOTE, links->notes, &links->incoming);
}

static bool take_notes(struct links *links)
{
    bool any = false;
    for (;;) {
        int arrived;
        MPI_Test(&links->incoming, &arrived, MPI_STATUS_IGNORE);
        if (!arrived)
            return any;
        struct link_note note = links->note;
        listen_for_notes(links);
        if (note.end == LINK_ANSWER)
            meet(links, note.edge, note.rank);
        else
            at_home(links, note.edge, note.end, note.rank);
        any = true;
    }
}

/* Receives the rest of the step's row, in as many pieces as it comes. */
static bool take_piece(struct links *links, int64_t edge, enum link_way way,
                       int64_t need, char *row)
{
    struct link_stream *stream = &links->edge[edge].stream[way];
    int32_t other = other_of(&links->edge[edge], 1 - producer(way));
    bool any = false;
    for (;;) {
        MPI_Status status;
        int arrived, bytes;
        int64_t here = links_complete(links, edge, way);
        size_t first = (size_t)(here % links->columns);
        if (!stream->receiving) {
            if (here >= need)
                return any;
            MPI_Irecv(
                row + first * links->column_bytes,
                (int)(((size_t)links->columns - first) * links->column_bytes),
                MPI_BYTE, other - 1, piece_tag(edge, way), links->pieces,
                &stream->piece);
        }
        MPI_Test(&stream->piece, &arrived, &status);
        stream->receiving = !arrived;
        if (!arrived)
            return any;
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        engine_publish(&stream->complete,
                       here + bytes / (int64_t)links->column_bytes);
        any = true;
    }
}

/* Lets pieces of the stream come in; whether anything moved. */
static bool receive(struct links *links, int64_t edge, enum link_way way,
                    int64_t need, void *row)
{
    int32_t other = other_of(&links->edge[edge], 1 - producer(way));
    if (!links->remote || !comm_try(links->comm))
        return false;
    bool any = false, known = other != 0 && other != links->comm->rank + 1;
    if (known)
        any = take_piece(links, edge, way, need, row);
    /* Others' questions wait a little; a piece that arrives does not. */
    if (!any && (!known || ++links->looks % LOOKS_PER_NOTE == 0))
        any = take_notes(links);
    comm_end(links->comm);
    return any;
}

/* Passes a moment, unless something moved or a master has served. */
static void pass_moment(struct links *links, struct engine_idle *idle,
                        bool moved)
{
    bool served = links->serve != NULL && links->serve(links->serve_arg);
    if (served || moved)
        *idle = (struct engine_idle){0};
    else
        engine_idle(idle, &links->patience, NULL);
}

uint64_t links_wait(struct links *links, int64_t edge, enum link_way way,
                    int64_t need, void *row)
{
    struct engine_progress *progress = &links->edge[edge].stream[way].complete;
    struct engine_idle idle = {0};
    int32_t other = other_of(&links->edge[edge], 1 - producer(way));
    bool inside = !links->remote || other == links->comm->rank + 1;
    if (inside && links->serve == NULL)
        return engine_wait_until(&links->patience, progress, need);
    uint64_t since = engine_ticks();
    while (engine_reached(progress) < need)
        pass_moment(links, &idle, receive(links, edge, way, need, row));
    return engine_ticks() - since;
}

bool links_progress(struct links *links)
{
    if (!links->remote || !comm_try(links->comm))
        return false;
    bool any = take_notes(links);
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
    reap_sends(links);
    bool done = links->owed == 0 && links->send_count == 0;
    comm_end(links->comm);
    return done;
}

/* Collective in time: true when all ranks have come here. */
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
    MPI_Cancel(&links->incoming);
    MPI_Wait(&links->incoming, MPI_STATUS_IGNORE);
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
    void *memory = mmap(NULL, links->mapped, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return error_set(err, ENOMEM,
                         "no memory for the boundaries of %lld chunks",
                         (long long)edges);
    links->edge = memory;
    return 0;
}

int links_open(struct links *links, const struct comm *comm, int64_t edges,
               int64_t columns, size_t column_bytes, int64_t steps,
               struct error *err)
{
    *links = (struct links){.comm = comm,
                            .columns = columns,
                            .column_bytes = column_bytes,
                            .steps = steps,
                            .remote = comm->ranks > 1,
                            .incoming = MPI_REQUEST_NULL};
    int code = map_edges(links, edges, err);
    if (links->remote)
        code = comm_agree(comm, code, err);
    if (code != 0) {
        if (links->edge != NULL)
            munmap(links->edge, links->mapped);
        links->edge = NULL;
        return code;
    }
    if (links->remote) {
        MPI_Comm_dup(comm->all, &links->notes);
        MPI_Comm_dup(comm->all, &links->pieces);
    }
    return 0;
}

void links_close(struct links *links)
{
    if (links->edge == NULL)
        return;
    munmap(links->edge, links->mapped);
    if (links->remote) {
        MPI_Comm_free(&links->notes);
        MPI_Comm_free(&links->pieces);
    }
    free(links->sends);
    links->edge = NULL;
}

void links_reset(struct links *links)
{
    memset(links->edge, 0,
           (size_t)atomic_load(&links->touched) * sizeof(*links->edge));
    atomic_store(&links->touched, 0);
    links->owed = 0;
    links->send_count = 0;
    if (links->remote)
        listen_for_notes(links);
}
