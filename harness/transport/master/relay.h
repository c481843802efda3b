/* The relay: the masters that one rank hosts, and their messages.
 *
 * Workers and masters on other ranks ask by message (struct request) and get
 * tasks back; the results of a finished chunk travel with the next request.
 * Everything a rank sends or receives inside a loop goes through here, one
 * thread at a time (MPI_THREAD_SERIALIZED). */
#ifndef HARNESS_TRANSPORT_MASTER_RELAY_H
#define HARNESS_TRANSPORT_MASTER_RELAY_H

#include "harness/engine/engine.h"
#include "harness/hierarchy/tree.h"
#include "harness/messages/comm.h"
#include "harness/messages/input.h"
#include "harness/messages/mailbox.h"
#include "harness/messages/source.h"
#include "harness/transport/master/master.h"
#include "harness/transport/master/request_queue.h"
#include "harness/transport/master/result_collector.h"
#include "harness/transport/reissue/reissue.h"

#include <mpi.h>

/* A master of this rank, and its requests to a parent in another. */
struct hosted {
    struct master master;
    MPI_Request refill; /* the answer that it waits for */
    int asked_by;       /* address of the thread that asked */
    struct task *tasks; /* room for that answer */
    char *message;      /* its request with its reports; NULL: no reports */
};

/* Where chunks may be handed out again: that it is over. */
struct relay_over {
    bool sent; /* to the others, by the master */
    MPI_Request request;
    char byte;
    _Atomic bool known;
};

/* Requests whose answer waits for their results, in the order in which they
 * came; the first `posted` of them are being received.  deferred NULL: none
 * waits. */
struct relay_deferred {
    struct request request;
    MPI_Request coming; /* null once they arrived */
};
struct relay_first {
    struct relay_deferred *deferred; /* one of a worker elsewhere, at most */
    int count, posted;
};

struct relay {
    const struct comm *comm;
    const struct tree *tree;
    struct engine_patience patience;
    bool learns; /* the scheme, or one of two */
    bool prefetch;
    int64_t ahead; /* iterations before the end of a chunk, with prefetch */

    bool shares; /* results for a master of this host are in its memory */

    int count; /* masters hosted here, parents before children */
    struct hosted *hosted;
    struct task *reply;        /* room for the largest refill */
    _Atomic int working;       /* threads of this rank still in the loop */
    struct engine_event moved; /* a pool was filled, or a thread has left */

    struct mailbox box;
    struct request_queue queue;
    struct result_collector results;
    struct relay_first first;

    /* Chunks may be handed out again, by the ledger of the master's rank
     * (simulated: everywhere). */
    bool reissues;
    struct reissue *ledger;
    struct relay_over over;

    const struct input *input; /* sent with every chunk; NULL: none */
    struct port port;          /* the master's */
    struct landing landing;    /* the worker's */
};

struct relay_setup {
    const struct comm *comm;
    const struct tree *tree;
    bool collect, prefetch;
    bool shares;   /* output and inbox are memory of all ranks of a host */
    bool first;    /* results are received first, then a request is answered */
    int64_t ahead; /* see struct source */
    struct engine_patience patience;
    struct sched *scheme; /* used at the supermaster's rank only */
    const struct sched_pair *pair;
    /* Two schemes: the workers of the outer one, and the inputs of the masters
     * below the supermaster that cut.  units NULL: one scheme. */
    const struct range_units *units;
    int64_t iterations, min_chunk;
    const double *power; /* of all workers */
    const double *cost;  /* of the iterations; NULL: unknown */
    const void *output;
    void *inbox;
    size_t output_bytes;
    /* Chunks may be handed out again, by the ledger of the master's rank (NULL
     * elsewhere, but for simulations); what its workers compute is in `own`,
     * NULL in simulation. */
    bool reissues;
    struct reissue *ledger;
    char *const *own;
    /* Data that follow each chunk to its worker, also an empty one; NULL: none.
     * Only flat, with one thread in each rank. */
    const struct input *input;
};

/* Opens the masters of this rank (none on plain worker ranks).  Collective
 * only in that every rank opens one.  Returns 0, -ENOMEM or, where masters cut
 * ranges, as range_open does. */
int relay_open(struct relay *relay, const struct relay_setup *setup,
               struct error *err);
void relay_close(struct relay *relay);

/* Before a repetition, outside the timed part, with a barrier behind it.
 * remember: masters that cut keep what their scheme has learned. */
void relay_reset(struct relay *relay, bool remember);

/* After it, by thread 0 of the rank itself: receives requests from now on. */
void relay_listen(struct relay *relay);

/* Handles arrived messages; returns whether there were any.  For polls: returns
 * at once when another thread does so. */
bool relay_poll(struct relay *relay);

/* The same for a waiting thread: in simulation it handles only messages to
 * send, because blocking brings all the rest. */
bool relay_progress(struct relay *relay);

/* For a thread that waits for its own message in simulation: blocks until
 * `other` is complete, which then is null with its *status, or until a request
 * was served. */
void relay_serve_beside(struct relay *relay, MPI_Request *other,
                        MPI_Status *status);

/* Whether this rank must serve others while it computes. */
bool relay_serves(const struct relay *relay);

/* Whether this rank must let messages progress while it computes: it serves
 * others, or its next chunk's data are on their way. */
bool relay_polls(const struct relay *relay);

/* Where chunks may be handed out again: whether all results are known to be at
 * the master. */
bool relay_is_over(struct relay *relay);

/* A chunk that its scheme keeps for `worker`, for another worker at the master
 * `relay`. */
bool relay_reserved(void *relay, int worker, struct chunk *chunk);

/* By each thread of the rank when it has left the loop. */
void relay_leave(struct relay *relay);

/* By thread 0 after that: serves until the other threads have left, all
 * remote children are done, all results are here and all own messages out. */
void relay_finish(struct relay *relay);

/* A worker's end: with a master in this rank, or at another one. */
struct relay_source {
    struct source base;
    struct relay *relay;
    struct master *master; /* in this rank, or NULL */
    int leaf;              /* index of the master in the tree */
    int thread;
    bool sends;            /* its results travel */
    struct chunk current;  /* being computed, size 0: none */
    struct chunk finished; /* whose results were not sent yet */
    int64_t running;       /* size of the chunk whose time is taken, 0: none */
    double asked_s, got_s;
    struct report report; /* of one not yet reported, size 0: none */
    bool (*plain)(struct source *, struct chunk *); /* under one that learns */
    bool asked, left;
    MPI_Request answer;
    struct chunk reply;
    const char *data;   /* input of the current chunk, where it is sent */
    int64_t data_start; /* its first iteration */
};

void relay_source_open(struct relay_source *source, struct relay *relay,
                       int worker);

/* Whether the results of this rank's worker travel to a master. */
bool relay_sends(const struct relay *relay, int worker);

/* The end of a worker that takes no part: it never gets a chunk. */
void relay_source_absent(struct relay_source *source, struct relay *relay,
                         int worker);

/* ---- private parts, for the files relay*.c only ----
 *
 * relay.c opens and finishes, relay_serve.c is the masters' end, relay_ask.c
 * the workers', relay_wait.c the waits of both. relay_collect.c delays answers
 * until results arrive; relay_reissue.c is the work of both with reissued
 * chunks. */

enum {
    RELAY_REQUEST = 1,
    RELAY_REFILL = 2,
    RELAY_DATA = 3,
    RELAY_OVER = 4,
    /* + thread of the worker, which keeps the results of one worker in the
     * order of its requests */
    RELAY_REPLY = 1 << 10,
    RELAY_RESULT = 1 << 15,
};

/* The master with this index in the tree, NULL: not in this rank. */
struct master *relay_hosted(const struct relay *relay, int index);

/* A request of which kind, master, child and a worker's times are set; behind
 * it the results of a finished chunk (NULL: none travel).  With MPI held. */
void relay_send_request(struct relay *relay, struct request request, int thread,
                        const struct chunk *finished);
/* A request of a hosted master to the one above, with its reports. */
void relay_send_hosted(struct relay *relay, struct hosted *hosted,
                       enum request_kind kind);

/* Answers a request, or lets it wait for a refill, and receives the next; and a
 * refill for a hosted master has come.  With MPI held. */
void relay_handle_request(struct relay *relay, const struct request *request);
void relay_take_refill(struct relay *relay, struct hosted *hosted,
                       const MPI_Status *status);
/* Its answer, when all else is done for it. */
void relay_answer(struct relay *relay, const struct request *request);

/* Keeps a request until its results are there; false: it is to be answered at
 * once.  Then answers those whose receives are known to have ended, after a
 * poll all that have; both return whether there were any.  With MPI held. */
int relay_first_open(struct relay_first *first, int children);
void relay_first_close(struct relay_first *first);
bool relay_first_defer(struct relay *relay, const struct request *request);
bool relay_first_answer(struct relay *relay);
bool relay_first_poll(struct relay *relay);
/* Sends what hosted masters want of those above; refills: some have come. */
void relay_follow_up(struct relay *relay, bool refills);

/* relay_progress came to nothing: passes a moment, or blocks until something
 * comes and handles that. */
void relay_pause(struct relay *relay, struct engine_idle *idle);

/* Whether an answer from above is still under way. */
bool relay_refilling(const struct relay *relay);

/* The answer to a worker where chunks may be handed out again: the fresh chunk
 * of `answer`, an old chunk once more, or the time to wait before it asks
 * again; and the worker's reading of the answer: seconds to wait, 0: a chunk,
 * or the end. */
void relay_reissue_answer(struct relay *relay, int worker,
                          enum master_answer answer, struct chunk *chunk);
double relay_wait_s(const struct chunk *reply);

/* A message tells all ranks the end, and each waits for it at its end. */
void relay_over_reset(struct relay *relay);
void relay_over_listen(struct relay *relay);
void relay_send_over(struct relay *relay);
void relay_await_over(struct relay *relay);

#endif
