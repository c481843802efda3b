/* What links have in simulation beside harness/dependence/links.h: rank 0 opens
 * those of all ranks, and every worker joins them. */
#ifndef HARNESS_DEPENDENCE_SIM_LINKS_H
#define HARNESS_DEPENDENCE_SIM_LINKS_H

#include "harness/dependence/links.h"

/* A worker's end of all links, which must stay open; comm: of its rank. */
void links_join(struct links *own, struct links *all, const struct comm *comm);
void links_part(struct links *own);

#endif
