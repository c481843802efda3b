/* The result collector (Han and Chronopoulos, section IV): after a chunk, its
 * results follow the worker's next request to the rank of the asked master, and
 * are received directly in their place.
 *
 * With reissued chunks, results arrive in memory of their worker.  The first
 * complete ones move to their final place.  A worker may stop in the middle of
 * a message.
 *
 * Every rank has a collector: workers send with it, masters receive.  Used with
 * MPI held. */
#ifndef HARNESS_TRANSPORT_MASTER_RESULT_COLLECTOR_H
#define HARNESS_TRANSPORT_MASTER_RESULT_COLLECTOR_H

#include "harness/hierarchy/tree.h"
#include "harness/messages/mailbox.h"
#include "harness/transport/reissue/reissue.h"

/* Results that their sender has announced, in this order. */
struct expected {
    int64_t start, size;
    int from, tag;
};

/* Incoming results that may be dropped. */
struct arrival {
    MPI_Request request;
    int64_t start, size;
    int32_t worker;
};

struct result_collector {
    struct mailbox *box;
    const struct tree *tree;
    bool collects; /* whether results are sent at all */
    int tag;       /* tag of results: plus the worker's thread */
    int64_t iterations;
    const char *output;     /* results of the whole loop: this rank's memory */
    char *const *own;       /* or each thread's memory; NULL: in `output` */
    char *inbox;            /* memory for collected results */
    size_t bytes;           /* of an iteration's results */
    MPI_Datatype iteration; /* the same as an MPI type */
    struct expected *result;
    int64_t count, posted; /* those with a receive */
    int landing;           /* how many receives it posts at a time */
    /* With reissued chunks: */
    struct reissue *ledger;
    char **landed; /* by remote worker; NULL: in the inbox */
    struct arrival *arrival;
    int arrivals, arrival_room;
};

struct result_setup {
    struct mailbox *box;
    const struct tree *tree;
    int rank, tag;
    bool collects, receives; /* receives: this rank hosts a master */
    int64_t iterations;
    const char *output;
    char *const *own;
    char *inbox;
    size_t bytes;
    struct reissue *ledger; /* NULL: no reissued chunks, or not here */
};

/* All pointers stay the caller's.  Returns 0 or -ENOMEM. */
int result_collector_open(struct result_collector *collector,
                          const struct result_setup *setup);
void result_collector_close(struct result_collector *collector);

/* Before a repetition. */
void result_collector_reset(struct result_collector *collector);

/* ---- sending ---- */

/* Sends the results of a chunk to an address, by the thread that ran it. */
void result_collector_send(struct result_collector *collector, int thread,
                           const struct chunk *chunk, int to);

/* ---- receiving ---- */

/* The results of a worker's chunk will come from an address. */
void result_collector_expect(struct result_collector *collector, int worker,
                             int from, int64_t start, int64_t size);

/* result_collector_expect for a caller that waits: posts the receive *coming
 * now.  Not with reissued chunks. */
void result_collector_receive(struct result_collector *collector, int worker,
                              int from, int64_t start, int64_t size,
                              MPI_Request *coming);

/* Forgets complete sends and receives, and posts the receives that waited for
 * them.  With `old`, only if there are many. */
void result_collector_reap(struct result_collector *collector, bool old);

/* With reissued chunks: moves arrived results to their place if they are the
 * first.  Returns whether any arrived. */
bool result_collector_place(struct result_collector *collector);

/* ---- after the loop ---- */

/* Iterates over the results collected here, from *cursor = 0; false: no
 * more. */
bool result_collector_next(const struct result_collector *collector,
                           int64_t *cursor, int64_t *start, int64_t *size);

/* Overwrites the memory in which results arrived, unless it is their place. */
void result_collector_poison(struct result_collector *collector, int byte);

#endif
