/* Between two time steps of a loop whose iterations are independent: every rank
 * gets what the others computed in the step that ended.
 *
 * Everything goes to rank 0, and from there to all.  In simulation no data are
 * there: the messages take their time. */
#ifndef HARNESS_PROTOCOL_PIPELINE_EXCHANGE_H
#define HARNESS_PROTOCOL_PIPELINE_EXCHANGE_H

#include "harness/messages/comm.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Iterations [start, start + size) that this rank ran. */
struct exchange_range {
    int64_t start, size;
    double took_s; /* a timed exchange tells it to all ranks */
};

/* The message of a range: the time is its last member. */
static inline size_t exchange_range_bytes(bool timed)
{
    return timed ? sizeof(struct exchange_range)
                 : offsetof(struct exchange_range, took_s);
}

struct exchange {
    const struct comm *comm;
    char *output;        /* of the whole loop, on every rank; the caller's */
    size_t output_bytes; /* of an iteration */
    int64_t iterations;
    size_t range_bytes;              /* of a range in a message */
    struct exchange_range *gathered; /* of all ranks, where it is timed */
    int64_t count;           /* of them; the caller clears after a step */
    char *mine, *all;        /* messages */
    int64_t messages, bytes; /* summed up; the caller clears */
};

/* timed: the times of the ranges also travel, and arrive in `gathered`, except
 * in simulation.  Returns 0 or -ENOMEM; not agreed, and nothing fails later. A
 * zeroed one may be closed. */
int exchange_open(struct exchange *exchange, const struct comm *comm,
                  char *output, size_t output_bytes, int64_t iterations,
                  bool timed, struct error *err);
void exchange_close(struct exchange *exchange);

/* Collective, by one thread of each rank, in simulation by every thread: `own`
 * (count of them, in any order) is what this rank, in simulation this thread,
 * ran. */
void exchange_all(struct exchange *exchange, const struct exchange_range *own,
                  int64_t count);

#endif
