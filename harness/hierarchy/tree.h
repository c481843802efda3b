/* The masters of a cell as a tree over its ranks and threads, which gives the
 * master that each worker asks.
 *
 * Master 0 is the supermaster (the root of all chunks).  Workers are numbered
 * by rank, then by thread; the workers below a master are consecutive.  With
 * computing masters a master lives in the first rank of its group, which also
 * computes; a dedicated master has its own rank.  With one rank all masters
 * live in it and divide its threads. */
#ifndef HARNESS_HIERARCHY_TREE_H
#define HARNESS_HIERARCHY_TREE_H

#include "base/error.h"
#include "harness/hierarchy/hierarchy.h"

#include <stdbool.h>

struct tree_master {
    int parent; /* index of the master above, -1: the supermaster */
    int rank;   /* its rank; -1: no master: a counter in a window, OpenMP or
                   stealing */
    int first_worker, workers; /* below it, at any depth */
    bool leaf;                 /* workers ask it directly */
    bool pool; /* a pool of one rank: results go to the master above */
};

struct tree {
    int ranks, threads;
    int workers;
    int *rank_worker;   /* first worker of a rank, ranks + 1 entries */
    int *worker_rank;   /* rank of a worker */
    int *worker_master; /* the master that a worker asks */
    int count;          /* masters, parents before children */
    struct tree_master *master;
};

/* The inputs of a tree. */
struct tree_shape {
    struct hierarchy hierarchy;
    int ranks, threads;      /* per rank */
    const int *rank_threads; /* by rank, if they differ (0: a rank without
                                workers); NULL: all are equal */
    bool by_thread; /* one rank: masters divide its threads, not ranks */
    bool no_master; /* no master serves; the workers still form groups */
    bool dedicated; /* each master has its own rank */
};

/* Builds the tree of a checked shape.  Returns 0 or -ENOMEM. */
int tree_build(struct tree *tree, const struct tree_shape *shape,
               struct error *err);
void tree_free(struct tree *tree);

#endif
