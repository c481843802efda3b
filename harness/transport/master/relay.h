/* The relay: the masters that one rank hosts, and their messages.
 *
 * Workers and masters on other ranks ask by message (struct request) and get
 * tasks back.  The results of a finished chunk travel with the next request.
 * All messages of a rank in a loop go through the relay, one thread at a time
 * (MPI_THREAD_SERIALIZED). */
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
    MPI_Request refill; /* the awaited answer */
    int asked_by;       /* address of the asking thread */
    struct task *tasks; /* room for that answer */
    char *message;      /* its request, followed by reports; NULL: none */
};

/* With reissued chunks: the message that the loop is over. */
struct relay_over {
    bool sent; /* by the master, to the other ranks */
    MPI_Request request;
    char byte;
    _Atomic bool known;
};

/* Requests that are answered when their results have arrived, in order of
 * arrival.  The first `posted` ones have a receive. deferred NULL: answers
 * never wait. */
struct relay_deferred {
    struct request request;
    MPI_Request coming; /* null after arrival */
};
struct relay_first {
    struct relay_deferred *deferred; /* at most one of each remote worker */
    int count, posted;
};

struct relay {
    const struct comm *comm;
    const struct tree *tree;
    struct engine_patience patience;
    bool learns; /* a scheme, or one of two, learns */
    bool prefetch;
    int64_t ahead; /* with prefetch: iterations before a chunk's end */

    bool shares; /* masters on this host read results from shared memory */

    int count; /* masters hosted here, parents before children */
    struct hosted *hosted;
    struct task *reply;        /* room for the largest refill */
    _Atomic int working;       /* threads of this rank still in the loop */
    struct engine_event moved; /* a pool was filled, or a thread has left */

    struct mailbox box;
    struct request_queue queue;
    struct result_collector results;
    struct relay_first first;

    /* With reissued chunks: the ledger at the master's rank (in simulation at
     * every rank). */
    bool reissues;
    struct reissue *ledger;
    struct relay_over over;

    const struct input *input; /* sent with every chunk; NULL: none */
    struct port port;          /* the master's sends */
    struct landing landing;    /* the worker's receives */
};

struct relay_setup {
    const struct comm *comm;
    const struct tree *tree;
    bool collect, prefetch;
    bool shares;   /* all ranks of a host share output and inbox */
    bool first;    /* answers a request after its results arrived */
    int64_t ahead; /* see struct source */
    struct engine_patience patience;
    struct sched *scheme; /* used only at the supermaster's rank */
    const struct sched_pair *pair;
    /* Two schemes: the workers of the outer one, and the input of masters that
     * cut ranges. units NULL: one scheme. */
    const struct range_units *units;
    int64_t iterations, min_chunk;
    const double *power; /* of all workers */
    const double *cost;  /* sums before each iteration; NULL: unknown */
    const void *output;
    void *inbox;
    size_t output_bytes;
    /* With reissued chunks: the ledger at the master's rank (NULL elsewhere,
     * except in simulation); its workers compute into `own`, NULL in
     * simulation. */
    bool reissues;
    struct reissue *ledger;
    char *const *own;
    /* Data sent to a worker with each chunk, even an empty one; NULL: none.
     * Only without hierarchy, with one thread in each rank. */
    const struct input *input;
};

/* Opens the masters of this rank (none on plain worker ranks).  Every rank must
 * call it.  Returns 0, -ENOMEM or, if masters cut ranges, as range_open
 * does. */
int relay_open(struct relay *relay, const struct relay_setup *setup,
               struct error *err);
void relay_close(struct relay *relay);

/* Before a repetition, untimed; a barrier must follow. remember: masters that
 * cut ranges keep what their scheme has learned. */
void relay_reset(struct relay *relay, bool remember);

/* After relay_reset, by thread 0 of the rank: receives requests from now on. */
void relay_listen(struct relay *relay);

/* Handles arrived messages; returns whether there were any.  For polling:
 * returns at once if another thread is handling them. */
bool relay_poll(struct relay *relay);

/* relay_poll for a waiting thread.  In simulation it only handles messages to
 * send, because blocking handles all others. */
bool relay_progress(struct relay *relay);

/* For a thread that waits for its own message in simulation: blocks until
 * `other` is complete (then null, with its *status), or a request was
 * served. */
void relay_serve_beside(struct relay *relay, MPI_Request *other,
                        MPI_Status *status);

/* Whether this rank must serve others while it computes. */
bool relay_serves(const struct relay *relay);

/* Whether this rank must let messages progress while it computes: it serves
 * others, or its next chunk's data are on their way. */
bool relay_polls(const struct relay *relay);

/* With reissued chunks: whether the master is known to have all results. */
bool relay_is_over(struct relay *relay);

/* Takes a chunk that its scheme reserves for `worker`, for another worker of
 * the master `relay`. */
bool relay_reserved(void *relay, int worker, struct chunk *chunk);

/* By each thread of the rank when it has left the loop. */
void relay_leave(struct relay *relay);

/* By thread 0 after that: serves until the other threads have left, all remote
 * children are done, all results have arrived and its messages are sent. */
void relay_finish(struct relay *relay);

/* A worker's source, whose master is in this rank or another. */
struct relay_source {
    struct source base;
    struct relay *relay;
    struct master *master; /* in this rank, or NULL */
    int leaf;              /* index of the master in the tree */
    int thread;
    bool sends;            /* its results are sent to a master */
    struct chunk current;  /* being computed, size 0: none */
    struct chunk finished; /* results not sent yet */
    int64_t running;       /* size of the chunk being timed, 0: none */
    double asked_s, got_s;
    struct report report; /* not sent yet, size 0: none */
    bool (*plain)(struct source *, struct chunk *); /* next without times */
    bool asked, left;
    MPI_Request answer;
    struct chunk reply;
    const char *data;   /* input of the current chunk, if it is sent */
    int64_t data_start; /* its first iteration */
};

void relay_source_open(struct relay_source *source, struct relay *relay,
                       int worker);

/* Whether this rank's worker sends its results to a master. */
bool relay_sends(const struct relay *relay, int worker);

/* The source of a worker that takes no part: it never gets a chunk. */
void relay_source_absent(struct relay_source *source, struct relay *relay,
                         int worker);

/* ---- private parts, for the files relay*.c only ----
 *
 * relay.c opens and finishes; relay_serve.c is the masters' side, relay_ask.c
 * the workers', relay_wait.c both sides' waiting. relay_collect.c delays
 * answers until results arrive; relay_reissue.c handles reissued chunks on
 * both sides. */

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

/* Sends a request whose kind, master, child and worker's times are set,
 * followed by the results of a finished chunk (NULL: none).  With MPI held. */
void relay_send_request(struct relay *relay, struct request request, int thread,
                        const struct chunk *finished);
/* Sends a hosted master's request to the master above, with its reports. */
void relay_send_hosted(struct relay *relay, struct hosted *hosted,
                       enum request_kind kind);

/* Answers a request, or lets it wait for a refill, and receives the next; takes
 * a refill for a hosted master.  With MPI held. */
void relay_handle_request(struct relay *relay, const struct request *request);
void relay_take_refill(struct relay *relay, struct hosted *hosted,
                       const MPI_Status *status);
/* Sends the answer to a request after all other handling. */
void relay_answer(struct relay *relay, const struct request *request);

/* relay_first_defer keeps a request until its results arrive; false: answer it
 * now.  The others answer requests whose receive is complete (relay_first_poll
 * tests that), and return whether there were any.  With MPI held. */
int relay_first_open(struct relay_first *first, int children);
void relay_first_close(struct relay_first *first);
bool relay_first_defer(struct relay *relay, const struct request *request);
bool relay_first_answer(struct relay *relay);
bool relay_first_poll(struct relay *relay);
/* Sends hosted masters' requests to those above; refills: some arrived. */
void relay_follow_up(struct relay *relay, bool refills);

/* After relay_progress without a message: passes a moment, or blocks until a
 * message comes and handles it. */
void relay_pause(struct relay *relay, struct engine_idle *idle);

/* Whether an answer from above is still awaited. */
bool relay_refilling(const struct relay *relay);

/* The answer to a worker with reissued chunks: the fresh chunk of `answer`, an
 * old chunk again, or a time to wait before it asks again. relay_wait_s reads
 * the answer: seconds to wait; 0: a chunk or the end. */
void relay_reissue_answer(struct relay *relay, int worker,
                          enum master_answer answer, struct chunk *chunk);
double relay_wait_s(const struct chunk *reply);

/* A message tells all ranks the end; each waits for it when it has finished. */
void relay_over_reset(struct relay *relay);
void relay_over_listen(struct relay *relay);
void relay_send_over(struct relay *relay);
void relay_await_over(struct relay *relay);

#endif
