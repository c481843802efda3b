/* Places: which core each worker of a launch is bound to, and whether every
 * worker is alone on its core. */
#ifndef HARNESS_WORKERS_PLACE_H
#define HARNESS_WORKERS_PLACE_H

#include "base/error.h"
#include "harness/hierarchy/tree.h"
#include "harness/messages/comm.h"
#include "harness/topo/topo.h"

#include <stdint.h>

/* The ranks of a launch by the cores that they may use: ranks with the same
 * host and cpuset are one group and divide its cores. */
struct place {
    struct topo *topo;
    uint64_t *group; /* by rank; equal: same host and cpuset */
    int *cores;      /* by rank: cores of its cpuset */
    int *processors; /* and their hardware threads */
    /* By rank: its control group's quota of CPU time, in cores, INFINITY: no
     * limit.  Ranks with equal `limit` share one quota. */
    double *quota;
    uint64_t *limit;
    int ranks, rank;
};

/* Collective; before any thread is bound. */
int place_open(struct place *place, const struct comm *comm, struct error *err);
void place_close(struct place *place);

/* The slot of a worker: its rank's domain (ranks with workers in one group take
 * the domains in turn), its slot among all workers there, and their number.
 * Ranks without workers (dedicated masters) also take turns, and get the last
 * slots. */
struct place_slot {
    int domain, slot, slots;
};
struct place_slot place_slot(const struct place *place, const struct tree *tree,
                             int domains, int rank, int thread);

/* The processors of this rank's first `threads` threads (all working ones, or 1
 * of a dedicated master), -1: any in the rank's domain *domain.  Returns 0 or
 * -errno with a text. */
int place_processors(const struct place *place, const struct tree *tree,
                     const struct topo_binding *binding, int threads,
                     int *domain, int *processor, struct error *err);

/* Whether this rank's group has more waiting or working threads than cores
 * (with smt: hardware threads) or CPU quota, so that waiting threads must
 * sleep. */
bool place_crowded(const struct place *place, const struct tree *tree,
                   bool smt);

/* place_crowded before there is a tree: more ranks than cores in the group.
 * Ranks that the launcher bound to separate cores are separate groups, and any
 * number of them is not crowded. */
bool place_ranks_crowded(const struct place *place);

/* A worker's report after it was bound. */
struct place_report {
    uint64_t host;
    int32_t core;
    int32_t processor;     /* the processor on which it runs */
    int32_t bound;         /* only to that core; with smt: that processor */
    int32_t socket, cache; /* of that core, -1: unknown */
    uint64_t machine;      /* equal: the same cores, whatever the host name */
};

/* Rank 0: whether every worker is alone on its core (with smt: its processor)
 * and has a core's worth of its CPU quota.  Otherwise -EBUSY, with a text that
 * names two workers. */
int place_check(const struct place *place, const struct tree *tree,
                const struct place_report *report,
                const struct topo_binding *binding, struct error *err);

/* Rank 0: how many of the `masters` reports of ranks without workers are on a
 * worker's core (with smt: its processor).  Unbound ranks may use any core: all
 * masters of a group count if the group has more ranks and workers than
 * cores. */
int place_shared_masters(const struct place *place, const struct tree *tree,
                         const struct place_report *worker,
                         const struct place_report *master, int masters,
                         const struct topo_binding *binding);

#endif
