/* Links: rows that travel between the owners of neighbouring chunks of a
 * dependence loop (DMPS, Ciorba et al., section 3.3).
 *
 * Edge r joins the chunk that ends above row r (the predecessor) and the chunk
 * that begins with row r (the successor).  It carries two streams.  Down, in
 * every time step: the boundary that the successor needs in the same step.  Up,
 * in every step but the last: the successor's first row, which the predecessor
 * needs in the next step.  Columns of a stream are counted through all steps:
 * column j of step s is s * columns + j.
 *
 * Under any hierarchy, the ends need not know each other beforehand: both
 * register at the edge's home rank, which tells each the rank of the other.
 * Until then the predecessor keeps its boundary in its rows.  Once the
 * successor is known, it gets all complete columns, and then a piece at each
 * synchronization point.
 *
 * Between ranks a piece is one message, received directly in the row's copy
 * there.  The worker that needs it posts the receive; pieces of a stream never
 * overtake each other.  Inside a rank one end waits for the other's progress.
 * With several workers and several steps the producer copies its columns to the
 * stream's memory, and the consumer reads them there.  If it read the rows
 * themselves, the producer's core would have to fetch each cache line back in
 * the next step. */
#ifndef HARNESS_PROTOCOL_PIPELINE_LINKS_H
#define HARNESS_PROTOCOL_PIPELINE_LINKS_H

#include "harness/engine/engine.h"
#include "harness/messages/comm.h"
#include "harness/messages/mailbox.h"

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The most rows of a loop with several steps over several ranks, so that all
 * live edges have different tags. */
enum { LINK_TAGS = 1 << 14 };

enum link_flow { LINK_DOWN, LINK_UP };
enum link_end { LINK_PREDECESSOR, LINK_SUCCESSOR };

/* One direction of an edge, seen from this rank. */
struct link_stream {
    /* Columns available in this rank's memory. */
    _Alignas(128) struct engine_progress complete;
    char *kept; /* column 0 in the stream's memory; NULL: it has none */
    /* Under the rank's MPI lock, if the other end is at another rank. */
    char *row;      /* producer: the row of the current step */
    int64_t sent;   /* producer: columns sent */
    bool receiving; /* consumer: the receive `piece` is posted */
    MPI_Request piece;
};

struct link_edge {
    struct link_stream stream[2];
    /* By end: rank + 1 of the other end, or 0 until known. */
    _Atomic int32_t other[2]; /* for an end in this rank */
    int32_t registered[2];    /* at the home: ends that have registered */
    bool here[2];
};

/* A message to an edge's home and back. */
struct link_note {
    int64_t edge;
    int32_t end; /* enum link_end, or LINK_ANSWER: the other end is known */
    int32_t rank;
};

struct link_wire; /* only in simulation */

/* Memory for streams inside a rank: each stream gets a row when its first
 * columns are complete. */
struct link_rows {
    char *memory; /* NULL: none */
    size_t row_bytes;
    int64_t most;
    _Atomic int64_t taken;
};

/* A receive that a thread waits for while it serves others. */
struct link_piece {
    MPI_Request *request; /* null when complete; then status is set */
    MPI_Status status;
};

struct links {
    const struct comm *comm;
    MPI_Comm notes, pieces; /* private communicators */
    struct mailbox box;     /* notes, outgoing pieces, counts of a pass */
    int64_t columns, steps;
    size_t column_bytes;
    struct link_rows own;
    struct link_edge *edge; /* one per row; pages are mapped when touched */
    size_t mapped;
    _Atomic int64_t touched; /* edges from this one on are still zero */
    bool remote;             /* more than one rank */
    int64_t owed;            /* this rank's streams with unsent columns */
    uint32_t looks;          /* counts tests for pieces */
    int64_t messages, bytes; /* of all passes; the caller clears them */
    /* Set by the caller after links_open: how a worker waits, and a function by
     * which masters of this rank serve meanwhile (NULL: none). */
    struct engine_patience patience;
    /* In simulation it blocks until it has served, or `piece` is complete. */
    bool (*serve)(void *arg, struct link_piece *piece);
    void *serve_arg;
    /* For simulation: the links of all ranks, further data of each edge, and
     * two rows that replace all rows. */
    struct links *all;
    struct link_wire *wire;
    char *rows;
    double piece_s; /* receiving a piece, besides SMPI's charges */
};

/* Collective.  edges: rows of the loop; columns: of a row;
 * column_bytes: of a column in a stream; steps: time steps, at least 1.
 * Returns 0, -ENOMEM or -ENOTSUP (too many edges for the tags). */
int links_open(struct links *links, const struct comm *comm, int64_t edges,
               int64_t columns, size_t column_bytes, int64_t steps,
               struct error *err);
/* After links_open: gives streams inside the rank their own memory, up to
 * LINK_ROWS_BYTES (touched when used) and as far as available.  Other streams
 * are read in the rows themselves. */
enum { LINK_ROWS_BYTES = 64 << 20 };
void links_keep_rows(struct links *links);

/* Collective. */
void links_close(struct links *links);

/* Before a pass over the loop; a barrier must follow. */
void links_reset(struct links *links);

/* Between passes: fills the streams' memory with bytes `byte`. */
void links_poison(struct links *links, int byte);

/* The rank at which both ends of an edge register.  Mixed, so that chunks of
 * equal sizes do not all have the same home. */
static inline int links_home(const struct links *links, int64_t edge)
{
    uint64_t mixed = (uint64_t)edge * 0x9e3779b97f4a7c15 >> 32;
    return (int)(mixed % (uint64_t)links->comm->ranks);
}

/* A worker of this rank registers as one end of `edge`, before it uses the
 * edge.  The predecessor owns the row above (not the loop's last), the
 * successor the row `edge` (not the first). */
void links_register(struct links *links, int64_t edge, enum link_end end);

/* A synchronization point of the stream's producer: `complete` columns of the
 * row, counted through all steps, are available.  `row`: the row's memory in
 * this step. links_send sends to an end at another rank; links_copy copies to a
 * stream with separate memory. */
void links_send(struct links *links, int64_t edge, enum link_flow flow,
                int64_t complete, void *row);
void links_copy(struct links *links, struct link_stream *stream,
                int64_t complete, const void *row);
static inline void links_advance(struct links *links, int64_t edge,
                                 enum link_flow flow, int64_t complete,
                                 void *row)
{
    struct link_stream *stream = &links->edge[edge].stream[flow];
    if (links->remote) {
        links_send(links, edge, flow, complete, row);
        return;
    }
    if (links->own.memory != NULL)
        links_copy(links, stream, complete, row);
    engine_publish(&stream->complete, complete);
}

/* How many columns of the stream are available. */
static inline int64_t links_complete(const struct links *links, int64_t edge,
                                     enum link_flow flow)
{
    return engine_reached(&links->edge[edge].stream[flow].complete);
}

/* By the consumer, when columns are available: column 0 of this step in the
 * stream's memory; NULL: read the row itself. */
static inline const char *links_kept(const struct links *links, int64_t edge,
                                     enum link_flow flow)
{
    return links->edge[edge].stream[flow].kept;
}

/* By the consumer: waits until links_complete is at least `need`.  `row`: the
 * row's memory in the step of column `need`.  Returns the engine's ticks that
 * it took. */
uint64_t links_wait(struct links *links, int64_t edge, enum link_flow flow,
                    int64_t need, void *row);

/* Handles registrations and messages, in polls and waits.  Returns whether
 * there were any. */
bool links_progress(struct links *links);

/* By one thread of each rank after its own work: handles messages until no
 * thread of this rank is `working` (NULL: none), all its messages are sent, and
 * all ranks have got that far. */
void links_finish(struct links *links, const _Atomic int *working);

#endif
