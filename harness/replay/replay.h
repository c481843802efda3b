/* The replay of a loop: what a scheme would do with given costs of iterations
 * and workers.  It simulates events, without SimGrid and without ranks.
 *
 * Chunks come from the real code of the schemes and masters (sched_next,
 * master_take); schemes that learn get simulated times.  Only the costs in
 * struct replay_costs take time:
 *
 *   a worker computes a chunk in the sum of its iterations' seconds, divided
 *   by its power;
 *   REPLAY_COUNTER: workers of one process take chunks from memory, count_s
 *   each, side by side, and then counter_s each, one at a time;
 *   REPLAY_WINDOW: a word travels to the counter and back; the counter serves
 *   one at a time, request_s each;
 *   REPLAY_MASTERS: as transport master, or shared with a hierarchy.  Requests
 *   travel to a master, which serves them one at a time, request_s each, in the
 *   order of their arrival; answers travel back.  A master whose pool is empty
 *   asks the one above.  A computing master looks for requests every slice_s
 *   and after its chunks, and then computes on.  Workers of a master's rank
 *   take chunks for state_s.
 *
 * If bytes take time, all messages between a rank with masters and other nodes
 * share that rank's link, each at the same rate.  Each also takes 5 % of its
 * rate in the other direction.  At most 16 requests are under way until they
 * are served, as in dlsbench sim, in the order in which they set out.  A
 * message between two masters shares the links of both.
 *
 * The sender of 2,048 tasks or more (64 KB) to a master waits until they
 * arrived.
 *
 * It leaves out links of other ranks and inside the network, and routes: every
 * message between two nodes takes the same latency_s.  It also leaves out
 * results, input data, and the time that messages keep their sender and
 * receiver busy.  Dependences, time steps, load, perturbations and reissued
 * chunks are missing as well.
 *
 * Simultaneous events come in the order observed in SimGrid.  The same input
 * gives the same digits.
 *
 * Memory: the state of the scheme, and 40 bytes for each worker.  A worker
 * takes 48 bytes more if the scheme learns, 24 more if it asks a remote master
 * over a shared link.  A pool with tasks takes 64 bytes for each of its
 * workers. */
#ifndef HARNESS_REPLAY_REPLAY_H
#define HARNESS_REPLAY_REPLAY_H

#include "harness/hierarchy/tree.h"
#include "sched/schemes/pair.h"

#include <stdbool.h>
#include <stdint.h>

enum replay_kind { REPLAY_COUNTER, REPLAY_WINDOW, REPLAY_MASTERS };

/* All in seconds, 0 or more. */
struct replay_costs {
    double count_s;   /* taking a chunk from a counter or a scheme's state */
    double counter_s; /* then, one worker at a time */
    double state_s;   /* a chunk from a master or pool in the worker's rank */
    double request_s; /* a master, or a window's counter, serves one request */
    double latency_s; /* of a message between nodes */
    double near_s;    /* of a message between two ranks of a node */
    double byte_s;    /* per byte of a message */
    double slice_s;   /* between two looks of a computing master, above 0 */
    double lead_s;    /* with prefetch: a request leaves so long before a chunk
                         ends */
    double apart_s;   /* between the starts of two workers of one master */
};

/* The costs of a cell of dlsbench sim, with messages that take no time. */
extern const struct replay_costs replay_costs_usual;

struct replay {
    enum replay_kind kind;
    const struct tree *tree; /* the tree of requests; the first two kinds use
                                only its workers and their ranks */
    int node_ranks;          /* ranks per node; 0: each rank has its own node */
    const struct sched_pair *scheme;
    int64_t iterations, min_chunk;
    const double *before; /* seconds at power 1 before iteration i, I + 1 */
    const double *known;  /* costs for schemes that need them, in any unit;
                             NULL: before */
    const double *power;  /* of each worker: its speed, known to schemes; NULL:
                             all 1 */
    bool prefetch;        /* requests the next chunk during a chunk */
    struct replay_costs costs;
    /* Called for each chunk when a worker gets it: seconds since the start, and
     * the chunk's computing time.  NULL: not called. */
    void (*handed)(void *arg, int worker, const struct chunk *chunk,
                   double begin_s, double compute_s);
    void *arg;
};

struct replay_worker {
    double finish_s, compute_s; /* since the start of the loop */
    int64_t chunks;
};

struct replay_result {
    double time_s; /* until the last worker has left and told the master */
    double serial_s;
    int workers;
    int64_t chunks, messages;
    double bytes;                 /* of the messages */
    struct replay_worker *worker; /* of each; replay_free frees it */
};

/* Replays the loop once.  All pointers stay the caller's.  Returns 0; -EINVAL
 * as sched_init does; -ENOTSUP: this kind cannot run the scheme (two schemes
 * need masters; a window has no times of chunks and only takes sequences);
 * -ENOMEM. */
int replay_run(const struct replay *replay, struct replay_result *result,
               struct error *err);
void replay_free(struct replay_result *result);

/* A replay of threads in one process that take chunks from memory, as OpenMP's
 * threads do.  All have power 1; the smallest chunk is 1. before: as in struct
 * replay.  Returns the codes of sched_pair_parse and replay_run. */
int replay_threads(const char *scheme, int threads, int64_t iterations,
                   const double *before, const struct replay_costs *costs,
                   struct replay_result *result, struct error *err);

#endif
