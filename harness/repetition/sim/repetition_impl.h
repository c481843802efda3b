/* The simulated part of struct run.  A process has all ranks. */
#ifndef HARNESS_REPETITION_SIM_REPETITION_IMPL_H
#define HARNESS_REPETITION_SIM_REPETITION_IMPL_H

#include "harness/costs/calibration.h"
#include "harness/repetition/repetition_internal.h"
#include "harness/repetition/sim/time_slices.h"

/* A worker: its source is before the transport's source, counts the chunks, and
 * charges for them. */
struct sim_worker {
    struct source source;
    struct source *inner;
    struct run *run;
    struct kernel_poll poll;
    enum engine_cost cost; /* of a chunk; ENGINE_COSTS: charged as a message */
    double power;          /* of its core */
    int queue;             /* processes on its core, including itself */
    struct slices slices;  /* how it shares its core in time slices */
    struct recent recent;  /* its newest requests */
    int64_t last;          /* its newest entry in `handed`, -1: none */
    uint8_t hit;           /* bits of the perturbations that hold it */
    bool back;             /* it returned after an absence */
    struct perturb_toll *toll; /* one for each of them; the run's */
};

struct run_impl {
    struct sim_worker *each; /* one for each worker */
    int64_t repetition;
    double wall_s; /* real time at the begin of this repetition */
    /* Chunks in the order of handing out; times in engine_ticks. */
    struct logged *handed;
    int64_t handed_count, handed_room;
    /* Perturbations: which hold each worker (NULL: none), and the undisturbed
     * links, or NULL. */
    uint8_t *hit;
    double *way;
    /* Dependences: the links of all ranks, and a log of all workers with `room`
     * entries each; NULL: one step. */
    struct links links;
    struct calibration_charged charged; /* costs of blocks of the run's width */
    struct ran *log;
    size_t room, mapped;
    int64_t *done; /* by row: columns, counted through all steps */
    int64_t early; /* first row of a chunk that ran before a row that it needs;
                      -1: none */
};

static inline int number_of(const struct sim_worker *one)
{
    return (int)(one - one->run->impl->each);
}

/* Lets the worker compute for `seconds` of power 1 while it serves. */
void sim_worker_compute(struct sim_worker *one, double seconds,
                        const struct kernel_poll *poll);

/* The core of a worker in the simulated world. */
const struct world_place *host_of_worker(const struct run *run, int worker);

/* Around a repetition, by rank 0; for a worker, before the repetition; by a
 * worker, before it asks, and after it computed for `work_s` since from_s. */
void perturb_begin(struct run *run);
void perturb_end(struct run *run);
void perturb_open_worker(struct sim_worker *one);
void perturb_before(struct sim_worker *one);
void perturb_after(struct sim_worker *one, double from_s, double work_s);

/* Dependences: by a worker's thread between two passes; by rank 0 before pass
 * `pass`; and how many time steps have logged chunks: one if all are equal. */
void dependent_announce(struct run *run, int worker);
void dependent_list_owners(struct run *run, int pass);
int dependent_logged_steps(const struct run *run);

/* Opens the logs of several time steps. */
int run_open_logs(struct run *run, struct error *err);

#endif
