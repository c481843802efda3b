/* The private parts of a run.  repetition.c opens and repeats,
 * repetition_loop.c is the timed part, repetition_steps.c has time steps of
 * independent iterations, repetition_gather.c collects the reports of all ranks
 * at rank 0.  They are the same natively and in simulation.
 *
 * A process holds some ranks of the launch: natively one, in simulation all.
 * Ranks, workers and threads of "here" are those of this process, counted from
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

/* A rank of this process.  In simulation there may be half a million. */
struct run_rank {
    struct comm comm;
    struct transport_end end;
    double start_s, end_s;
};

/* Where a thread of the team is. */
struct run_member {
    int place;  /* its number in the team */
    int here;   /* its rank here */
    int thread; /* in that rank */
    int worker; /* here; -1: it has none */
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
    int count; /* 0: there are none */
    int step;  /* the present one */
    struct exchange exchange;
    double exchange_s; /* of this process, between the steps so far */
    double slowest_s;  /* of its ranks, in the present exchange */
    double *between_s; /* from this process' end of each step but the last
                          until the next began */
};

/* All ranks' data of the last repetition, known to rank 0. */
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
    struct planned planned; /* of protocol push */
    struct transport transport;
    struct site *site; /* of all workers, where the transport asks; or NULL */
    struct run_rank *rank; /* of each rank here */
    int opened;            /* ends of them */
    struct run_dependent dependent;
    struct run_steps steps;
    int passes; /* over the source: time steps with replan, else 1 */
    struct engine_patience patience;
    int first, workers;              /* here, of all workers */
    struct worker *worker;           /* of each here */
    struct worker_result *result;    /* the same, of this repetition */
    struct counters_values *counted; /* the same; NULL: nothing is counted */
    struct perturb_toll *toll; /* of each perturbation for each worker here */
    struct transport_traffic traffic; /* of the masters here, all passes */
    struct run_all all;
};

static inline int run_ranks(const struct run *run)
{
    return run->context->comm.held;
}

/* The rank of a worker here, and its thread there. */
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

/* Whether the chunks of the present step come from the source. */
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

/* ---- the seam: opening.  Collective unless it says otherwise ---- */

/* Memory of this kind of run, not collective, when the workers are known; and
 * all that these functions open, of a run that may be open in part. */
void run_open_impl(struct run *run);
void run_close_impl(struct run *run);
void run_close_dmps(struct run *run);

/* Places of workers, and the powers that they register with; then how they
 * wait.  -EBUSY: workers share cores and oversubscribe is false. */
int run_open_places(struct run *run, bool oversubscribe, struct error *err);

/* Where each worker of all ranks is, each rank having as many as the
 * others. */
void run_share_sites(const struct run *run, struct site *site);

/* Perturbations, not agreed. */
int run_perturb_open(struct run *run, struct error *err);

/* Links and moving rows; sets `passes`. */
int run_open_dmps(struct run *run, struct error *err);

/* Workers, when all else is open; not agreed. */
int run_open_workers(struct run *run, struct error *err);

/* ---- the seam: a repetition ---- */

/* The source and the counts of worker i here: before a repetition, or before a
 * further pass. */
void run_ready_worker(struct run *run, int i, bool further);

/* Dependences of this process before a pass. */
void run_rewind_dmps(struct run *run);

/* Collective, around a repetition, by the thread of the launch: resets the run
 * and lets load and perturbations begin; lets them end. */
void run_begin(struct run *run);
void run_end(struct run *run);

/* By every thread of the team: before its part; after a pass; before the
 * next, where one thread of the process calls run_rewind; after the last. */
void run_enter(struct run *run, const struct run_member *member);
void run_leave_pass(struct run *run, const struct run_member *member);
void run_next_pass(struct run *run, const struct run_member *member, int pass);
void run_leave(struct run *run, const struct run_member *member);

/* By a worker's thread, when it has worked in a pass. */
void run_worked(struct run *run, const struct run_member *member);

/* ---- the seam: results ---- */

/* Adds the measurements of worker i here; the rest of the result is already
 * set. */
void run_measured(const struct run *run, int i, struct worker_result *result);

/* The chunks of the workers here with their times since the start, in any
 * order; to be freed. */
struct logged *run_take_log(struct run *run, int64_t *count);

/* Whether all workers have the same speed, as far as is known. */
bool run_equal_speeds(const struct run *run);

/* Collective, when the results are gathered: checks what this repetition
 * computed and wipes it, so that the next one cannot pass with it. */
int run_verify(struct run *run, struct run_result *result, struct error *err);

/* ---- repetition_loop.c ---- */

void run_reset(struct run *run);
/* By one thread of the process: the sources as they are before `pass`. */
void run_rewind(struct run *run, int pass);
void run_loop_body(int place, void *run);

/* ---- repetition_steps.c ---- */

/* The loop's kernel in a step, natively; its instance is the loop. */
extern const struct kernel_ops run_step_kernel;

/* Opens them, before the workers; sets `passes`; not agreed. */
int run_open_steps(struct run *run, struct error *err);
void run_close_steps(struct run *run);
/* Before a repetition. */
void run_reset_steps(struct run *run);
/* By a worker: its part of the present step. */
void run_step(struct run *run, struct worker *worker, double *sync_s);
/* Between two passes of any loop: brings results together, collective, with
 * those of some workers here; then, by one thread of the process, makes the
 * data of the next step. */
void run_exchange(struct run *run, int first, int workers);
void run_advance(struct run *run);
/* By one thread of the process, when all have ended the step before `pass`, at
 * begin_s, and the step may begin. */
void run_between(struct run *run, int pass, double begin_s);

/* ---- repetition_gather.c ---- */

/* Collective: fills the result at rank 0. */
void run_gather(struct run *run, struct run_result *result);
void run_free_gathered(struct run *run);

/* Chunks of all workers, as a report lists them. */

struct logged {
    struct ran ran;
    int64_t worker;
};

#endif
