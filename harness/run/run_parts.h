/* The private parts of a run, shared by the files run*.c: run.c opens and
 * repeats, run_worker.c opens workers and their memory, run_dmps.c opens
 * dependences, run_place.c binds and observes workers and their data,
 * run_power.c measures their powers, run_perturb.c perturbs them, run_loop.c is
 * the timed part, run_verify.c compares the results with the reference,
 * run_save.c writes them as a picture, run_gather.c brings the reports of all
 * ranks to rank 0. */
#ifndef HARNESS_RUN_RUN_PARTS_H
#define HARNESS_RUN_RUN_PARTS_H

#include "harness/dependence/dmps.h"
#include "harness/disturb/hold.h"
#include "harness/disturb/load.h"
#include "harness/disturb/stopper.h"
#include "harness/loop/verify.h"
#include "harness/run/feed.h"
#include "harness/run/handout.h"
#include "harness/run/run.h"

/* What goes wrong on purpose, and what else runs on the cores. */
struct run_disturb {
    struct load load;          /* on the cores of this rank's workers */
    struct hold *hold;         /* one per worker; NULL: nothing goes wrong */
    struct perturb_toll *toll; /* of each perturbation for each worker */
    uint8_t stops;             /* those that stop this rank by signals */
    struct stopper stopper;    /* of this rank; pid 0: none */
};

/* Where the workers are. */
struct run_places {
    struct site *site; /* of all workers, where the transport asks; or NULL */
    int domain;        /* of this rank */
    int *processor;    /* of this rank's threads; -1: any of the domain */
    bool crowded, oversubscribed;
    int shared_masters;        /* known to rank 0 */
    struct place_report *seen; /* of this rank's workers, or of a master
                                  without any, while opening */
};

/* Of a loop whose rows depend on each other. */
struct run_dependent {
    bool has_dmps;
    struct dmps dmps;
    struct migrate migrate;
};

/* Of each worker of this rank. */
struct run_memory {
    void **scratch;
    size_t log_bytes, scratch_bytes;
};

/* This repetition as a picture: what this rank holds of it. */
struct run_picture {
    const char *path; /* NULL: there is none */
    struct held *held;
    int64_t count, room;
};

struct run_clock {
    uint64_t start_ticks;
    double start_s, end_s;
};

/* Of all ranks in the last repetition, known to rank 0. */
struct run_all {
    struct worker_result *workers;
    struct counters_values *counted;
    struct perturb_toll *tolls;
    struct ran *ran;
    int32_t *ran_worker;
};

struct run {
    const struct setup *setup;
    struct loop *loop;
    struct launch_context *context;
    struct tree tree;
    struct run_disturb disturb;
    struct powers powers;
    struct planned planned; /* of protocol push */
    struct transport transport;
    struct transport_end end;
    struct run_places places;
    struct run_dependent dependent;
    int passes; /* over the source: time steps with replan, else 1 */
    struct engine_patience patience;
    int workers; /* of this rank */
    struct worker *worker;
    struct recent_source *recent; /* in front of each; NULL: no reissue */
    struct feed feed;             /* of a fed loop: one worker in each rank */
    struct worker_result *result; /* of this rank's workers */
    struct counters_values *counted; /* the same; NULL: nothing is counted */
    struct run_memory memory;
    struct kernel_poll poll;
    struct run_picture picture;
    struct run_clock clock;
    struct transport_traffic traffic; /* of the masters, all passes */
    struct run_all all;
};

static inline int run_first_worker(const struct run *run)
{
    return run->tree.rank_worker[run->context->comm.rank];
}

/* Lists of this rank's workers; the workers themselves, with their logs and
 * scratch memory (not agreed), after all else is open; both closed. */
void run_allocate(struct run *run);
int run_open_workers(struct run *run, struct error *err);
void run_close_workers(struct run *run);

/* Collective, of a loop whose rows depend on each other. */
int run_open_dmps(struct run *run, struct error *err);

/* Binds thread `thread` of this rank to its core.  Returns 0 or -errno. */
int run_bind_thread(struct run *run, int thread, struct error *err);

/* Collective: binds all workers, looks where they are, and refuses (-EBUSY)
 * shared cores. */
int run_check_places(struct run *run, bool oversubscribe, struct error *err);

/* Collective: where each worker of all ranks is, each rank having as many as
 * the others. */
void run_share_sites(const struct run *run, struct site *site);

/* Collective, under the load: puts measured powers in place of the given. */
int run_measure_powers(struct run *run, struct error *err);

/* By its thread, which is bound: memory of a worker on its own NUMA node, and
 * the rank's shared memory, as the cell's `memory` says. */
int run_place_memory(struct run *run, int thread, struct error *err);

/* By its thread, after its loop: reads its place and that of its data from the
 * system. */
void run_observe(struct run *run, int thread);

/* Perturbations.  Opening (not agreed) and closing; around a repetition, and a
 * worker's source and poll in it. */
int run_perturb_open(struct run *run, struct error *err);
void run_perturb_close(struct run *run);
void run_perturb_poll(struct run *run, int i);
struct source *run_perturb_source(struct run *run, int i,
                                  struct source *source);
void run_perturb_begin(struct run *run);
void run_perturb_end(struct run *run);

/* The timed part, by all threads of the team, after a reset and a barrier of
 * all ranks. */
void run_reset(struct run *run);
void run_loop_body(int thread, void *run);

/* Collective: checks what this repetition computed and wipes it, so that the
 * next one cannot pass with it. */
int run_verify(struct run *run, struct run_result *result, struct error *err);

/* Collective: writes what all ranks hold to run->picture.path, at rank 0. */
int run_save_held(struct run *run, struct error *err);

/* Collective: fills the result at rank 0. */
void run_gather(struct run *run, struct run_result *result);
void run_free_gathered(struct run *run);

#endif
