/* Push: a master sends load to its workers by a plan that all ranks know
 * (protocol push; Beaumont, Legrand and Robert).  A message is the input data
 * of one chunk, sent after the messages before it in the plan: the one port of
 * harness/messages/input.h.  Without overlap a worker receives only between
 * chunks, and the port waits for it.  With overlap up to LANDINGS - 1 chunks
 * arrive while it computes.  A master that also computes needs no messages for
 * its own chunks. */
#ifndef HARNESS_TRANSPORT_PUSH_PUSH_H
#define HARNESS_TRANSPORT_PUSH_PUSH_H

#include "harness/hierarchy/tree.h"
#include "harness/messages/input.h"
#include "harness/messages/source.h"
#include "sched/divisible/periodic.h"

/* A chunk of the plan, in the order of sending. */
struct push_chunk {
    int worker;
    struct chunk chunk;
};

/* What is needed to plan rounds while the loop runs (replan). */
struct push_replan {
    struct divisible_periods periods;
    struct divisible_platform platform;
    int64_t iterations; /* each is one unit of load */
};

struct push_setup {
    const struct comm *comm;
    const struct tree *tree; /* flat; the master is rank 0 */
    const struct input *input;
    const struct push_chunk *list;
    int64_t count;
    const struct push_replan *replan; /* NULL: follow the list */
    bool overlap;
    bool collect; /* sends results to the master, chunk by chunk */
    struct engine_patience patience;
    const void *output; /* results of the whole loop: this rank's memory */
    void *inbox;        /* memory for collected results */
    size_t output_bytes;
};

/* Rounds that the master plans during the loop.  Each chunk's start and size
 * are sent before its data, and its time is sent back. */
struct push_rounds {
    struct mailbox box; /* at the master: times; at a worker: chunks */
    /* The master's: */
    struct divisible_rounds left; /* the load not yet planned */
    bool open;                    /* `left` is open */
    struct push_chunk *list;      /* planned so far; freed here */
    int64_t room;
    double load;                    /* of the list, not rounded */
    int64_t units;                  /* of the list */
    int64_t messages;               /* of the last round */
    struct push_worker_count *sent; /* by worker; freed here */
};
struct push_worker_count {
    int64_t sent, done; /* chunks */
};

/* The part of one rank. */
struct push {
    struct push_setup setup;
    MPI_Datatype iteration; /* output of one iteration */
    struct mailbox box;     /* incoming results */
    struct port port;       /* the master's sends */
    bool begun;
    struct landing landing;        /* the worker's receives */
    int64_t chunks;                /* of this rank's worker, in the list */
    const struct push_chunk *list; /* that of the setup or the rounds */
    int64_t count;
    struct push_rounds rounds; /* with replan */
};

/* Every rank calls it.  Returns 0 or -ENOMEM. */
int push_open(struct push *push, const struct push_setup *setup,
              struct error *err);
void push_close(struct push *push);

/* Before a repetition; a barrier must follow.  Then push_listen, by the rank
 * itself: the master is ready for results. */
void push_reset(struct push *push);
void push_listen(struct push *push);

/* Whether it must make progress on messages while it computes, and how. */
bool push_polls(const struct push *push);
bool push_poll(struct push *push);

/* After its own work: waits until all is sent and all results have arrived. */
void push_finish(struct push *push);

/* Whether this chunk's results travel to the master from another rank. */
bool push_collects(const struct push *push, const struct push_chunk *chunk);

/* ---- rounds (push_rounds.c) ---- */

int push_rounds_open(struct push *push);
void push_rounds_close(struct push *push);
void push_rounds_reset(struct push *push);

/* The master plans all rounds that it can plan now. */
void push_rounds_go_on(struct push *push);
/* Waits until the next round can be planned.  A master without chunks (`idle`)
 * waits until at most one round waits for the port. */
void push_rounds_next(struct push *push, bool idle);
/* After its own work: the master plans the rest and waits for all times. */
void push_rounds_finish(struct push *push);

/* Reports to the master that a worker's chunk took from since_s until now. */
void push_rounds_add(struct push *push, int worker, const struct chunk *chunk,
                     double since_s);
/* A worker's next chunk; false: none is left. */
bool push_rounds_take(struct push *push, struct source *source,
                      struct chunk *chunk);

/* The chunk's data join the queue for the port; its results are expected. */
void push_send(struct push *push, const struct push_chunk *chunk);
void push_await(struct push *push, const struct push_chunk *chunk);

/* A worker's source.  `data` is the input of the current chunk. */
struct push_source {
    struct source base;
    struct push *push;
    const char *data;
    int64_t at; /* next position in the list */
    struct chunk current;
    double since_s; /* its begin, with replan */
};

void push_source_open(struct push_source *source, struct push *push,
                      int worker);

#endif
