/* The platform of a divisible load: a master that sends, and workers that
 * compute what they were sent.
 *
 * Beaumont, Legrand, Robert: Optimal algorithms for scheduling divisible
 * workloads on heterogeneous systems, LIP RR-2002-36 (2002), section 2.  The
 * other headers of this folder give its sections 4 and 5, the heuristics of
 * its section 6, and one evaluator for all of them.
 *
 * The load is any positive real number of units; the caller defines the unit.
 * Times are in seconds.  The master sends to one worker at a time (one port).
 * A message of L units takes g_i + L G_i, computing it z_i + L w_i.  The
 * message is there late_i after it has left the port, which serves the next one
 * meanwhile.  The paper defines this latency (g'') and gives no formula for it:
 * those with it are ours.  Without
 * overlap a worker does not compute while it receives; with overlap it does,
 * and received load waits in its memory.
 *
 * Pure: no input or output, no state.  No function but divisible_check checks
 * the platform again: all others expect one that passed. */
#ifndef SCHED_DIVISIBLE_PLATFORM_H
#define SCHED_DIVISIBLE_PLATFORM_H

#include "base/error.h"

#include <stdbool.h>

enum { DIVISIBLE_WORKERS_MAX = 1 << 12 };

/* A link may cost nothing (the master's own computing, section 2), but
 * computing may not. */
struct divisible_worker {
    double g;    /* latency of a message, s, 0 or more */
    double G;    /* of sending one unit, s, 0 or more */
    double w;    /* of computing one unit, s, above 0 */
    double z;    /* start-up of computing a chunk, s, 0 or more */
    double late; /* from a free port to the arrival of a message, s, 0 or more:
                    section 2's latency that overlaps, g'' */
};

/* The start-up time of a chunk at its worker, beside its load.  For workers
 * that do nothing meanwhile, both parts are the same in the equations. */
static inline double divisible_start_up(const struct divisible_worker *worker)
{
    return worker->z + worker->late;
}

/* A worker whose speed varies: `end` returns when it finishes computing for
 * `seconds` from `start` on.  For the evaluator; plans ignore it. */
struct divisible_disturbance {
    double (*end)(const void *arg, int worker, double start, double seconds);
    const void *arg;
};

struct divisible_platform {
    int workers;                           /* 1 to DIVISIBLE_WORKERS_MAX */
    const struct divisible_worker *worker; /* not owned */
    bool overlap; /* workers compute while they receive */
    /* Worker 0 is the master itself: its load needs no message, so that its
     * chunks neither wait for the port nor hold it (section 2's "fictitious
     * extra worker").  Its g and G are 0. */
    bool own;
    const struct divisible_disturbance *disturbed; /* NULL: none */
};

/* Refuses numbers out of the ranges above, those above 1e50, and a w or a load
 * below 1e-50; the text names the worker, from 0.  Returns 0 or -EINVAL. */
int divisible_check(const struct divisible_platform *platform, double load,
                    struct error *err);

/* Sum of all g_i. */
double divisible_latencies(const struct divisible_platform *platform);

/* The keys to sort workers by. */
enum divisible_key {
    DIVISIBLE_BY_LINK,    /* G_i: theorem 1, and section 5 */
    DIVISIBLE_BY_LATENCY, /* g_i w_i: theorem 2 */
    DIVISIBLE_BY_UNIT,    /* g_i + z_i + late_i + G_i + w_i: one unit alone */
};

/* order[0 .. workers - 1]: the workers by increasing key; equal ones keep
 * their order. */
void divisible_sort(const struct divisible_platform *platform,
                    enum divisible_key key, int *order);

#endif
