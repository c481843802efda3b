/* Places: which core each worker of a launch is bound to, and whether every
 * worker is alone on its core. */
#ifndef HARNESS_WORKERS_PLACE_H
#define HARNESS_WORKERS_PLACE_H

#include "base/error.h"
#include "harness/hierarchy/tree.h"
#include "harness/messages/comm.h"
#include "harness/topo/topo.h"

#include <stdint.h>

/* The ranks of a launch by the cores they may use: ranks with the same host
 * and cpuset are one group and share its cores out. */
struct place {
    struct topo *topo;
    uint64_t *group; /* per rank, equal: same host and cpuset */
    int *cores;      /* per rank: cores of its cpuset */
    int *processors; /* and their hardware threads */
    /* Per rank: CPU time in cores that its control group has, INFINITY: no
     * limit; ranks with equal `limit` have it together. */
    double *quota;
    uint64_t *limit;
    int ranks, rank;
};

/* Collective; before any thread is bound. */
int place_open(struct place *place, const struct comm *comm, struct error *err);
void place_close(struct place *place);

/* The place of a worker: the domain of its rank (ranks with workers of one
 * group go round the domains), its slot among all workers there, and their
 * number.  A rank without workers (a dedicated master) goes round too and comes
 * behind them. */
struct place_slot {
    int domain, slot, slots;
};
struct place_slot place_slot(const struct place *place, const struct tree *tree,
                             int domains, int rank, int thread);

/* The processors of this rank's first `threads` threads (all that work, 1 of a
 * dedicated master), -1: any of the rank's domain, whose number is *domain.
 * Returns 0 or -errno with a text. */
int place_processors(const struct place *place, const struct tree *tree,
                     const struct topo_binding *binding, int threads,
                     int *domain, int *processor, struct error *err);

/* Whether more threads than cores (with smt: than hardware threads; or than
 * the CPU quota) wait or work in this rank's group, so that a waiter must
 * sleep. */
bool place_crowded(const struct place *place, const struct tree *tree,
                   bool smt);

/* The same before there is a tree: more ranks than cores in its group.  Ranks
 * that the launcher has bound to separate cores are separate groups, and any
 * number of them is not crowded. */
bool place_ranks_crowded(const struct place *place);

/* The report of one worker after it was bound. */
struct place_report {
    uint64_t host;
    int32_t core;
    int32_t processor;     /* the processor of that core that it is on */
    int32_t bound;         /* to that core only; with smt: to that processor */
    int32_t socket, cache; /* of that core, -1: not known */
    uint64_t machine;      /* equal: the same cores, under whatever host name */
};

/* Rank 0: whether every worker is alone on its core (with smt: on its
 * processor) and has a core's worth of its CPU quota.  Otherwise -EBUSY, with a
 * text that names two of the others. */
int place_check(const struct place *place, const struct tree *tree,
                const struct place_report *report,
                const struct topo_binding *binding, struct error *err);

/* Rank 0: of `masters` reports of ranks without workers, how many are on a
 * worker's core (with smt: on its processor).  Unbound ranks may use any core:
 * a group's masters all count if the group has more ranks and workers than
 * cores. */
int place_shared_masters(const struct place *place, const struct tree *tree,
                         const struct place_report *worker,
                         const struct place_report *master, int masters,
                         const struct topo_binding *binding);

#endif
