/* The requests to a rank's masters (Han and Chronopoulos, section IV) from
 * their children, the workers and masters on other ranks.  They are handled in
 * order of arrival; those that need a refill wait in that order.
 *
 * Every child that has not left will send at least one more message, so that
 * number of receives is sure to be used.
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
    REQUEST_FINAL,  /* results, and the child leaves */
};

/* Fixed size.  When size > 0 and results are collected, the output of
 * iterations [start, start + size) follows in a separate message. */
struct request {
    int32_t kind;
    int32_t master; /* index of the asked master in the tree */
    int32_t child;  /* worker number, or index of the asking master */
    int32_t from;   /* address of the asking thread */
    int64_t start, size;
    /* For schemes that learn.  From a worker: the times of its last chunk of
     * `ran` iterations (struct report); 0: no report.  From a master: `ran`
     * reports follow in the message. */
    int64_t ran;
    float ran_s, whole_s;
};
_Static_assert(sizeof(struct request) <= MAILBOX_SHORT, "short");

struct request_queue {
    struct mailbox *box; /* its ring is for requests */
    int children;
    int finals;              /* children that have left */
    _Atomic bool is_open;    /* more requests may come */
    struct request *waiting; /* for a refill: at most one of each child */
    int count;
};

/* Returns 0 or -ENOMEM.  box stays the caller's. */
int request_queue_open(struct request_queue *queue, struct mailbox *box,
                       int children);
void request_queue_close(struct request_queue *queue);

/* Before a repetition. */
void request_queue_reset(struct request_queue *queue);

/* Posts receives for requests: by thread 0 before the loop, and after each
 * answered request.  Not earlier: the child waits for the answer, but no rank
 * for the receive. */
void request_queue_listen(struct request_queue *queue);

/* The next request, followed by its reports; NULL: none arrived.  Valid until
 * request_queue_listen. */
static inline const struct request *
request_queue_take(struct request_queue *queue)
{
    const struct request *request = mailbox_take(queue->box);
    if (request != NULL && request->kind == REQUEST_FINAL)
        queue->finals++;
    return request;
}

/* Lets a request wait for a refill. */
void request_queue_keep(struct request_queue *queue,
                        const struct request *request);

#endif
