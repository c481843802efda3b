/* Links in simulation: rank 0 opens the links of all ranks, and every worker
 * joins them. */
#ifndef HARNESS_PROTOCOL_PIPELINE_SIM_LINKS_JOIN_H
#define HARNESS_PROTOCOL_PIPELINE_SIM_LINKS_JOIN_H

#include "harness/protocol/pipeline/links.h"

/* A message departs when its receive is posted.  A busy receiver has at most
 * this many messages under way. */
enum { LINKS_POSTED = 4 };

/* Opens a worker's view of all links, which must outlive it; comm: its
 * rank's. */
void links_join(struct links *own, struct links *all, const struct comm *comm);
void links_part(struct links *own);

/* Whether both ends of the edge are known, and are two workers. */
bool links_shared(const struct links *links, int64_t edge);

#endif
