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
 * The ends need not know each other beforehand, under any hierarchy: both
 * register at the edge's home rank, which tells each where the other is.  Until
 * then the predecessor keeps its boundary in its rows.  Once the successor is
 * known, it gets all complete columns, and then a piece at each synchronization
 * point.
 *
 * Between ranks a piece is one message straight into the receiver's copy of the
 * row.  The worker that needs it posts the receive; pieces of a stream never
 * overtake each other.  Inside a rank one end waits for the other's progress.
 * With several workers and several steps the producer copies its columns to the
 * stream's memory, and the consumer reads them there.  If it read the other
 * core's rows, that core would have to get their cache lines back one by one in
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

/* Live edges whose tags differ: rows, at most, of a loop of several steps
 * over several ranks. */
enum { LINK_TAGS = 1 << 14 };

enum link_way { LINK_DOWN, LINK_UP };
enum link_end { LINK_PREDECESSOR, LINK_SUCCESSOR };

/* One way over an edge, seen from this rank. */
struct link_stream {
    /* Columns in this rank's memory. */
    _Alignas(128) struct engine_progress complete;
    char *kept; /* column 0 of the stream's own memory; NULL: none */
    /* Under the rank's MPI lock, when the other end is at another rank. */
    char *row;      /* producer: the row of its step */
    int64_t sent;   /* producer: columns */
    bool receiving; /* consumer: `piece` is posted */
    MPI_Request piece;
};

struct link_edge {
    struct link_stream stream[2];
    /* By end; rank + 1, or 0 until known. */
    _Atomic int32_t other[2]; /* of an end that is here: where its other is */
    int32_t registered[2];    /* at the home: the ends that have registered */
    bool here[2];
};

/* The message to a home and back. */
struct link_note {
    int64_t edge;
    int32_t end; /* enum link_end, or LINK_ANSWER: here is the other end */
    int32_t rank;
};

struct link_wire; /* the simulated engine's */

/* The memory of streams inside a rank: rows, handed out to the streams in the
 * order in which they have their first columns. */
struct link_rows {
    char *memory; /* NULL: none */
    size_t row_bytes;
    int64_t most;
    _Atomic int64_t taken;
};

/* A receive that is waited for among other things. */
struct link_piece {
    MPI_Request *request; /* null when it is complete, with the status */
    MPI_Status status;
};

struct links {
    const struct comm *comm;
    MPI_Comm notes, pieces; /* its own communicators */
    struct mailbox box;     /* notes, pieces on their way, counts of a pass */
    int64_t columns, steps;
    size_t column_bytes;
    struct link_rows own;
    struct link_edge *edge; /* one per row; lazily mapped */
    size_t mapped;
    _Atomic int64_t touched; /* edges from here on are as they were mapped */
    bool remote;             /* more than one rank */
    int64_t owed;            /* streams of this rank with columns to send */
    uint32_t looks;          /* for pieces */
    int64_t messages, bytes; /* of all passes so far; the caller clears */
    /* Set by the caller after links_open: how a worker waits, and what lets
     * masters of this rank serve while it does (NULL: none). */
    struct engine_patience patience;
    /* In simulation it blocks until it has served or `piece` is complete. */
    bool (*serve)(void *arg, struct link_piece *piece);
    void *serve_arg;
    /* The simulated engine's: the links of all ranks, more of each edge, and
     * two rows in place of all. */
    struct links *all;
    struct link_wire *wire;
    char *rows;
    double piece_s; /* a piece that a rank takes in, beside SMPI's charges */
};

/* Collective.  edges: rows of the loop; columns: of a row;
 * column_bytes: of a column in a stream; steps: time steps, at least 1.
 * Returns 0, -ENOMEM or -ENOTSUP (too many edges for the tags). */
int links_open(struct links *links, const struct comm *comm, int64_t edges,
               int64_t columns, size_t column_bytes, int64_t steps,
               struct error *err);
/* After links_open: gives streams inside the rank separate memory, up to
 * LINK_ROWS_BYTES (touched when used) and as far as the system has it.  The
 * other streams are read in the rows themselves. */
enum { LINK_ROWS_BYTES = 64 << 20 };
void links_keep_rows(struct links *links);

/* Collective. */
void links_close(struct links *links);

/* Before a pass over the loop; a barrier must follow. */
void links_reset(struct links *links);

/* Between passes: what is in the streams' own memory becomes bytes `byte`. */
void links_poison(struct links *links, int byte);

/* The rank that brings the two ends of an edge together.  Chunks of equal sizes
 * must not all have the same. */
static inline int links_home(const struct links *links, int64_t edge)
{
    uint64_t mixed = (uint64_t)edge * 0x9e3779b97f4a7c15 >> 32;
    return (int)(mixed % (uint64_t)links->comm->ranks);
}

/* One end of `edge` is a worker of this rank: the predecessor owns the
 * row above (not the last of the loop), the successor the row `edge` (not the
 * first).  By that worker, before it uses the edge. */
void links_register(struct links *links, int64_t edge, enum link_end end);

/* A synchronization point of the stream's producer: `complete` columns of the
 * row, counted through all steps, are available.  `row`: the memory of the row
 * in this step. links_send sends to an end at another rank; links_copy copies
 * to a stream with separate memory. */
void links_send(struct links *links, int64_t edge, enum link_way way,
                int64_t complete, void *row);
void links_copy(struct links *links, struct link_stream *stream,
                int64_t complete, const void *row);
static inline void links_advance(struct links *links, int64_t edge,
                                 enum link_way way, int64_t complete, void *row)
{
    struct link_stream *stream = &links->edge[edge].stream[way];
    if (links->remote) {
        links_send(links, edge, way, complete, row);
        return;
    }
    if (links->own.memory != NULL)
        links_copy(links, stream, complete, row);
    engine_publish(&stream->complete, complete);
}

/* The stream's available columns. */
static inline int64_t links_complete(const struct links *links, int64_t edge,
                                     enum link_way way)
{
    return engine_reached(&links->edge[edge].stream[way].complete);
}

/* By the stream's consumer, when columns are there: column 0 of the memory in
 * which they are, those of this step; NULL: in the row itself. */
static inline const char *links_kept(const struct links *links, int64_t edge,
                                     enum link_way way)
{
    return links->edge[edge].stream[way].kept;
}

/* By the stream's consumer, when links_complete is less than `need`: waits
 * until it is not.  `row`: the memory of the row in the step of column `need`.
 * Returns the engine's ticks that took. */
uint64_t links_wait(struct links *links, int64_t edge, enum link_way way,
                    int64_t need, void *row);

/* Lets registrations and messages progress; for polls and waits.  Returns
 * whether anything moved. */
bool links_progress(struct links *links);

/* By one thread of each rank after its own work: lets messages progress until
 * no thread of this rank is `working` (NULL: none is), all its messages have
 * left, and all ranks are that far. */
void links_finish(struct links *links, const _Atomic int *working);

#endif
