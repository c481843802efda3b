/* Links: boundaries of a dependence loop between the owners of neighbouring
 * chunks (DMPS, Ciorba et al., section 3.3).
 *
 * Edge i joins chunk i - 1 (the predecessor) and chunk i (the successor).
 * Nobody needs to know the other beforehand, under any hierarchy: both ends
 * register at the edge's home rank (i modulo ranks), which tells each where
 * the other is.  Until then the predecessor keeps its boundary, which simply
 * stays in its rows; when the successor is known it gets all that is complete
 * and then a piece at each synchronization point.
 *
 * Inside a rank a boundary is not copied: the successor waits for the
 * predecessor's progress.  Between ranks a piece is one message straight into
 * the successor's copy of the row.  Tags are the edge modulo 2^14, above
 * those of the registrations; messages of one edge never overtake each
 * other. */
#ifndef HARNESS_TRANSPORT_LINKS_H
#define HARNESS_TRANSPORT_LINKS_H

#include "harness/engine/engine.h"
#include "harness/transport/comm.h"

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* One boundary seen from this rank.  `complete` counts columns of the
 * predecessor's last row that are in this rank's memory. */
struct link_edge {
    _Atomic int64_t complete;
    struct engine_event moved;
};

/* What travels to a home and back. */
struct link_note {
    int64_t edge;
    int32_t end; /* 0 predecessor, 1 successor, 2 here is the other end */
    int32_t rank;
};

/* A predecessor's end that still has something to send. */
struct link_out {
    int64_t edge;
    char *row;
    int64_t sent;
    int32_t rank; /* of the successor, -1: not known yet */
};

/* A successor's end that waits for pieces from another rank. */
struct link_in {
    int64_t edge;
    char *row;
    int32_t rank; /* of the predecessor, -1: not known yet */
    MPI_Request piece;
};

/* At the home of an edge: who has registered. */
struct link_home {
    int64_t edge;
    int32_t rank[2];
};

struct link_list {
    void *item;
    int count, room;
};

struct links {
    const struct comm *comm; /* its own communicator for pieces */
    MPI_Comm notes, pieces;
    int64_t columns;
    size_t column_bytes;
    struct link_edge *edge; /* one per possible chunk; lazily mapped */
    int64_t edges;
    size_t mapped;
    bool remote; /* more than one rank */
    struct link_list out, in, home;
    MPI_Request *sends;
    int send_count, send_room;
    bool listening;
    MPI_Request incoming;
    struct link_note note;
    int64_t messages, bytes;
};

/* Collective.  edges: the most chunks there can be.  Returns 0 or -ENOMEM. */
int links_open(struct links *links, const struct comm *comm, int64_t edges,
               int64_t columns, size_t column_bytes, struct error *err);
/* Collective. */
void links_close(struct links *links);

/* Before a repetition; a barrier must follow. */
void links_reset(struct links *links);

/* This rank owns chunk `edge` - 1, whose last row (boundary memory) is `row`.
 * Not for the last chunk of the loop. */
void links_predecessor(struct links *links, int64_t edge, void *row);

/* This rank owns chunk `edge`; the boundary comes to `row`, or is there when
 * the predecessor is in this rank.  Not for the first chunk. */
void links_successor(struct links *links, int64_t edge, void *row);

/* `complete` columns of the predecessor's last row are computed: a
 * synchronization point. */
void links_advance(struct links *links, int64_t edge, int64_t complete);

/* Columns of the edge's boundary that are here. */
static inline int64_t links_complete(const struct links *links, int64_t edge)
{
    return atomic_load_explicit(&links->edge[edge].complete,
                                memory_order_acquire);
}

/* Lets registrations and pieces go on; for polls and waits.  Returns whether
 * anything moved. */
bool links_progress(struct links *links);

/* Whether everything this rank has to send has left it. */
bool links_done(struct links *links);

/* Collective in time: true when all ranks are done.  Called again and again
 * (with links_progress in between) until it is. */
struct links_end {
    MPI_Request request;
    bool entered;
};
bool links_all_done(struct links *links, struct links_end *end);

/* After the loop, when all are done: takes the last receive back. */
void links_finish(struct links *links);

#endif
