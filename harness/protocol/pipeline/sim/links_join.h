/* The additions to harness/protocol/pipeline/links.h in simulation: rank 0
 * opens the links of all ranks, and every worker joins them. */
#ifndef HARNESS_PROTOCOL_PIPELINE_SIM_LINKS_JOIN_H
#define HARNESS_PROTOCOL_PIPELINE_SIM_LINKS_JOIN_H

#include "harness/protocol/pipeline/links.h"

/* A message departs when its receive is posted.  This many of the messages sent
 * to a busy receiver are under way at a time. */
enum { LINKS_POSTED = 4 };

/* A worker's end of all links, which must stay open; comm: of its rank. */
void links_join(struct links *own, struct links *all, const struct comm *comm);
void links_part(struct links *own);

/* Both ends of the edge are known, and they are two workers. */
bool links_shared(const struct links *links, int64_t edge);

#endif
