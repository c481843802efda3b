/* Links in simulation.  All ranks are in one process, and nothing is copied:
 * all ranks can read a worker's complete columns, and only their transfer to
 * its neighbour must take time.  Between ranks a piece is a message of its
 * bytes; between threads of a rank it is a hand-over.
 *
 * A worker that needs a boundary tells its owner so, through the edge's home as
 * natively, and gets all complete columns, while it waits for them.  From then
 * on the owner sends. */
#include "harness/protocol/pipeline/sim/links_join.h"

#include "base/pages.h"
#include "harness/engine/sim/world.h"
#include "harness/protocol/pipeline/links_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* Above the relay's; TAGS live edges of two ranks have different ones. */
    TAG_PIECE = 1 << 16,
    TAGS = 1 << 18,
    /* Shorter messages leave their sender at once (SMPI's default). */
    DETACHED_BYTES = 1 << 16,
};

/* One direction of an edge: columns through all steps, and messages. */
struct sim_stream {
    int64_t produced, sent;
    int64_t handed; /* columns that another thread of the rank took over */
    int32_t pieces, posted, taken;
    MPI_Request piece[LINKS_POSTED];
};

struct link_wire {
    int32_t at[2]; /* by end: where it is + 1, 0: not registered */
    bool met;      /* the ends know each other */
    struct sim_stream stream[2];
};

/* ---- the places of the ends ---- */

static int rank_of(const struct links *links, int place)
{
    return place / links->comm->lanes;
}

static bool is_inside(const struct links *links, const struct link_wire *wire)
{
    return rank_of(links, wire->at[0] - 1) == rank_of(links, wire->at[1] - 1);
}

static void count_message(struct links *links, size_t bytes)
{
    links->messages++;
    links->bytes += (int64_t)bytes;
}

/* As natively: an end that is not at home sends a note there, and gets one back
 * when both are known. */
static void count_notes(struct links *links, int64_t edge, int end)
{
    const struct link_wire *wire = &links->wire[edge];
    int own = rank_of(links, wire->at[end] - 1), home = links_home(links, edge);
    if (own != home)
        count_message(links, sizeof(struct link_note));
    if (wire->at[1 - end] == 0)
        return;
    int other = rank_of(links, wire->at[1 - end] - 1);
    if (own != home)
        count_message(links, sizeof(struct link_note));
    if (other != home && other != own)
        count_message(links, sizeof(struct link_note));
}

static void meet_edge(struct links *links, int64_t edge)
{
    links->wire[edge].met = true;
    for (int flow = 0; flow < 2; flow++)
        engine_wake(&links->edge[edge].stream[flow].complete.moved);
}

void links_register(struct links *links, int64_t edge, enum link_end end)
{
    struct link_wire *wire = &links->wire[edge];
    int64_t touched = atomic_load(&links->all->touched);
    if (edge >= touched)
        atomic_store(&links->all->touched, edge + 1);
    wire->at[end] = comm_self(links->comm) + 1;
    count_notes(links, edge, end);
    /* The successor waits for it and is known. */
    if (end == LINK_PREDECESSOR && wire->at[LINK_SUCCESSOR] != 0)
        meet_edge(links, edge);
}

static void carry_bytes(const struct links *links, int from, int to,
                        size_t bytes)
{
    if (rank_of(links, from) != rank_of(links, to))
        world_carry(from, to, (double)bytes);
}

/* By the successor: sends the notes, then receives all complete columns. */
static void say_hello(struct links *links, int64_t edge)
{
    struct link_wire *wire = &links->wire[edge];
    struct sim_stream *stream = &wire->stream[LINK_DOWN];
    int self = wire->at[LINK_SUCCESSOR] - 1;
    int other = wire->at[LINK_PREDECESSOR] - 1;
    int home = comm_address(links->comm, links_home(links, edge), 0);
    carry_bytes(links, self, home, sizeof(struct link_note));
    carry_bytes(links, home, other, sizeof(struct link_note));
    int64_t kept = stream->produced;
    size_t bytes = (size_t)kept * links->column_bytes;
    stream->sent = kept;
    meet_edge(links, edge);
    if (kept > 0 && !is_inside(links, wire)) {
        count_message(links, bytes);
        world_carry(other, self, (double)bytes);
    }
    engine_publish(&links->edge[edge].stream[LINK_DOWN].complete, kept);
}

/* ---- the producer ---- */

static int piece_tag(int64_t edge, enum link_flow flow)
{
    return TAG_PIECE + 2 * (int)(edge % TAGS) + (int)flow;
}

static void send_piece(struct links *links, int64_t edge, enum link_flow flow,
                       size_t bytes)
{
    struct link_wire *wire = &links->wire[edge];
    int to = wire->at[1 - links_producer(flow)] - 1;
    int tag = piece_tag(edge, flow);
    count_message(links, bytes);
    wire->stream[flow].pieces++;
    if (bytes < DETACHED_BYTES) {
        MPI_Send(links->rows, (int)bytes, MPI_BYTE, to, tag, links->comm->all);
        return;
    }
    MPI_Isend(links->rows, (int)bytes, MPI_BYTE, to, tag, links->comm->all,
              mailbox_add(&links->box));
}

/* Upward rows are produced after a downward piece has arrived, so both ends
 * have met. */
void links_send(struct links *links, int64_t edge, enum link_flow flow,
                int64_t complete, void *row)
{
    struct link_wire *wire = &links->wire[edge];
    struct sim_stream *stream = &wire->stream[flow];
    (void)row;
    stream->produced = complete;
    if (!wire->met || complete <= stream->sent)
        return;
    size_t bytes = (size_t)(complete - stream->sent) * links->column_bytes;
    stream->sent = complete;
    if (is_inside(links, wire))
        engine_publish(&links->edge[edge].stream[flow].complete, complete);
    else
        send_piece(links, edge, flow, bytes);
}

/* ---- the consumer ---- */

/* Waits for another rank of this process to move. */
static void pass_moment(struct links *links, struct engine_progress *progress,
                        struct engine_idle *idle)
{
    if (links->serve == NULL)
        engine_idle(idle, &links->patience, &progress->moved);
    else if (links->serve(links->serve_arg, NULL))
        *idle = (struct engine_idle){0};
    else
        engine_idle(idle, &links->patience, NULL);
}

static void wait_to_meet(struct links *links, int64_t edge, enum link_flow flow)
{
    struct link_wire *wire = &links->wire[edge];
    struct engine_idle idle = {0};
    while (!wire->met)
        if (flow == LINK_DOWN && wire->at[LINK_PREDECESSOR] != 0)
            say_hello(links, edge);
        else
            pass_moment(links, &links->edge[edge].stream[flow].complete, &idle);
}

/* Posts receives for all pieces under way, and for one more if needed. */
static void post_receives(struct links *links, int64_t edge,
                          enum link_flow flow)
{
    struct link_wire *wire = &links->wire[edge];
    struct sim_stream *stream = &wire->stream[flow];
    size_t row = (size_t)links->columns * links->column_bytes;
    int from = wire->at[links_producer(flow)] - 1;
    int32_t coming =
        stream->pieces + (stream->sent < links_columns(links, flow));
    while (stream->posted < coming &&
           stream->posted - stream->taken < LINKS_POSTED) {
        MPI_Irecv(links->rows + row, (int)row, MPI_BYTE, from,
                  piece_tag(edge, flow), links->comm->all,
                  &stream->piece[stream->posted % LINKS_POSTED]);
        stream->posted++;
    }
}

static void take_piece(struct links *links, int64_t edge, enum link_flow flow)
{
    struct sim_stream *stream = &links->wire[edge].stream[flow];
    struct link_piece piece = {
        .request = &stream->piece[stream->taken % LINKS_POSTED]};
    int bytes;
    if (links->serve == NULL)
        MPI_Wait(piece.request, &piece.status);
    while (*piece.request != MPI_REQUEST_NULL)
        links->serve(links->serve_arg, &piece);
    MPI_Get_count(&piece.status, MPI_BYTE, &bytes);
    stream->taken++;
    engine_sleep(links->piece_s);
    engine_publish(&links->edge[edge].stream[flow].complete,
                   links_complete(links, edge, flow) +
                       bytes / (int64_t)links->column_bytes);
}

/* A worker's own boundary is in its caches, and costs nothing. */
static void charge_handover(const struct links *links, int64_t edge,
                            enum link_flow flow, int64_t need)
{
    struct link_wire *wire = &links->wire[edge];
    struct sim_stream *stream = &wire->stream[flow];
    if (wire->at[LINK_PREDECESSOR] == wire->at[LINK_SUCCESSOR])
        return;
    engine_charge(ENGINE_HANDOVER);
    if (need > stream->handed)
        engine_charge_times(ENGINE_HANDOVER_BYTE,
                            (double)(need - stream->handed) *
                                (double)links->column_bytes);
    stream->handed = need > stream->handed ? need : stream->handed;
}

bool links_shared(const struct links *links, int64_t edge)
{
    const int32_t *at = links->wire[edge].at;
    return at[0] != 0 && at[1] != 0 && at[0] != at[1];
}

uint64_t links_wait(struct links *links, int64_t edge, enum link_flow flow,
                    int64_t need, void *row)
{
    struct engine_progress *progress = &links->edge[edge].stream[flow].complete;
    struct engine_idle idle = {0};
    uint64_t since = engine_ticks();
    (void)row;
    wait_to_meet(links, edge, flow);
    bool near = is_inside(links, &links->wire[edge]);
    while (near && engine_reached(progress) < need)
        pass_moment(links, progress, &idle);
    while (engine_reached(progress) < need) {
        post_receives(links, edge, flow);
        take_piece(links, edge, flow);
    }
    if (near)
        charge_handover(links, edge, flow, need);
    else
        post_receives(links, edge, flow);
    return engine_ticks() - since;
}

bool links_progress(struct links *links)
{
    (void)links;
    return false;
}

void links_finish(struct links *links, const _Atomic int *working)
{
    (void)working;
    mailbox_await(&links->box, &links->patience);
}

/* ---- opening and closing ---- */

int links_open(struct links *links, const struct comm *comm, int64_t edges,
               int64_t columns, size_t column_bytes, int64_t steps,
               struct error *err)
{
    *links = (struct links){.comm = comm,
                            .columns = columns,
                            .column_bytes = column_bytes,
                            .steps = steps,
                            .remote = true,
                            .all = links};
    links->mapped = (size_t)(edges + 1);
    links->edge = pages_map(links->mapped * sizeof(*links->edge));
    links->wire = pages_map(links->mapped * sizeof(*links->wire));
    links->rows = calloc(2 * (size_t)columns, column_bytes);
    if (links->edge != NULL && links->wire != NULL && links->rows != NULL)
        return 0;
    links_close(links);
    return error_set(err, ENOMEM, "no memory for the boundaries of %lld chunks",
                     (long long)edges);
}

void links_close(struct links *links)
{
    pages_unmap(links->edge, links->mapped * sizeof(*links->edge));
    pages_unmap(links->wire, links->mapped * sizeof(*links->wire));
    free(links->rows);
    *links = (struct links){0};
}

void links_reset(struct links *links)
{
    size_t touched = (size_t)atomic_load(&links->touched);
    memset(links->edge, 0, touched * sizeof(*links->edge));
    memset(links->wire, 0, touched * sizeof(*links->wire));
    atomic_store(&links->touched, 0);
}

void links_join(struct links *own, struct links *all, const struct comm *comm)
{
    *own = (struct links){.comm = comm,
                          .columns = all->columns,
                          .column_bytes = all->column_bytes,
                          .steps = all->steps,
                          .remote = true,
                          .edge = all->edge,
                          .wire = all->wire,
                          .rows = all->rows,
                          .all = all};
    const struct mailbox_setup setup = {.comm = comm};
    mailbox_open(&own->box, &setup); /* without a ring it does not fail */
}

void links_part(struct links *own)
{
    mailbox_close(&own->box);
}
