/* Input data of a loop, sent by a master to its workers (data: sent).
 *
 * The master's rank has the data of the whole loop, in order.  A worker has
 * landings, each with room for any chunk; only written pages use memory.  The
 * data of a chunk are one message. */
#ifndef HARNESS_MESSAGES_INPUT_H
#define HARNESS_MESSAGES_INPUT_H

#include "harness/engine/engine.h"
#include "harness/messages/mailbox.h"
#include "harness/messages/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A loop's input data; the loop owns them. */
struct input {
    /* Bytes before the data of iteration i, iterations + 1 entries, multiples
     * of 8; NULL: no data, and messages are empty. */
    const int64_t *before;
    int64_t iterations;
    const char *store; /* at the master's rank; NULL elsewhere */
    char *landing;     /* LANDINGS buffers, `stride` bytes apart */
    size_t stride;     /* 0 in simulation: no data */
};

/* How many chunks a worker may have at a time, including the one it
 * computes. */
enum { LANDINGS = 4 };

/* Bytes of a chunk. */
static inline int64_t input_bytes(const struct input *input, int64_t start,
                                  int64_t size)
{
    return input->before == NULL
               ? 0
               : input->before[start + size] - input->before[start];
}

/* ---- the master's side ---- */

/* A chunk's data that wait to be sent. */
struct port_message {
    int to, tag;
    int64_t start, size;
};

/* The one port of a master: sends one message at a time, in the given order.  A
 * message is complete when its receiver has begun to receive it and the data
 * are sent (MPI_Issend).  Called by one thread. */
struct port {
    struct mailbox *box; /* counts sent messages */
    const struct input *input;
    struct port_message *queue; /* a ring */
    int64_t next, count, room;
    MPI_Request sending; /* null: nothing is sent or waits */
};

/* box and input stay the caller's. room: the most messages that wait.  Returns
 * 0 or -ENOMEM. */
int port_open(struct port *port, struct mailbox *box, const struct input *input,
              int64_t room);
/* Also closes a zeroed port that was never opened. */
void port_close(struct port *port);

/* Before a repetition: no message waits. */
void port_reset(struct port *port);

/* Queues a message; sends it at once if the port is free. */
void port_put(struct port *port, const struct port_message *message);

/* The request `sending` is complete and null: sends the next message. */
void port_go_on(struct port *port);

/* Sends the next message if the last is complete; returns whether it was. */
bool port_poll(struct port *port);

/* Blocks until all messages are sent. */
void port_drain(struct port *port, const struct engine_patience *patience);

/* Sends one message and blocks until its receiver's landing_answer; returns the
 * seconds that it took. */
double port_time(struct port *port, const struct port_message *message,
                 const struct engine_patience *patience);

/* ---- a worker's side ---- */

/* Expected messages, and the data of received ones. */
struct landing {
    struct mailbox box; /* its ring has the landings */
    const struct input *input;
    int slots;      /* 1 to LANDINGS */
    int64_t posted; /* receives so far */
    int64_t used;   /* bytes of a buffer that were ever written */
};

/* Receives messages of this tag from this rank.  Returns 0 or -ENOMEM. */
int landing_open(struct landing *landing, const struct comm *comm,
                 const struct input *input, int from, int tag, int slots);
/* Also closes a zeroed landing that was never opened. */
void landing_close(struct landing *landing);

/* Before a repetition: wipes old data, so that they cannot pass for new
 * ones. */
void landing_reset(struct landing *landing);

/* Posts one more receive; at most `slots` may be posted or in use. */
void landing_post(struct landing *landing);

/* The data (`bytes` bytes) of the oldest message not taken yet; valid until
 * `slots` more are posted.  Blocks, and counts that as the source's waiting
 * (NULL: no source). */
const char *landing_take(struct landing *landing, int64_t bytes,
                         const struct engine_patience *patience,
                         struct source *source);

/* Tells the sender in port_time that the message has arrived. */
void landing_answer(struct landing *landing,
                    const struct engine_patience *patience);

/* Natively: makes progress on messages; returns whether there may be any. */
bool landing_poll(struct landing *landing);

#endif
