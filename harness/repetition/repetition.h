/* A run: one cell, ready to be repeated.  Every rank of the launch holds its
 * part: the source chain, its workers, its masters. */
#ifndef HARNESS_REPETITION_REPETITION_H
#define HARNESS_REPETITION_REPETITION_H

#include "harness/check/setup.h"
#include "harness/engine/share.h"
#include "harness/hierarchy/tree.h"
#include "harness/messages/comm.h"
#include "harness/messages/window.h"
#include "harness/problem/loop.h"
#include "harness/protocol/parallel/parallel.h"
#include "harness/repetition/recent.h"
#include "harness/transport/transport.h"
#include "harness/workers/context.h"
#include "harness/workers/place.h"
#include "harness/workers/power.h"

/* The result of one worker in one repetition; times in seconds, finish_s since
 * the start of its rank. */
struct worker_result {
    int64_t chunks, iterations;
    double finish_s, compute_s, wait_s, serve_s, sync_s;
    int64_t fact[TRANSPORT_FACTS]; /* of the transport, as in its rules */
    int32_t core, bound;
    int32_t processor, numa; /* of that core; -1: not known */
    uint64_t memory;         /* NUMA nodes of its data, bit 0 is node 0 */
    uint64_t host;
    /* A perturbed worker: how long it was held in all, and of it neither in
     * wait_s nor in compute_s. */
    double lost_s, held_apart_s;
    struct recent recent; /* with reissue; its times since the rank's start */
    double core_probe_s;  /* natively, right before the start (share.h) */
    struct engine_share share; /* natively, of its core, from before the start
                                  until after the end of the loop */
};

/* The result of one repetition, at rank 0. */
struct run_result {
    double time_s;
    double skew_s; /* between the starts of the ranks; -1: several hosts */
    int64_t chunks, iterations, messages, bytes;
    double exchange_s; /* between time steps of independent iterations, of the
                          slowest rank; -1: there are none */
    /* Between them, from the end of a step's last worker until the next step
     * begins; and of the serial time, to make data then.  -1: as above. */
    double between_s, advance_s;
    /* Chunks that were handed out again, and results that came too late;
     * -1: none may. */
    int64_t reissued, dropped;
    bool verified; /* in simulation: every iteration was handed out once */
    int64_t wrong_iteration; /* the first that is wrong or missing, or -1 */
    const struct worker_result *workers;   /* one per worker; the run's */
    const struct counters_values *counted; /* one per worker; NULL: none */
    /* The effect of each of run_perturbs on each worker, those of a worker
     * together; NULL: no perturbations. */
    const struct perturb_toll *tolls;
    const struct ran *log;     /* all chunks by time step and start;
                                  or NULL */
    const int32_t *log_worker; /* the worker that ran each of them */
    int64_t logged;
    double bound_s; /* list scheduling of these chunks; -1: not known */
    double wall_s;  /* a simulation: its real seconds; else -1 */
    double alone_s; /* a simulation: the loop on the fastest worker's core;
                       else, or without output, -1 */
};

/* Cuts a worker's result, and those of its `count` perturbations, at the time
 * when the loop's last result was in place. */
void run_end_with_loop(struct worker_result *result, struct perturb_toll *tolls,
                       int count, double time_s);

/* Seconds between time steps, as each process measured them: rows of `between`
 * each.  A process that ended a step early also waited for the others, so the
 * true time between two steps is the least of a column.  Returns the sum of
 * these. */
double run_sum_between(const double *all, int processes, int between);

struct run;

/* Collective; all ranks return the same code.  `setup` and `loop` stay the
 * caller's.
 * -EBUSY: workers share cores and oversubscribe is false. */
int run_open(struct run **run, const struct setup *setup, struct loop *loop,
             struct launch_context *context, bool oversubscribe,
             struct error *err);
void run_close(struct run *run);

/* Collective: one repetition, verified.  The result is filled at rank 0 and
 * valid until the next repetition.  All ranks return the same code. */
int run_repeat(struct run *run, struct run_result *result, struct error *err);

/* Collective: a repetition whose output rank 0 writes to `path` by the kernel's
 * save, which it must have; wherever the results were left.  All ranks return
 * the same code. */
int run_save(struct run *run, const char *path, struct run_result *result,
             struct error *err);

/* The run must be open. */
int run_workers(const struct run *run);
int run_worker_rank(const struct run *run, int worker);
const struct powers *run_powers(const struct run *run);
bool run_oversubscribed(const struct run *run);
/* Rank 0: masters without workers that wait on a worker's core. */
int run_shared_masters(const struct run *run);
const struct perturbs *run_perturbs(const struct run *run);
/* The cell's plan; NULL: it has none. */
const struct planned *run_planned(const struct run *run);
/* The value of its field that the transport really uses; NULL: the given
 * one. */
const char *run_chosen(const struct run *run);
/* Whether the times of repetitions can differ. */
bool run_varies(const struct run *run);
/* The worker in whose static share an iteration was; -1: there are none. */
int run_home(const struct run *run, int64_t iteration);

#endif
