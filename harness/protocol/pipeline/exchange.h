/* Between two time steps of a loop with independent iterations, every rank gets
 * the results of the others.
 *
 * They go to rank 0, and from there to all ranks.  A simulation has no data;
 * the messages only take their time. */
#ifndef HARNESS_PROTOCOL_PIPELINE_EXCHANGE_H
#define HARNESS_PROTOCOL_PIPELINE_EXCHANGE_H

#include "harness/messages/comm.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Iterations [start, start + size) that this rank ran. */
struct exchange_range {
    int64_t start, size;
    double took_s; /* if timed, all ranks learn it */
};

/* The size of a range in a message; untimed ones omit the last member. */
static inline size_t exchange_range_bytes(bool timed)
{
    return timed ? sizeof(struct exchange_range)
                 : offsetof(struct exchange_range, took_s);
}

struct exchange {
    const struct comm *comm;
    char *output;        /* the whole loop's, on every rank; the caller's */
    size_t output_bytes; /* of an iteration */
    int64_t iterations;
    size_t range_bytes;              /* of a range in a message */
    struct exchange_range *gathered; /* ranges of all ranks, if timed */
    int64_t count;                   /* ranges gathered; the caller clears it */
    char *mine, *all;                /* messages */
    int64_t messages, bytes;         /* sums; the caller clears them */
};

/* timed: the ranges' times are also sent, and arrive in `gathered`, except in
 * simulation.  Returns 0 or -ENOMEM; ranks have not agreed.  Later calls never
 * fail.  A zeroed struct may be closed. */
int exchange_open(struct exchange *exchange, const struct comm *comm,
                  char *output, size_t output_bytes, int64_t iterations,
                  bool timed, struct error *err);
void exchange_close(struct exchange *exchange);

/* Collective, by one thread of each rank (in simulation by every thread): `own`
 * are the `count` ranges that this rank (or thread) ran, in any order. */
void exchange_all(struct exchange *exchange, const struct exchange_range *own,
                  int64_t count);

#endif
