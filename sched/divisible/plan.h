/* A plan: which worker gets how much load, in which order, and the time it
 * takes.  All algorithms of this folder fill one; the evaluator here computes
 * all times. */
#ifndef SCHED_DIVISIBLE_PLAN_H
#define SCHED_DIVISIBLE_PLAN_H

#include "sched/divisible/platform.h"

#include <stdint.h>

/* More chunks than this are refused: no message is worth so little. */
enum { DIVISIBLE_CHUNKS_MAX = 1 << 20 };

struct divisible_chunk {
    int worker; /* from 0 */
    int round;  /* from 0 */
    double load;
    double send_start, send_end, compute_start, compute_end; /* s */
};

/* How the order of a single round was found. */
enum divisible_order {
    DIVISIBLE_GIVEN,     /* by the caller, or set by the algorithm */
    DIVISIBLE_THEOREM_1, /* increasing G, no latencies: optimal */
    DIVISIBLE_THEOREM_2, /* increasing g w, equal G: optimal */
    DIVISIBLE_EXACT,     /* search over all orders and subsets: optimal */
    DIVISIBLE_HEURISTIC, /* local search: may not be optimal */
};

struct divisible_plan {
    struct divisible_chunk *chunk; /* in the order they are sent; owned */
    int64_t chunks, capacity;
    int rounds;
    double makespan; /* the end of the last chunk, s */
    enum divisible_order order;
    double period; /* T_p of the first round, s; 0: not periodic */
    int raised;    /* rounds whose T_p was raised, see periodic.h */
    bool replan;   /* with overlap one chunk at most waits at a worker: a later
                      round can still change what was not sent */
};

/* The port and the workers while a plan is sent. */
struct divisible_clock {
    const struct divisible_platform *platform;
    bool replan;
    double port;          /* free from then on, s */
    double *done, *begun; /* by worker: its last chunk's end and begin, s */
};

int divisible_clock_open(struct divisible_clock *clock,
                         const struct divisible_platform *platform, bool replan,
                         struct error *err);
void divisible_clock_close(struct divisible_clock *clock);

/* When a message to this worker can leave. */
double divisible_clock_ready(const struct divisible_clock *clock, int worker);

/* Fills in the times of a chunk that leaves next. */
void divisible_clock_send(struct divisible_clock *clock,
                          struct divisible_chunk *chunk);

/* Puts a chunk at the end; a load of 0 or less adds none (a worker without load
 * gets no message).  A plan begins as {0}.  Returns 0, -ENOMEM, or -E2BIG when
 * there are too many, with a text. */
int divisible_plan_add(struct divisible_plan *plan, int worker, int round,
                       double load, struct error *err);

/* Fills in all times and the makespan.  Messages leave in the plan's order,
 * each as soon as the master's port is free and, without overlap, the worker
 * has computed all its load; chunks are computed in the order they arrive.
 * Latencies are the platform's, also for algorithms that leave them out of
 * their equations.  Returns 0 or -ENOMEM. */
int divisible_plan_time(struct divisible_plan *plan,
                        const struct divisible_platform *platform,
                        struct error *err);

/* For a load that cannot be cut everywhere, such as iterations: makes every
 * chunk a whole number of units, `units` in all, chunks of less than one going
 * to their neighbours, and times the plan again.  Returns 0 or -ENOMEM. */
int divisible_plan_whole(struct divisible_plan *plan,
                         const struct divisible_platform *platform,
                         int64_t units, struct error *err);

/* Load of all chunks of one worker; worker -1: of all. */
double divisible_plan_load(const struct divisible_plan *plan, int worker);

/* Empties the plan for use with another algorithm, or for good. */
void divisible_plan_free(struct divisible_plan *plan);

#endif
