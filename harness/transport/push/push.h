/* Push: a master sends load to its workers by a plan that all know (protocol
 * push; Beaumont, Legrand and Robert).  A message holds the input data of one
 * chunk and leaves when those before it in the plan have left: the one port of
 * harness/messages/input.h.  Without overlap a worker is ready for a message
 * when it has computed its chunk, and the port waits for it; with overlap up to
 * LANDINGS - 1 chunks come while it computes.  A master that also computes has
 * its own chunks at hand, without messages. */
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

/* The data for planning rounds while the loop runs (replan). */
struct push_replan {
    struct divisible_periods periods;
    struct divisible_platform platform;
    int64_t iterations; /* a unit of load each */
};

struct push_setup {
    const struct comm *comm;
    const struct tree *tree; /* flat; the master is rank 0 */
    const struct input *input;
    const struct push_chunk *list;
    int64_t count;
    const struct push_replan *replan; /* NULL: the list is carried out */
    bool overlap;
    bool collect; /* results travel to the master, chunk by chunk */
    struct engine_patience patience;
    const void *output; /* of the whole loop, this rank's copy */
    void *inbox;        /* where results are collected */
    size_t output_bytes;
};

/* Rounds that the master plans while the loop runs.  Each chunk's start and
 * size go ahead of its data, and its time comes back. */
struct push_rounds {
    struct mailbox box; /* at the master: times; at a worker: chunks */
    /* The master's: */
    struct divisible_rounds left; /* what is not planned */
    bool open;                    /* left is */
    struct push_chunk *list;      /* planned so far; owned */
    int64_t room;
    double load;                    /* of the list, before it is rounded */
    int64_t units;                  /* of the list */
    int64_t messages;               /* of the last round */
    struct push_worker_count *sent; /* of each worker; owned */
};
struct push_worker_count {
    int64_t sent, done; /* chunks */
};

/* A rank's end. */
struct push {
    struct push_setup setup;
    MPI_Datatype iteration; /* output of one iteration */
    struct mailbox box;     /* results on their way */
    struct port port;       /* the master's */
    bool begun;
    struct landing landing;        /* the worker's */
    int64_t chunks;                /* of this rank's worker, in the list */
    const struct push_chunk *list; /* the setup's, or that of the rounds */
    int64_t count;
    struct push_rounds rounds; /* with replan */
};

/* Every rank calls it.  Returns 0 or -ENOMEM. */
int push_open(struct push *push, const struct push_setup *setup,
              struct error *err);
void push_close(struct push *push);

/* Before a repetition, with a barrier behind it; then, by the rank itself,
 * the master is ready for results. */
void push_reset(struct push *push);
void push_listen(struct push *push);

/* Whether the rank must let messages progress while it computes, and how. */
bool push_polls(const struct push *push);
bool push_poll(struct push *push);

/* After its own work: everything has been sent, all results have arrived. */
void push_finish(struct push *push);

/* Whether this chunk's results travel to the master from another rank. */
bool push_collects(const struct push *push, const struct push_chunk *chunk);

/* ---- rounds (push_rounds.c) ---- */

int push_rounds_open(struct push *push);
void push_rounds_close(struct push *push);
void push_rounds_reset(struct push *push);

/* The master plans all rounds that can be planned now. */
void push_rounds_go_on(struct push *push);
/* The next one: waits until it can be planned.  A master without chunks waits
 * until at most one round waits for the port. */
void push_rounds_next(struct push *push, bool idle);
/* After its own work: it plans what is left, and hears of all that it sent. */
void push_rounds_finish(struct push *push);

/* A worker's chunk took from since_s until now: the master learns it. */
void push_rounds_add(struct push *push, int worker, const struct chunk *chunk,
                     double since_s);
/* A worker's next chunk; false: there is none. */
bool push_rounds_take(struct push *push, struct source *source,
                      struct chunk *chunk);

/* The chunk's data wait for the port, and its results are awaited. */
void push_send(struct push *push, const struct push_chunk *chunk);
void push_await(struct push *push, const struct push_chunk *chunk);

/* A worker's end.  `data` tells where the input of the current chunk is. */
struct push_source {
    struct source base;
    struct push *push;
    const char *data;
    int64_t at; /* in the list: what comes next */
    struct chunk current;
    double since_s; /* it runs, with replan */
};

void push_source_open(struct push_source *source, struct push *push,
                      int worker);

#endif
