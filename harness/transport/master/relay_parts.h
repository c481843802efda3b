/* The relay's own parts, shared by the files relay*.c and by nobody else:
 * relay.c opens and finishes, relay_send.c sends, relay_serve.c is the masters'
 * end, relay_ask.c the workers', relay_reissue.c what both do where chunks may
 * be handed out again. */
#ifndef HARNESS_TRANSPORT_MASTER_RELAY_PARTS_H
#define HARNESS_TRANSPORT_MASTER_RELAY_PARTS_H

#include "harness/transport/master/relay.h"

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

/* ---- sending; called with MPI held ---- */

/* A request of which kind, master, child and a worker's times are set; behind
 * it the results of a finished chunk (NULL: none). */
void relay_send_request(struct relay *relay, struct request request, int thread,
                        const struct chunk *finished);
/* A request of hosted master `i` to the one above, with its reports. */
void relay_send_told(struct relay *relay, int i, enum request_kind kind);
void relay_count_message(struct relay *relay, int64_t bytes);

/* Where the results of chunks that came go: straight to their place. */
void relay_post_results(struct relay *relay);

/* The thread of a worker in its rank. */
int relay_thread(const struct tree *tree, int worker);

/* Now and then, so that a long loop keeps a short list. */
void relay_reap_old(struct relay *relay);

/* Takes out of the requests in flight what has completed. */
void relay_reap(struct relay *relay);

/* ---- chunks that may be handed out again ---- */

int relay_reissue_open(struct relay *relay, const struct relay_setup *setup);
void relay_reissue_close(struct relay *relay);
void relay_reissue_reset(struct relay *relay);
void relay_reissue_listen(struct relay *relay);

/* What a worker is answered that asked: the fresh chunk of `answer`, one once
 * more, or how long to wait before it asks again. */
void relay_reissue_answer(struct relay *relay, int worker,
                          enum master_answer answer, struct chunk *chunk);
/* That, read by the worker: seconds to wait; 0: it is a chunk, or the end. */
double relay_told_to_wait(const struct chunk *reply);

/* Results are coming; and those that have come go to their place.  Returns
 * whether there was any. */
void relay_expect(struct relay *relay, const struct request *request);
bool relay_take_arrivals(struct relay *relay);
/* All ranks are told when it is over; and, by each rank at its end, wait for
 * that. */
void relay_tell_over(struct relay *relay);
void relay_await_over(struct relay *relay);

/* Appends to a list with room for `room`. */
void *relay_grow(void *list, int count, int *room, size_t size);

/* Results of `size` iterations as a message. */
MPI_Datatype relay_results_type(const struct relay *relay, int64_t size,
                                int *count);

/* ---- serving ---- */

/* The master with this index in the tree, NULL: not in this rank. */
struct master *relay_hosted(const struct relay *relay, int index);

/* Posts receives as long as messages will come for them. */
void relay_post(struct relay *relay);

/* relay_progress came to nothing: passes a moment, or blocks until something
 * comes and handles that. */
void relay_pause(struct relay *relay, struct engine_idle *idle);

/* Whether an answer from above is still under way. */
bool relay_refilling(const struct relay *relay);

#endif
