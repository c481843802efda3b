/* The private declarations of links: links.c has the functions for protocols,
 * links_meet.c brings an edge's ends together, links_send.c sends pieces.  All
 * are called with MPI held. */
#ifndef HARNESS_PROTOCOL_PIPELINE_LINKS_INTERNAL_H
#define HARNESS_PROTOCOL_PIPELINE_LINKS_INTERNAL_H

#include "base/invariant.h"
#include "harness/protocol/pipeline/links.h"

static inline enum link_end links_producer(enum link_flow flow)
{
    return flow == LINK_DOWN ? LINK_PREDECESSOR : LINK_SUCCESSOR;
}

/* The rank + 1 of the other end, for an end in this rank. */
static inline int32_t links_other(const struct link_edge *edge,
                                  enum link_end end)
{
    return atomic_load_explicit(&edge->other[end], memory_order_relaxed);
}

/* The number of columns of a stream in all steps. */
static inline int64_t links_columns(const struct links *links,
                                    enum link_flow flow)
{
    return (flow == LINK_DOWN ? links->steps : links->steps - 1) *
           links->columns;
}

int links_tag(int64_t edge, enum link_flow flow);

void links_drop_rows(struct links *links);

/* Sends complete, unsent columns if the other end is known. */
void links_send_piece(struct links *links, int64_t edge, enum link_flow flow);

/* Opens the mailbox; -ENOMEM. links_take_notes handles arrived notes and
 * returns whether there were any. */
int links_open_box(struct links *links);
bool links_take_notes(struct links *links);

#endif
