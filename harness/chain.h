/* The chain of sources of one cell on one rank: which of the sources, pools,
 * masters and windows of harness/transport a worker's requests go through.
 * The cell's hierarchy and transport decide it here and nowhere else. */
#ifndef HARNESS_CHAIN_H
#define HARNESS_CHAIN_H

#include "harness/cell.h"
#include "harness/loop.h"
#include "harness/power.h"
#include "harness/transport/relay.h"
#include "harness/transport/source.h"
#include "harness/transport/tree.h"
#include "harness/transport/window.h"
#include "sched/sched.h"

/* One worker's end of any kind, on cache lines of its own. */
union chain_source {
    struct source base;
    struct source_table table;
    struct source_state state;
    struct source_rma rma;
    struct relay_source relay;
    _Alignas(128) char line[128];
};

/* A scheme's state with its lock, in private or in shared memory. */
struct chain_state {
    _Alignas(128) struct engine_lock lock;
    _Alignas(8) char sched[]; /* sched_bytes of it */
};

/* What all ranks of a process share: the scheme, and how far the loop has
 * been handed out.  Natively a process is one rank; in simulation it holds
 * them all. */
struct chain_root {
    const struct cell *cell;
    struct sched_pair pair;   /* its outer scheme sizes what is asked here */
    struct range_units units; /* two schemes: its workers; else empty */
    struct sched_loop loop;
    const struct powers *powers; /* of all workers; the run's */
    struct sched_table table;    /* steps 0: the scheme needs its state */
    /* In own memory, in a window, or NULL where a master in another process
     * has them. */
    struct source_counter *counter;
    struct chain_state *state;
    struct sched sched;
    bool owns_memory; /* counter and state are not in a window */
};

struct chain {
    struct chain_root *root;
    const struct cell *cell;
    const struct comm *comm;
    const struct tree *tree;
    bool has_window, has_relay;
    struct window window;
    struct relay relay;
    int workers;                   /* of this rank */
    union chain_source *source;    /* one per worker of this rank */
    union chain_source *upstream;  /* node pools below a window */
    int upstreams, upstream_first; /* and the worker that the first is */
    struct source **upstream_list;
};

/* Once per process, before its chains.  memory: the counter and the state are
 * kept here, not in a window and not by a master elsewhere.  cell, loop, tree
 * and powers stay the caller's.  Returns 0 or -errno, not agreed. */
int chain_root_open(struct chain_root *root, const struct cell *cell,
                    const struct loop *loop, const struct tree *tree,
                    const struct powers *powers, bool memory,
                    struct error *err);
void chain_root_close(struct chain_root *root);

/* Before a repetition, by whoever has the counter and the state. */
void chain_root_reset(struct chain_root *root);

/* Collective: all ranks return the same code.  -ENOTSUP: this chain cannot
 * be built here (sizes that depend on who asks, over an rma window).  root,
 * tree, loop and comm stay the caller's. */
int chain_open(struct chain *chain, struct chain_root *root,
               const struct loop *loop, const struct tree *tree,
               const struct comm *comm, const struct engine_patience *patience,
               struct error *err);
void chain_close(struct chain *chain);

/* Before a repetition, on every rank; then, by thread 0 of the rank itself,
 * it listens to requests.  A barrier must follow. */
void chain_reset(struct chain *chain);
void chain_listen(struct chain *chain);

/* Whether thread 0 of this rank has to let messages go on while it computes,
 * and what it calls then. */
bool chain_polls(const struct chain *chain);
bool chain_progress(struct chain *chain);

#endif
