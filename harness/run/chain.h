/* The chain of sources of one cell on one rank: which of the sources, pools,
 * masters and windows of harness/transport a worker's requests go through.
 * The cell's hierarchy and transport decide it here and nowhere else. */
#ifndef HARNESS_RUN_CHAIN_H
#define HARNESS_RUN_CHAIN_H

#include "harness/cell/cell.h"
#include "harness/comm/source.h"
#include "harness/hierarchy/tree.h"
#include "harness/loop/loop.h"
#include "harness/place/power.h"
#include "harness/run/planned.h"
#include "harness/transport/master/reissue_source.h"
#include "harness/transport/master/relay.h"
#include "harness/transport/push/push.h"
#include "harness/transport/steal/steal.h"
#include "harness/comm/source_rma.h"
#include "sched/sched.h"

/* One worker's end of any kind, on cache lines of its own. */
union chain_source {
    struct source base;
    struct source_table table;
    struct source_state state;
    struct source_rma rma;
    struct relay_source relay;
    struct push_source push;
    struct steal_source steal;
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
    const struct planned *plan;  /* of protocol push, in place of a scheme */
    struct sched_table table;    /* steps 0: the scheme needs its state */
    /* In own memory, in a window, or NULL where a master in another process
     * has them. */
    struct source_counter *counter;
    struct chain_state *state;
    struct sched sched;
    bool owns_memory; /* counter and state are not in a window */
    /* Chunks may be handed out again: which are out, where they are handed
     * out. */
    bool has_book;
    struct reissue book;
    bool steals;
    struct steal_loop steal; /* in place of both */
};

struct chain {
    struct chain_root *root;
    const struct cell *cell;
    const struct comm *comm;
    const struct tree *tree;
    bool has_window, has_relay, has_push, has_steal;
    struct window window;
    struct relay relay;
    struct push push;
    struct steal steal;
    int workers;                   /* of this rank */
    union chain_source *source;    /* one per worker of this rank */
    union chain_source *upstream;  /* node pools below a window */
    int upstreams, upstream_first; /* and the worker that the first is */
    struct source **upstream_list;
    /* Chunks may be handed out again: the sources of workers beside the book,
     * and what each worker computes (not in simulation). */
    struct reissue_source *again;
    char **own, *output;
    size_t own_bytes, output_bytes;
};

/* Of transport steal: what its victims are drawn by, and where each worker is
 * (NULL: not known). */
struct chain_thieves {
    uint64_t seed;
    const struct site *site;
};

/* Once per process, before its chains.  memory: the counter and the state are
 * kept here, not in a window and not by a master elsewhere.  plan: of protocol
 * push, else NULL.  cell, loop, tree, powers, plan and the sites stay the
 * caller's.  Returns 0 or -errno, not agreed. */
int chain_root_open(struct chain_root *root, const struct cell *cell,
                    const struct loop *loop, const struct tree *tree,
                    const struct powers *powers, const struct planned *plan,
                    const struct chain_thieves *thieves, bool memory,
                    struct error *err);
void chain_root_close(struct chain_root *root);

/* Before a repetition or, with further_step, before the next time step in it,
 * by whoever has the counter and the state. */
void chain_root_reset(struct chain_root *root, bool further_step);

/* Collective: all ranks return the same code.  -ENOTSUP: this chain cannot
 * be built here (sizes that depend on who asks, over an rma window).  root,
 * tree, loop and comm stay the caller's. */
int chain_open(struct chain *chain, struct chain_root *root,
               const struct loop *loop, const struct tree *tree,
               const struct comm *comm, const struct engine_patience *patience,
               struct error *err);
void chain_close(struct chain *chain);

/* The same on every rank; then, by thread 0 of the rank itself,
 * it listens to requests.  A barrier must follow. */
void chain_reset(struct chain *chain, bool further_step);
void chain_listen(struct chain *chain);

/* What worker i of this rank (counted there) calls for its chunks, after a
 * reset; and where it computes. */
struct source *chain_source(struct chain *chain, int i);
char *chain_output(const struct chain *chain, int i);

/* Where chunks may be handed out again: whether all results are known to be in
 * place; false where they may not.  By any worker. */
bool chain_is_over(struct chain *chain);

/* After the results were verified: overwrites how they came. */
void chain_poison(struct chain *chain, int byte);

/* The chain's own parts, in harness/run/chain_reissue.c. */
int chain_root_open_book(struct chain_root *root, const struct loop *loop,
                         int workers, struct error *err);
int chain_reissue_open(struct chain *chain, const struct loop *loop,
                       struct error *err);
void chain_reissue_close(struct chain *chain);
void chain_reissue_sources(struct chain *chain);

/* Whether thread 0 of this rank has to let messages go on while it computes,
 * and what it calls then. */
bool chain_polls(const struct chain *chain);
bool chain_progress(struct chain *chain);

/* By each worker when it has left the loop; by thread 0 after that, until this
 * rank has nothing to send and nobody to serve any more. */
void chain_leave(struct chain *chain);
void chain_finish(struct chain *chain);

/* What this rank sent since the reset, added up. */
void chain_traffic(const struct chain *chain, int64_t *messages,
                   int64_t *bytes);

/* What worker `i` of this rank stole since the reset; nothing under other
 * transports. */
struct steal_tally chain_stolen(const struct chain *chain, int i);

/* Where results are: whether a worker of this rank keeps its own, and which
 * chunks of others were collected here, one after the other from *cursor = 0;
 * false: no more. */
bool chain_keeps(const struct chain *chain, int worker);
bool chain_collected(const struct chain *chain, int64_t *cursor, int64_t *start,
                     int64_t *size);

/* The input of a worker's current chunk, where it is sent: its memory, and the
 * iteration that it begins with.  `i` counts the workers of this rank. */
const char *chain_data(const struct chain *chain, int i, int64_t *first);

#endif
