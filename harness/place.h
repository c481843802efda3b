/* Places: which core each worker of a launch is bound to, and whether every
 * worker is alone on its core. */
#ifndef HARNESS_PLACE_H
#define HARNESS_PLACE_H

#include "base/error.h"
#include "harness/topo/topo.h"
#include "harness/transport/comm.h"
#include "harness/transport/tree.h"

#include <stdint.h>

/* The ranks of a launch by the cores they may use: ranks with the same host
 * and cpuset are one group and share its cores out. */
struct place {
    struct topo *topo;
    uint64_t *group; /* per rank, equal: same host and cpuset */
    int *cores;      /* per rank: cores of its cpuset */
    int ranks, rank;
};

/* Collective; before any thread is bound. */
int place_open(struct place *place, const struct comm *comm, struct error *err);
void place_close(struct place *place);

/* The slot of a worker among all workers of its group, and their number.
 * A rank without workers (a dedicated master) comes behind them. */
int place_slot(const struct place *place, const struct tree *tree, int rank,
               int thread, int *slots);

/* Whether more threads than cores wait or work in this rank's group, so that
 * a waiter must sleep. */
bool place_crowded(const struct place *place, const struct tree *tree);

/* The same before there is a tree: more ranks than cores in its group.  Ranks
 * that the launcher has bound to cores of their own are groups of their own,
 * and not crowded however many there are. */
bool place_ranks_crowded(const struct place *place);

/* What one worker reports after it was bound. */
struct place_report {
    uint64_t host;
    int32_t core;
    int32_t processor; /* of that core, the one it is on */
    int32_t bound;
};

/* Rank 0: whether every worker is alone on its core; otherwise -EBUSY with a
 * text that names two that are not. */
int place_check(const struct place *place, const struct tree *tree,
                const struct place_report *report, enum topo_bind bind,
                struct error *err);

#endif
