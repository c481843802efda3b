/* The private parts of a run.  repetition.c opens and repeats,
 * repetition_loop.c is the timed part, repetition_steps.c has time steps of
 * independent iterations, repetition_gather.c collects the reports of all ranks
 * at rank 0.  They are the same natively and in simulation.
 *
 * A process has some ranks of the launch: natively one, in simulation all.
 * "Here" means the ranks, workers and threads of this process, numbered from
 * 0.  Only the following parts differ natively and in simulation; each is in
 * native/ and in sim/:
 *
 *     repetition_impl.h     the memory that only one of them has
 *     repetition_place.c    where workers are, and with which powers
 *     repetition_worker.c   workers, what they run, and what was measured
 *     repetition_dmps.c     dependences
 *     repetition_start.c    how the threads of all ranks start, meet and leave
 *     repetition_perturb.c  what goes wrong on purpose
 *     repetition_verify.c   whether every iteration ran once, and is right */
#ifndef HARNESS_REPETITION_REPETITION_INTERNAL_H
#define HARNESS_REPETITION_REPETITION_INTERNAL_H

#include "harness/protocol/parallel/parallel.h"
#include "harness/protocol/pipeline/dmps.h"
#include "harness/protocol/pipeline/exchange.h"
#include "harness/repetition/repetition.h"
#include "harness/repetition/repetition_transport.h"

/* A rank of this process.  A simulation may have half a million. */
struct run_rank {
    struct comm comm;
    struct transport_end end;
    double start_s, end_s;
};

/* The numbers of a thread in the team. */
struct run_member {
    int place;  /* in the team */
    int here;   /* of its rank here */
    int thread; /* in that rank */
    int worker; /* of its worker here; -1: none */
};

/* A loop with dependent rows.  Natively the threads of a process share one
 * DMPS; in simulation each worker has one. */
struct run_dependent {
    struct dmps *dmps; /* NULL: no dependences */
    bool shared;
    struct migrate migrate;
};

/* Time steps of independent iterations. */
struct run_steps {
    int count; /* 0: no steps */
    int step;  /* the current one */
    struct exchange exchange;
    double exchange_s; /* this process's, summed over the steps so far */
    double slowest_s;  /* of its ranks, in the current exchange */
    double *between_s; /* from this process's end of each step but the last
                          until the next began */
};

/* The last repetition's data of all ranks, at rank 0. */
struct run_all {
    struct worker_result *workers;
    struct counters_values *counted;
    struct perturb_toll *tolls;
    struct ran *ran;
    int32_t *ran_worker;
};

struct run_impl; /* native/repetition_impl.h, sim/repetition_impl.h */

struct run {
    const struct setup *setup;
    struct loop *loop;
    struct launch_context *context;
    struct run_impl *impl;
    struct tree tree;
    struct powers powers;
    struct planned planned; /* with protocol push */
    struct transport transport;
    struct site *site;     /* of all workers, for some transports; or NULL */
    struct run_rank *rank; /* one for each rank here */
    int opened;            /* how many have an open end */
    struct run_dependent dependent;
    struct run_steps steps;
    int passes; /* over the source: time steps with replan, otherwise 1 */
    struct engine_patience patience;
    int first, workers;              /* of all workers: first here, and how
                                        many */
    struct worker *worker;           /* one for each worker here */
    struct worker_result *result;    /* likewise, of this repetition */
    struct counters_values *counted; /* likewise; NULL: nothing is counted */
    struct perturb_toll *toll; /* for each worker here, one per perturbation */
    struct transport_traffic traffic; /* of the masters here, over all passes */
    struct run_all all;
};

static inline int run_ranks(const struct run *run)
{
    return run->context->comm.local;
}

/* The rank of a worker here, and its thread in that rank. */
static inline struct run_rank *run_rank_of(const struct run *run, int i)
{
    int rank = run->tree.worker_rank[run->first + i];
    return &run->rank[rank - run->context->comm.rank];
}

static inline int run_thread_of(const struct run *run, int i)
{
    int worker = run->first + i;
    return worker - run->tree.rank_worker[run->tree.worker_rank[worker]];
}

static inline struct dmps *run_dmps_of(const struct run *run, int i)
{
    return &run->dependent.dmps[run->dependent.shared ? 0 : i];
}

/* Whether the source hands out the chunks of the current step. */
static inline bool run_hands_out(const struct run *run)
{
    return run->steps.step == 0 || run->setup->replan;
}

static inline int run_count_dmps(const struct run *run)
{
    if (run->dependent.dmps == NULL)
        return 0;
    return run->dependent.shared ? 1 : run->workers;
}

/* ---- native and simulated: opening.  Collective unless noted ---- */

/* run_open_impl: memory of this kind of run, not collective, once the workers
 * are known. run_close_impl: closes all of it, even if only partly open. */
void run_open_impl(struct run *run);
void run_close_impl(struct run *run);
void run_close_dmps(struct run *run);

/* Places the workers and finds the powers that they register with, and how they
 * wait. -EBUSY: workers share cores and oversubscribe is false. */
int run_open_places(struct run *run, bool oversubscribe, struct error *err);

/* Collects the sites of all ranks' workers; each rank has the same number. */
void run_share_sites(const struct run *run, struct site *site);

/* Opens perturbations; ranks have not agreed. */
int run_perturb_open(struct run *run, struct error *err);

/* Opens links and moving rows; sets `passes`. */
int run_open_dmps(struct run *run, struct error *err);

/* Opens workers, after all else; ranks have not agreed. */
int run_open_workers(struct run *run, struct error *err);

/* ---- native and simulated: a repetition ---- */

/* Resets the source and counts of worker i here, before a repetition or a
 * further pass. */
void run_ready_worker(struct run *run, int i, bool further);

/* Resets the dependences of this process before a pass. */
void run_rewind_dmps(struct run *run);

/* Collective, around a repetition, by the thread of the launch: resets the run
 * and starts load and perturbations; run_end stops them. */
void run_begin(struct run *run);
void run_end(struct run *run);

/* By every thread of the team: before its work, after a pass, before the next
 * pass (one thread of the process calls run_rewind), and after the last one. */
void run_enter(struct run *run, const struct run_member *member);
void run_leave_pass(struct run *run, const struct run_member *member);
void run_next_pass(struct run *run, const struct run_member *member, int pass);
void run_leave(struct run *run, const struct run_member *member);

/* By a worker's thread after its work in a pass. */
void run_worked(struct run *run, const struct run_member *member);

/* ---- native and simulated: results ---- */

/* Adds the measurements of worker i here to a result that is otherwise
 * complete. */
void run_measured(const struct run *run, int i, struct worker_result *result);

/* The chunks of the workers here, with times since the start, in any order; the
 * caller frees them. */
struct logged *run_take_log(struct run *run, int64_t *count);

/* Whether all workers have the same speed, as far as known. */
bool run_equal_speeds(const struct run *run);

/* Collective, after the results are gathered: verifies this repetition's output
 * and wipes it, so that the next one cannot pass with it. */
int run_verify(struct run *run, struct run_result *result, struct error *err);

/* ---- repetition_loop.c ---- */

void run_reset(struct run *run);
/* By one thread of the process: resets the sources for `pass`. */
void run_rewind(struct run *run, int pass);
void run_loop_body(int place, void *run);

/* ---- repetition_steps.c ---- */

/* The native kernel of one step; its instance is the loop. */
extern const struct kernel_ops run_step_kernel;

/* Opens them before the workers and sets `passes`; ranks have not agreed. */
int run_open_steps(struct run *run, struct error *err);
void run_close_steps(struct run *run);
/* Before a repetition. */
void run_reset_steps(struct run *run);
/* By a worker: its part of the current step. */
void run_step(struct run *run, struct worker *worker, double *sync_s);
/* Between two passes of any loop: run_exchange brings results together,
 * collectively, with those of some workers here.  Then run_advance, by one
 * thread of the process, makes the next step's data. */
void run_exchange(struct run *run, int first, int workers);
void run_advance(struct run *run);
/* By one thread of the process, between two steps: all ended the step before
 * `pass` at begin_s, and the next may begin. */
void run_between(struct run *run, int pass, double begin_s);

/* ---- repetition_gather.c ---- */

/* Collective: fills the result at rank 0. */
void run_gather(struct run *run, struct run_result *result);
void run_free_gathered(struct run *run);

/* The chunks of all workers, as a report lists them. */

struct logged {
    struct ran ran;
    int64_t worker;
};

#endif
