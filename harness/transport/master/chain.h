/* The chain of sources by which transports shared, master and window hand out a
 * scheme's chunks.  The sequence is in memory or in a window; masters and pools
 * are between it and the workers.  Only this code decides by the hierarchy. */
#ifndef HARNESS_TRANSPORT_MASTER_CHAIN_H
#define HARNESS_TRANSPORT_MASTER_CHAIN_H

#include "harness/messages/source_rma.h"
#include "harness/transport/master/relay.h"
#include "harness/transport/transport.h"

/* One worker's source of any kind, on separate cache lines. */
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

/* How the three transports differ. */
struct chain_kind {
    bool direct;   /* without a hierarchy workers use the counter */
    bool windowed; /* the counter is in a window */
};

/* The data shared by all ranks of a process: the scheme, and its progress. */
struct chain_root {
    const struct transport_setup *setup;
    const struct chain_kind *kind;
    struct range_units units; /* two schemes: the outer's workers; else empty */
    struct sched_loop loop;
    struct sched_table table;  /* steps 0: the scheme needs its state */
    struct source_early early; /* for the table's steps */
    struct sched_table order;  /* of a scheme with an order, for its state */
    /* In private memory or in a window; NULL if a master in another process has
     * them. */
    struct source_counter *counter;
    struct chain_state *state;
    struct source_back *back; /* chunks given back; with a state */
    struct sched sched;
    bool owns_memory; /* counter and state are not in a window */
    /* With reissued chunks: the ledger, if this process hands out chunks. */
    bool has_ledger;
    struct reissue ledger;
};

/* The part of one rank. */
struct chain {
    struct chain_root *root;
    const struct transport_setup *setup;
    const struct comm *comm;
    const struct tree *tree;
    bool has_window, has_relay;
    struct window window;
    struct relay relay;
    int workers;                /* of this rank */
    union chain_source *source; /* one per worker of this rank */
    /* Node pools below a window: what they ask, and the window's worker number
     * of the first of its sources. */
    struct master_upstream upstream;
    union chain_source *upstream_source;
    int upstream_first;
    /* With reissued chunks: the sources of workers that share memory with the
     * ledger, and each worker's results (not in simulation). */
    struct reissue_source *again;
    char **own;
    size_t own_bytes;
};

/* Implements `share` for a transport of this kind. */
int chain_share(const struct transport_setup *setup,
                const struct chain_kind *kind, void **root, struct error *err);

/* The other functions of the three transports (struct transport_ops). */
void chain_unshare(void *root);
int chain_rewind(void *root, bool further_step);
int chain_open(const struct transport *transport, const struct comm *comm,
               void **chain, struct error *err);
void chain_close(void *chain);
void chain_reset(void *chain, bool further_step);
void chain_listen(void *chain);
struct source *chain_source(void *chain, int i);
bool chain_polls(const void *chain);
bool chain_poll(void *chain);
void chain_serve(void *chain, MPI_Request *other, MPI_Status *status);
void chain_leave(void *chain);
void chain_finish(void *chain);
struct transport_traffic chain_traffic(const void *chain);
bool chain_keeps(const void *chain, int worker);
bool chain_collected(const void *chain, int64_t *cursor, int64_t *start,
                     int64_t *size);
void chain_poison(void *chain, int byte);
char *chain_output(const void *chain, int i);
const char *chain_data(const void *chain, int i, int64_t *first);
bool chain_is_over(void *chain);
struct reissue *chain_ledger(void *root);
enum engine_cost chain_cost(const void *chain, int i);

#define CHAIN_OPS                                                              \
    .unshare = chain_unshare, .rewind = chain_rewind, .open = chain_open,      \
    .close = chain_close, .reset = chain_reset, .listen = chain_listen,        \
    .source = chain_source, .polls = chain_polls, .poll = chain_poll,          \
    .serve = chain_serve, .leave = chain_leave, .finish = chain_finish,        \
    .traffic = chain_traffic, .keeps = chain_keeps,                            \
    .collected = chain_collected, .poison = chain_poison,                      \
    .output = chain_output, .data = chain_data, .is_over = chain_is_over,      \
    .ledger = chain_ledger, .cost = chain_cost

/* ---- private parts ---- */

/* Whether the chain has a window for remote memory access. */
static inline bool chain_uses_rma(const struct chain *chain)
{
    return chain->has_window && !chain->window.shared;
}

static inline bool chain_takes_part(const struct chain *chain, int worker)
{
    const double *available = chain->setup->available;
    return available == NULL || available[worker] > 0;
}

/* harness/transport/master/chain_source.c: the source of each worker. */
void chain_open_sources(struct chain *chain, bool further_step);

/* The counts that flat transports in memory report for each worker. */
#define CHAIN_AHEAD_FACT                                                       \
    {                                                                          \
        "ahead", "count", "chunks that were asked for before the last one ran" \
    }
void chain_ahead_facts(const void *chain, int i,
                       int64_t value[TRANSPORT_FACTS]);

/* harness/transport/master/chain_reissue.c. */
int chain_root_open_ledger(struct chain_root *root, struct error *err);
int chain_reissue_open(struct chain *chain, struct error *err);
void chain_reissue_close(struct chain *chain);
void chain_reissue_sources(struct chain *chain);

#endif
