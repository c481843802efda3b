/* Input data of a loop on their way from a master to its workers (data: sent).
 *
 * The master's rank holds those of the whole loop, iteration after iteration; a
 * worker has landings, each with room for any chunk of it; only written pages
 * cost memory.  Every chunk's data are one message. */
#ifndef HARNESS_MESSAGES_INPUT_H
#define HARNESS_MESSAGES_INPUT_H

#include "harness/engine/engine.h"
#include "harness/messages/mailbox.h"
#include "harness/messages/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A loop's input data; the loop's. */
struct input {
    /* Bytes before the data of iteration i, iterations + 1 of them, all
     * multiples of 8; NULL: there are none, and messages are empty. */
    const int64_t *before;
    int64_t iterations;
    const char *store; /* of the master's rank; NULL elsewhere */
    char *landing;     /* LANDINGS rooms, `stride` bytes apart */
    size_t stride;     /* 0 in simulation, where nothing is read */
};

/* Chunks that may be with a worker at a time, that which it computes
 * included. */
enum { LANDINGS = 4 };

/* Bytes of a chunk. */
static inline int64_t input_bytes(const struct input *input, int64_t start,
                                  int64_t size)
{
    return input->before == NULL
               ? 0
               : input->before[start + size] - input->before[start];
}

/* ---- the master's end ---- */

/* A chunk's data that wait for the port. */
struct port_message {
    int to, tag;
    int64_t start, size;
};

/* The one port of a master: one message after the other, in the order in which
 * they were put in.  A message is over when its receiver has begun to take it
 * and the data have left (MPI_Issend).  Called by one thread. */
struct port {
    struct mailbox *box; /* counts what is sent */
    const struct input *input;
    struct port_message *queue; /* a ring */
    int64_t next, count, room;
    MPI_Request sending; /* null: the port is free and nothing waits */
};

/* box and input stay the caller's.  room: messages that wait at a time, at
 * most.  Returns 0 or -ENOMEM. */
int port_open(struct port *port, struct mailbox *box, const struct input *input,
              int64_t room);
/* Also one that was never opened, but is zeroed. */
void port_close(struct port *port);

/* Before a repetition: nothing waits. */
void port_reset(struct port *port);

/* Leaves at once when the port is free. */
void port_put(struct port *port, const struct port_message *message);

/* The request `sending` has completed and is null: the next message leaves. */
void port_go_on(struct port *port);

/* Goes on when the message has left; returns whether it had. */
bool port_poll(struct port *port);

/* Blocks until everything has left. */
void port_drain(struct port *port, const struct engine_patience *patience);

/* Sends one message and blocks until its receiver says, by landing_answer,
 * that it has come; returns the seconds that took. */
double port_time(struct port *port, const struct port_message *message,
                 const struct engine_patience *patience);

/* ---- a worker's end ---- */

/* Awaited messages, and the data of those received. */
struct landing {
    struct mailbox box; /* its ring is the landings */
    const struct input *input;
    int slots;      /* 1 to LANDINGS */
    int64_t posted; /* messages so far */
    int64_t used;   /* bytes of a room that were ever written */
};

/* Messages of this tag from this rank.  Returns 0 or -ENOMEM. */
int landing_open(struct landing *landing, const struct comm *comm,
                 const struct input *input, int from, int tag, int slots);
/* Also one that was never opened, but is zeroed. */
void landing_close(struct landing *landing);

/* Before a repetition: wipes old data, so that they cannot pass for new
 * ones. */
void landing_reset(struct landing *landing);

/* Awaits one message more; at most `slots` may be awaited or in use. */
void landing_post(struct landing *landing);

/* The data of the oldest message that was not taken yet, of `bytes`; they stay
 * until `slots` more have been posted.  Blocks; the source, if there is one,
 * has waited then. */
const char *landing_take(struct landing *landing, int64_t bytes,
                         const struct engine_patience *patience,
                         struct source *source);

/* Tells the sender of port_time that the message has been taken. */
void landing_answer(struct landing *landing,
                    const struct engine_patience *patience);

/* Lets messages on their way progress, natively; returns whether there may be
 * any. */
bool landing_poll(struct landing *landing);

#endif
