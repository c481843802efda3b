/* A run: one cell, ready to be repeated.  Every rank of the launch has its
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
    int32_t processor, numa; /* of that core; -1: unknown */
    uint64_t memory;         /* NUMA nodes of its data, bit 0 is node 0 */
    uint64_t host;
    /* A perturbed worker: how long it was held in all; and the part of it that
     * is neither in wait_s nor in compute_s. */
    double lost_s, held_apart_s;
    struct recent recent;      /* with reissue; relative to the rank's start */
    double core_probe_s;       /* natively, just before the start (share.h) */
    struct engine_share share; /* natively, of its core, from before the start
                                  until after the end */
};

/* The result of one repetition, at rank 0. */
struct run_result {
    double time_s;
    double skew_s; /* between the starts of the ranks; -1: several hosts */
    int64_t chunks, iterations, messages, bytes;
    double exchange_s; /* between time steps of independent iterations, at the
                          slowest rank; -1: no steps */
    /* Between steps, from the end of a step's last worker to the next step; and
     * the part of serial time that makes data then. -1: as above. */
    double between_s, advance_s;
    /* Chunks handed out again, and results that came too late; -1: no
     * reissue. */
    int64_t reissued, dropped;
    bool verified; /* in simulation: every iteration was handed out once */
    int64_t wrong_iteration; /* the first wrong or missing one, or -1 */
    const struct worker_result *workers;   /* one per worker; the run's */
    const struct counters_values *counted; /* one per worker; NULL: none */
    /* The effect of each of run_perturbs on each worker, grouped by worker;
     * NULL: no perturbations. */
    const struct perturb_toll *tolls;
    const struct ran *log;     /* all chunks by time step and start;
                                  or NULL */
    const int32_t *log_worker; /* the worker that ran each of them */
    int64_t logged;
    double bound_s; /* list scheduling of these chunks; -1: unknown */
    double wall_s;  /* a simulation: its real seconds; else -1 */
    double alone_s; /* a simulation: the loop on the fastest worker's core;
                       else, or without output, -1 */
};

/* Ends a worker's result, and those of its `count` perturbations, at the time
 * when the loop's last result was in place. */
void run_end_with_loop(struct worker_result *result, struct perturb_toll *tolls,
                       int count, double time_s);

/* Sums the seconds between time steps.  Each process measured a row of
 * `between` times.  A process that ended a step early also waited for the
 * others, so the true time between two steps is the least of its column. */
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
 * save, which must exist.  Results may be at any ranks.  All ranks return the
 * same code. */
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
/* The cell's plan; NULL: none. */
const struct planned *run_planned(const struct run *run);
/* The effective value of the transport's field; NULL: the given one. */
const char *run_chosen(const struct run *run);
/* Whether the times of repetitions can differ. */
bool run_varies(const struct run *run);
/* The worker whose static share contains an iteration; -1: no shares. */
int run_home(const struct run *run, int64_t iteration);

#endif
