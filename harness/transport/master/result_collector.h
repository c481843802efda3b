/* The result collector (Han and Chronopoulos, section IV): the results of a
 * chunk follow the first request after its end, to the rank of the asked
 * master, and there straight to their place.
 *
 * With reissued chunks, results arrive in a place for their worker and move to
 * their final place when they are complete and the first.  A worker may stop in
 * the middle of a message.
 *
 * Every rank has one: workers send by it, masters receive.  Used with MPI
 * held. */
#ifndef HARNESS_TRANSPORT_MASTER_RESULT_COLLECTOR_H
#define HARNESS_TRANSPORT_MASTER_RESULT_COLLECTOR_H

#include "harness/hierarchy/tree.h"
#include "harness/messages/mailbox.h"
#include "harness/transport/reissue/reissue.h"

/* Results that were announced by their sender, in this order. */
struct result {
    int64_t start, size;
    int from, tag;
};

/* Results on their way that may be dropped. */
struct arrival {
    MPI_Request request;
    int64_t start, size;
    int32_t worker;
};

struct result_collector {
    struct mailbox *box;
    const struct tree *tree;
    bool collects; /* results travel at all */
    int tag;       /* and the thread of a worker: its results' */
    int64_t iterations;
    const char *output;     /* of the whole loop, this rank's copy */
    char *const *own;       /* or where each thread computes; NULL: there */
    char *inbox;            /* where results are collected */
    size_t bytes;           /* of an iteration's results */
    MPI_Datatype iteration; /* the same */
    struct result *result;
    int64_t count, posted; /* posted: those that have a receive by now */
    int landing;           /* receives that it posts at a time */
    /* Chunks may be handed out again: */
    struct reissue *ledger;
    char **landed; /* of each worker of other ranks; NULL: in the inbox */
    struct arrival *arrival;
    int arrivals, arrival_room;
};

struct result_setup {
    struct mailbox *box;
    const struct tree *tree;
    int rank, tag;
    bool collects, receives; /* receives: a master is here */
    int64_t iterations;
    const char *output;
    char *const *own;
    char *inbox;
    size_t bytes;
    struct reissue
        *ledger; /* NULL: no chunk is handed out again, or not here */
};

/* All pointers stay the caller's.  Returns 0 or -ENOMEM. */
int result_collector_open(struct result_collector *collector,
                          const struct result_setup *setup);
void result_collector_close(struct result_collector *collector);

/* Before a repetition. */
void result_collector_reset(struct result_collector *collector);

/* ---- sending ---- */

/* The results of a chunk, by the thread that ran it, to an address. */
void result_collector_send(struct result_collector *collector, int thread,
                           const struct chunk *chunk, int to);

/* ---- receiving ---- */

/* The results of a worker's chunk are coming from an address. */
void result_collector_expect(struct result_collector *collector, int worker,
                             int from, int64_t start, int64_t size);

/* The same for one who waits for them: by *coming, and at once.  Not where
 * chunks may be handed out again. */
void result_collector_receive(struct result_collector *collector, int worker,
                              int from, int64_t start, int64_t size,
                              MPI_Request *coming);

/* Forgets complete sends and receives, and posts receives that had to wait for
 * this.  With `old`, only when there are many. */
void result_collector_reap(struct result_collector *collector, bool old);

/* Chunks may be handed out again: puts results that have come to their place,
 * if they are the first.  Returns whether there were any. */
bool result_collector_place(struct result_collector *collector);

/* ---- after the loop ---- */

/* The results that were collected here, one after the other from *cursor = 0;
 * false: no more. */
bool result_collector_next(const struct result_collector *collector,
                           int64_t *cursor, int64_t *start, int64_t *size);

/* Overwrites what results came to, if not to their place. */
void result_collector_poison(struct result_collector *collector, int byte);

#endif
