/* The relay's own parts, shared by the files relay*.c and by nobody else:
 * relay.c opens and finishes, relay_serve.c is the masters' end, relay_ask.c
 * the workers'. */
#ifndef HARNESS_TRANSPORT_RELAY_PARTS_H
#define HARNESS_TRANSPORT_RELAY_PARTS_H

#include "harness/transport/relay.h"

enum {
    RELAY_REQUEST = 1,
    RELAY_REFILL = 2,
    RELAY_DATA = 3,
    /* + thread of the worker, which keeps the results of one worker in the
     * order of its requests */
    RELAY_REPLY = 1 << 10,
    RELAY_RESULT = 1 << 15,
};

/* ---- sending; called with MPI held ---- */

/* A request of which kind, master, child, ran and ran_s are set; behind it
 * the results of a finished chunk (NULL: none). */
void relay_send_request(struct relay *relay, struct request request, int thread,
                        const struct chunk *finished);
void relay_count_message(struct relay *relay, int64_t bytes);

/* Takes out of the requests in flight what has completed. */
void relay_reap(struct relay *relay);

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
