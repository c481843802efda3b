/* A simulated run: what it has besides struct run.  Its process holds all
 * ranks. */
#ifndef HARNESS_REPETITION_SIM_REPETITION_IMPL_H
#define HARNESS_REPETITION_SIM_REPETITION_IMPL_H

#include "harness/costs/calibration.h"
#include "harness/repetition/repetition_internal.h"
#include "harness/repetition/sim/time_slices.h"

/* A worker: its source is in front of the transport's, counts the
 * chunks, and charges for them. */
struct sim_worker {
    struct source source;
    struct source *inner;
    struct run *run;
    struct kernel_poll poll;
    enum engine_cost cost; /* of a chunk; ENGINE_COSTS: a message's */
    double power;          /* of its core */
    int queue;             /* processes on its core, its own included */
    struct slices slices;  /* in which it has its core */
    struct recent recent;  /* its requests */
    int64_t last;          /* its newest entry in `handed`, -1: none */
    uint8_t hit;           /* of the run's perturbations: those that hold it */
    bool back;             /* it was gone */
    struct perturb_toll *toll; /* of each of them; the run's */
};

struct run_impl {
    struct sim_worker *each; /* of each worker */
    int64_t repetition;
    double wall_s; /* since when this one really runs */
    /* Chunks as they were handed out; ticks as of engine_ticks. */
    struct logged *handed;
    int64_t handed_count, handed_room;
    /* Perturbations: which hold each worker (NULL: none do), and the links as
     * they are when nothing goes wrong, or NULL. */
    uint8_t *hit;
    double *way;
    /* Dependences: the links of all, and a log of all workers, `room` entries
     * each; NULL: one step. */
    struct links links;
    struct calibration_charged charged; /* for blocks of the run's width */
    struct ran *log;
    size_t room, mapped;
    int64_t *done; /* of each row: columns, counted through all steps */
    int64_t early; /* first row of a chunk that ran before a row that it needs,
                      -1 */
};

static inline int number_of(const struct sim_worker *one)
{
    return (int)(one - one->run->impl->each);
}

/* Lets the worker compute for `seconds` of power 1, and serve meanwhile. */
void sim_worker_compute(struct sim_worker *one, double seconds,
                        const struct kernel_poll *poll);

/* The place of a worker's core in the world. */
const struct world_place *host_of_worker(const struct run *run, int worker);

/* Around a repetition, by rank 0; for a worker, before it; by a worker,
 * before it asks, and when it has computed for `work_s` since from_s. */
void perturb_begin(struct run *run);
void perturb_end(struct run *run);
void perturb_open_worker(struct sim_worker *one);
void perturb_before(struct sim_worker *one);
void perturb_after(struct sim_worker *one, double from_s, double work_s);

/* Of dependences: by a worker's thread between two passes, and by rank 0 before
 * that, when pass `pass` is to come; the time steps whose chunks are logged:
 * one, when they are the same in all. */
void dependent_announce(struct run *run, int worker);
void dependent_list_owners(struct run *run, int pass);
int dependent_logged_steps(const struct run *run);

/* The logs of several time steps. */
int run_open_logs(struct run *run, struct error *err);

#endif
