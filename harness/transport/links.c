#include "harness/transport/links.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { TAG_NOTE = 1, TAG_PIECE = 2, TAG_PIECES = 1 << 14 };
enum { END_PREDECESSOR, END_SUCCESSOR, END_ANSWER };

/* ---- lists ---- */

static void *list_add(struct link_list *list, size_t size)
{
    if (list->count == list->room) {
        int room = list->room * 2 + 64;
        void *more = realloc(list->item, (size_t)room * size);
        if (more == NULL)
            abort(); /* a few bytes: nothing sensible is left */
        list->item = more;
        list->room = room;
    }
    return (char *)list->item + (size_t)list->count++ * size;
}

static void list_remove(struct link_list *list, int index, size_t size)
{
    char *items = list->item;
    list->count--;
    if (index < list->count)
        memcpy(items + (size_t)index * size, items + (size_t)list->count * size,
               size);
}

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

static MPI_Request *send_slot(struct links *links)
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
    return &links->sends[links->send_count++];
}

static void send_note(struct links *links, int to, int64_t edge, int end,
                      int rank)
{
    struct link_note note = {edge, end, rank};
    MPI_Send(&note, sizeof(note), MPI_BYTE, to, TAG_NOTE, links->notes);
    links->messages++;
    links->bytes += (int64_t)sizeof(note);
}

static int piece_tag(int64_t edge)
{
    return TAG_PIECE + (int)(edge % TAG_PIECES);
}

/* What is complete and has not been sent. */
static bool send_piece(struct links *links, struct link_out *out)
{
    int64_t complete = links_complete(links, out->edge);
    if (out->rank < 0 || complete <= out->sent)
        return false;
    size_t bytes = (size_t)(complete - out->sent) * links->column_bytes;
    MPI_Isend(out->row + (size_t)out->sent * links->column_bytes, (int)bytes,
              MPI_BYTE, out->rank, piece_tag(out->edge), links->pieces,
              send_slot(links));
    links->messages++;
    links->bytes += (int64_t)bytes;
    out->sent = complete;
    return true;
}

static void post_piece(struct links *links, struct link_in *in)
{
    int64_t here = links_complete(links, in->edge);
    size_t bytes = (size_t)(links->columns - here) * links->column_bytes;
    MPI_Irecv(in->row + (size_t)here * links->column_bytes, (int)bytes,
              MPI_BYTE, in->rank, piece_tag(in->edge), links->pieces,
              &in->piece);
}

static void publish(struct links *links, int64_t edge, int64_t complete)
{
    struct link_edge *e = &links->edge[edge];
    atomic_store_explicit(&e->complete, complete, memory_order_release);
    engine_wake(&e->moved);
}

/* ---- registration ---- */

static int home_of(const struct links *links, int64_t edge)
{
    return (int)(edge % links->comm->ranks);
}

/* The other end of one of this rank's edges is at `rank`. */
static void meet(struct links *links, int64_t edge, int rank)
{
    struct link_out *out = links->out.item;
    struct link_in *in = links->in.item;
    bool here = rank == links->comm->rank;
    for (int i = 0; i < links->out.count; i++) {
        if (out[i].edge != edge)
            continue;
        if (here)
            list_remove(&links->out, i, sizeof(*out));
        else
            out[i].rank = rank;
        break;
    }
    for (int i = 0; i < links->in.count; i++) {
        if (in[i].edge != edge)
            continue;
        in[i].rank = rank;
        if (here)
            list_remove(&links->in, i, sizeof(*in));
        else
            post_piece(links, &in[i]);
        break;
    }
}

static void tell(struct links *links, int to, int64_t edge, int rank)
{
    if (to == links->comm->rank)
        meet(links, edge, rank);
    else
        send_note(links, to, edge, END_ANSWER, rank);
}

/* At the home: the second of the two ends brings both together. */
static void register_end(struct links *links, int64_t edge, int end, int rank)
{
    struct link_home *home = links->home.item;
    int i = 0;
    while (i < links->home.count && home[i].edge != edge)
        i++;
    if (i == links->home.count) {
        struct link_home *added = list_add(&links->home, sizeof(*home));
        *added = (struct link_home){edge, {-1, -1}};
        added->rank[end] = rank;
        return;
    }
    int other = home[i].rank[1 - end];
    list_remove(&links->home, i, sizeof(*home));
    tell(links, rank, edge, other);
    if (other != rank)
        tell(links, other, edge, rank);
}

static void announce(struct links *links, int64_t edge, int end)
{
    int home = home_of(links, edge);
    if (home == links->comm->rank)
        register_end(links, edge, end, home);
    else
        send_note(links, home, edge, end, links->comm->rank);
}

/* ---- what protocols call ---- */

void links_predecessor(struct links *links, int64_t edge, void *row)
{
    if (!links->remote)
        return;
    comm_begin(links->comm);
    struct link_out *out = list_add(&links->out, sizeof(*out));
    *out = (struct link_out){.edge = edge, .row = row, .rank = -1};
    announce(links, edge, END_PREDECESSOR);
    comm_end(links->comm);
}

void links_successor(struct links *links, int64_t edge, void *row)
{
    if (!links->remote)
        return;
    comm_begin(links->comm);
    struct link_in *in = list_add(&links->in, sizeof(*in));
    *in = (struct link_in){
        .edge = edge, .row = row, .rank = -1, .piece = MPI_REQUEST_NULL};
    announce(links, edge, END_SUCCESSOR);
    comm_end(links->comm);
}

void links_advance(struct links *links, int64_t edge, int64_t complete)
{
    publish(links, edge, complete);
    if (!links->remote)
        return;
    comm_begin(links->comm);
    struct link_out *out = links->out.item;
    for (int i = 0; i < links->out.count; i++) {
        if (out[i].edge != edge)
            continue;
        send_piece(links, &out[i]);
        if (out[i].sent == links->columns)
            list_remove(&links->out, i, sizeof(*out));
        break;
    }
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
        if (note.end == END_ANSWER)
            meet(links, note.edge, note.rank);
        else
            register_end(links, note.edge, note.end, note.rank);
        any = true;
    }
}

static bool take_pieces(struct links *links)
{
    struct link_in *in = links->in.item;
    bool any = false;
    for (int i = 0; i < links->in.count; i++) {
        MPI_Status status;
        int arrived, bytes;
        if (in[i].rank < 0)
            continue;
        MPI_Test(&in[i].piece, &arrived, &status);
        if (!arrived)
            continue;
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        int64_t complete = links_complete(links, in[i].edge) +
                           bytes / (int64_t)links->column_bytes;
        publish(links, in[i].edge, complete);
        if (complete == links->columns)
            list_remove(&links->in, i--, sizeof(*in));
        else
            post_piece(links, &in[i]);
        any = true;
    }
    return any;
}

/* Successors that became known after their predecessor had gone on. */
static bool send_kept(struct links *links)
{
    struct link_out *out = links->out.item;
    bool any = false;
    for (int i = 0; i < links->out.count; i++) {
        any = send_piece(links, &out[i]) || any;
        if (out[i].sent == links->columns)
            list_remove(&links->out, i--, sizeof(*out));
    }
    return any;
}

bool links_progress(struct links *links)
{
    if (!links->remote || !comm_try(links->comm))
        return false;
    bool any = take_notes(links);
    any = take_pieces(links) || any;
    any = send_kept(links) || any;
    comm_end(links->comm);
    return any;
}

bool links_done(struct links *links)
{
    if (!links->remote)
        return true;
    if (!comm_try(links->comm))
        return false;
    reap_sends(links);
    bool done =
        links->out.count == 0 && links->in.count == 0 && links->send_count == 0;
    comm_end(links->comm);
    return done;
}

bool links_all_done(struct links *links, struct links_end *end)
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

void links_finish(struct links *links)
{
    if (!links->remote)
        return;
    MPI_Cancel(&links->incoming);
    MPI_Wait(&links->incoming, MPI_STATUS_IGNORE);
}

/* ---- opening and closing ---- */

int links_open(struct links *links, const struct comm *comm, int64_t edges,
               int64_t columns, size_t column_bytes, struct error *err)
{
    *links =
        (struct links){.comm = comm,
                       .columns = columns,
                       .column_bytes = column_bytes,
                       .edges = edges,
                       .mapped = (size_t)(edges + 1) * sizeof(*links->edge),
                       .remote = comm->ranks > 1,
                       .incoming = MPI_REQUEST_NULL};
    void *memory = mmap(NULL, links->mapped, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    int code = memory == MAP_FAILED
                   ? error_set(err, ENOMEM,
                               "no memory for the boundaries of "
                               "%lld chunks",
                               (long long)edges)
                   : 0;
    links->edge = code == 0 ? memory : NULL;
    code = comm_agree(comm, code, err);
    if (code != 0) {
        if (links->edge != NULL)
            munmap(links->edge, links->mapped);
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
    free(links->out.item);
    free(links->in.item);
    free(links->home.item);
    free(links->sends);
    links->edge = NULL;
}

void links_reset(struct links *links)
{
    memset(links->edge, 0, links->mapped);
    links->out.count = 0;
    links->in.count = 0;
    links->home.count = 0;
    links->send_count = 0;
    links->messages = 0;
    links->bytes = 0;
    if (links->remote)
        listen_for_notes(links);
}
