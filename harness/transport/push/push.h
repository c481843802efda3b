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

/* A chunk of the plan, in the order of sending. */
struct push_chunk {
    int worker;
    struct chunk chunk;
};

struct push_setup {
    const struct comm *comm;
    const struct tree *tree; /* flat; the master is rank 0 */
    const struct input *input;
    const struct push_chunk *list;
    int64_t count;
    bool overlap;
    bool collect; /* results travel to the master, chunk by chunk */
    struct engine_patience patience;
    const void *output; /* of the whole loop, this rank's copy */
    void *inbox;        /* where results are collected */
    size_t output_bytes;
};

/* A rank's end. */
struct push {
    struct push_setup setup;
    MPI_Datatype iteration; /* output of one iteration */
    struct mailbox box;     /* results on their way */
    struct port port;       /* the master's */
    bool begun;
    struct landing landing; /* the worker's */
    int64_t chunks;         /* of this rank's worker */
};

/* Of every rank.  Returns 0 or -ENOMEM. */
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

/* After its own work: everything has been sent, all results are there. */
void push_finish(struct push *push);

/* Whether this chunk's results travel to the master from another rank. */
bool push_collects(const struct push *push, const struct push_chunk *chunk);

/* A worker's end.  `data` tells where the input of the current chunk is. */
struct push_source {
    struct source base;
    struct push *push;
    const char *data;
    int64_t at; /* in the list: what comes next */
    struct chunk current;
};

void push_source_open(struct push_source *source, struct push *push,
                      int worker);

#endif
