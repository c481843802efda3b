/* The relay: the masters that one rank hosts, and their messages.
 *
 * Workers and masters on other ranks ask by message (struct request) and get
 * tasks back; the results of a finished chunk travel with the next request.
 * Everything a rank sends or receives inside a loop goes through here, one
 * thread at a time (MPI_THREAD_SERIALIZED). */
#ifndef HARNESS_TRANSPORT_MASTER_RELAY_H
#define HARNESS_TRANSPORT_MASTER_RELAY_H

#include "harness/comm/comm.h"
#include "harness/comm/input.h"
#include "harness/comm/source.h"
#include "harness/engine/engine.h"
#include "harness/hierarchy/tree.h"
#include "harness/transport/master/master.h"
#include "harness/transport/reissue/reissue.h"

#include <mpi.h>

enum request_kind {
    REQUEST_WORK,   /* a worker wants a chunk */
    REQUEST_REFILL, /* a master wants tasks for all its workers */
    REQUEST_RESULT, /* only brings results */
    REQUEST_FINAL,  /* results, and nothing more will come from this one */
};

/* Fixed size.  When size > 0 and results are collected, the output of
 * iterations [start, start + size) follows in a message of its own. */
struct request {
    int32_t kind;
    int32_t master; /* in the tree: who is asked */
    int32_t child;  /* worker number, or index of the asking master */
    int32_t from;   /* address of the asking thread */
    int64_t start, size;
    /* Schemes that learn.  From a worker: his last chunk had `ran` iterations
     * (0: nothing to tell) and took these times (struct report).  From a
     * master: so many reports follow in the same message. */
    int64_t ran;
    float ran_s, whole_s;
};

/* Growing lists of requests in flight and of what was received. */
struct flights {
    MPI_Request *list;
    int count, room;
};
struct received {
    int64_t start, size;
    int from, tag;
};

/* Results of a loop whose chunks may be handed out again, on their way to the
 * master: not to their place, which the first of them takes when it is whole.
 */
struct arrival {
    MPI_Request request;
    int64_t start, size;
    int32_t worker;
};

struct relay {
    const struct comm *comm;
    const struct tree *tree;
    struct engine_patience patience;
    bool collect; /* results travel to the master */
    bool learns;  /* the scheme, or one of two */
    bool prefetch;
    int64_t ahead; /* iterations before the end of a chunk, with prefetch */

    int count; /* masters hosted here, parents before children */
    struct master *master;
    MPI_Request *refill; /* the answer that a hosted master waits for */
    int *refill_by;      /* address of the thread that asked */
    struct task **refill_tasks;
    char *
        *outgoing; /* a hosted master's request with its reports; NULL: none */

    _Atomic int working;  /* threads of this rank still in the loop */
    int remote_children;  /* that will say final */
    int finals;           /* said so far */
    _Atomic bool serving; /* receives for requests are posted */
    int ring, oldest, posted;
    char *request; /* of the posted receives, a ring */
    size_t slot;   /* of it: a request and the most reports behind one */
    MPI_Request *incoming;
    struct engine_event moved; /* a pool was filled, or a thread has left */
    struct request *queue;     /* requests that wait for a refill */
    int queued, queue_room;

    const char *output;     /* of the whole loop, this rank's copy */
    char *inbox;            /* where results are collected; may be the same */
    MPI_Datatype iteration; /* output of one iteration */
    size_t output_bytes;
    struct flights flights;
    struct comm_outbox outbox; /* requests and answers */
    struct received *received; /* results collected here */
    int received_count, received_room;
    int posted_results; /* of those received, that have a receive by now */
    struct task *reply; /* room for the largest refill */

    /* Chunks may be handed out again: */
    bool reissues;
    struct reissue *book;    /* where the master is (simulated: everywhere) */
    char *const *own;        /* what each worker of this rank computes */
    char **landed;           /* the master's: of each worker, as it came */
    struct arrival *arrival; /* on their way */
    int arrivals, arrival_room;
    bool told;                /* the others, that it is over */
    MPI_Request over_request; /* their receive for that */
    char over_byte;
    _Atomic bool over;

    const struct input *input; /* sent with every chunk; NULL: none */
    struct port port;          /* the master's */
    struct landing landing;    /* the worker's */

    int64_t messages, bytes; /* sent by this rank since the reset */
};

struct relay_setup {
    const struct comm *comm;
    const struct tree *tree;
    bool collect, prefetch;
    int64_t ahead; /* see struct source */
    struct engine_patience patience;
    struct sched *scheme; /* used at the supermaster's rank only */
    const struct sched_pair *pair;
    /* Two schemes: the workers of the outer one, and what the masters below
     * the supermaster need to cut.  units NULL: one scheme. */
    const struct range_units *units;
    int64_t iterations, min_chunk;
    const double *power; /* of all workers */
    const void *output;
    void *inbox;
    size_t output_bytes;
    /* Chunks may be handed out again, by the book of the master's rank (NULL
     * elsewhere, but for simulations); what its workers compute is in `own`,
     * NULL in simulation. */
    bool reissues;
    struct reissue *book;
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

/* Handles what has arrived; returns whether there was anything.  For polls:
 * returns at once when another thread is at it. */
bool relay_poll(struct relay *relay);

/* The same for one who waits: in simulation it handles nothing but what is to
 * be sent, because blocking brings all the rest. */
bool relay_progress(struct relay *relay);

/* For one who waits for a message of his own in simulation: blocks until
 * `other` is complete, which then is null with its *status, or until something
 * was served. */
void relay_serve_beside(struct relay *relay, MPI_Request *other,
                        MPI_Status *status);

/* Whether this rank must serve others while it computes. */
bool relay_serves(const struct relay *relay);

/* Whether this rank must let messages go on while it computes: it serves
 * others, or its next chunk's data are on their way. */
bool relay_polls(const struct relay *relay);

/* Where chunks may be handed out again: whether all results are known to be at
 * the master. */
bool relay_is_over(struct relay *relay);

/* A chunk that its scheme keeps for `worker`, for whoever is at the master
 * `relay`. */
bool relay_reserved(void *relay, int worker, struct chunk *chunk);

/* Overwrites what came of results (after they were verified). */
void relay_poison(struct relay *relay, int byte);

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
    struct chunk current;  /* being computed, size 0: none */
    struct chunk finished; /* whose results were not sent yet */
    int64_t running;       /* size of the chunk whose time is taken, 0: none */
    double asked_s, got_s;
    struct report told; /* of one that was not yet told, size 0: none */
    bool (*plain)(struct source *, struct chunk *); /* under one that learns */
    bool asked, left;
    MPI_Request answer;
    struct chunk reply;
    const char *data;   /* input of the current chunk, where it is sent */
    int64_t data_start; /* its first iteration */
};

void relay_source_open(struct relay_source *source, struct relay *relay,
                       int worker);

/* The end of a worker that takes no part: it never gets a chunk. */
void relay_source_absent(struct relay_source *source, struct relay *relay,
                         int worker);

#endif
