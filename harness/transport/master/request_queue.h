/* The request queue of a rank's masters (Han and Chronopoulos, section IV): the
 * requests of their children, the workers and masters on other ranks.  They are
 * taken in the order of their arrival; requests that need a refill wait in that
 * order.
 *
 * Every child still present will send at least one more message, so as many
 * receives as such children are sure to be used.
 *
 * Used with MPI held; is_open may be asked at any time. */
#ifndef HARNESS_TRANSPORT_MASTER_REQUEST_QUEUE_H
#define HARNESS_TRANSPORT_MASTER_REQUEST_QUEUE_H

#include "harness/messages/mailbox.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum request_kind {
    REQUEST_WORK,   /* a worker wants a chunk */
    REQUEST_REFILL, /* a master wants tasks for all its workers */
    REQUEST_RESULT, /* only brings results */
    REQUEST_FINAL,  /* results, and nothing more will come from this child */
};

/* Fixed size.  When size > 0 and results are collected, the output of
 * iterations [start, start + size) follows in a separate message. */
struct request {
    int32_t kind;
    int32_t master; /* in the tree: the asked master */
    int32_t child;  /* worker number, or index of the asking master */
    int32_t from;   /* address of the asking thread */
    int64_t start, size;
    /* Schemes that learn.  From a worker: its last chunk had `ran` iterations
     * (0: no report) and took these times (struct report).  From a master: the
     * number of reports that follow in the same message. */
    int64_t ran;
    float ran_s, whole_s;
};
_Static_assert(sizeof(struct request) <= MAILBOX_SHORT, "short");

struct request_queue {
    struct mailbox *box; /* its ring is for requests */
    int children;
    int finals;              /* children that have taken their leave */
    _Atomic bool is_open;    /* a request may still come */
    struct request *waiting; /* for a refill: one of a child, at most */
    int count;
};

/* Returns 0 or -ENOMEM.  box stays the caller's. */
int request_queue_open(struct request_queue *queue, struct mailbox *box,
                       int children);
void request_queue_close(struct request_queue *queue);

/* Before a repetition. */
void request_queue_reset(struct request_queue *queue);

/* Posts receives for requests: by thread 0 of the rank before the loop, and
 * then whenever one has been answered.  Not before that: a child waits for the
 * answer, and no rank for the receive. */
void request_queue_listen(struct request_queue *queue);

/* The next request, with the reports behind it; NULL: none has come.  It stays
 * until request_queue_listen. */
static inline const struct request *
request_queue_take(struct request_queue *queue)
{
    const struct request *request = mailbox_take(queue->box);
    if (request != NULL && request->kind == REQUEST_FINAL)
        queue->finals++;
    return request;
}

/* The answer needs a refill. */
void request_queue_keep(struct request_queue *queue,
                        const struct request *request);

#endif
