/* The private parts of a simulated run, shared by the files of this folder:
 * run.c opens and repeats, seat.c is a worker's place in it, dependent*.c have
 * the additions for loops with dependences, report.c makes the results. */
#ifndef HARNESS_SIM_RUN_PARTS_H
#define HARNESS_SIM_RUN_PARTS_H

#include "harness/dependence/dmps.h"
#include "harness/run/handout.h"
#include "harness/run/run.h"
#include "harness/run/sim/slices.h"

/* A rank's part.  There may be half a million. */
struct part {
    struct comm comm;
    struct transport_end end;
    double start_s, end_s;
};

/* A worker's place: its source is in front of the transport's, counts the
 * chunks, and charges for them. */
struct seat {
    struct source source;
    struct source *inner;
    struct run *run;
    struct worker worker;
    struct kernel_poll poll;
    enum engine_cost cost; /* of a chunk; ENGINE_COSTS: a message's */
    double power;          /* of its core */
    int queue;             /* processes on its core, its own included */
    struct slices slices;  /* in which it has its core */
    double compute_s, wait_s, sync_s;
    struct recent recent; /* its requests */
    int64_t last;         /* its newest entry in `handed`, -1: none */
    uint8_t hit;          /* of the run's perturbations: those that hold it */
    bool back;            /* it was gone */
    struct perturb_toll *toll; /* of each of them; the run's */
};

/* A loop with dependences. */
struct dependent {
    struct dmps *dmps; /* of each worker; NULL: no dependences */
    struct links links;
    struct migrate migrate;
    struct ran *log; /* of all workers, `room` entries each; NULL: one step */
    size_t room, mapped;
    int64_t *done; /* of each row: columns, counted through all steps */
    int64_t early; /* first row of a chunk that ran before a row that it needs,
                      -1 */
};

/* A chunk as it was handed out, ticks as of engine_ticks. */
struct handed {
    struct ran ran;
    int64_t step;
    int32_t worker;
};

/* Of the last repetition. */
struct last {
    struct worker_result *result;
    struct ran *ran;
    int32_t *ran_worker;
};

struct run {
    const struct setup *setup;
    struct loop *loop;
    struct launch_context *context;
    struct tree tree;
    struct powers powers;
    struct planned planned; /* of protocol push */
    struct transport transport;
    struct site *site; /* of each worker, where the transport asks; or NULL */
    struct part *part; /* of each rank */
    int opened;        /* parts */
    struct seat *seat; /* of each worker */
    int passes;        /* over the source: time steps with replan, else 1 */
    int64_t repetition;
    struct dependent dependent;
    uint8_t *hit;              /* which hold each worker; NULL: none do */
    struct perturb_toll *toll; /* of each of them for each worker */
    double *links; /* as they are when nothing goes wrong, or NULL */
    struct transport_traffic traffic; /* of the masters, all passes */
    struct handed *handed;
    int64_t handed_count, handed_room;
    struct last last;
};

/* Before a repetition, when the worker's source exists. */
void seat_open(struct run *run, int worker);
/* Before a further pass, when the worker's source is as new. */
void seat_rewind(struct run *run, int worker);
/* By the worker, after its loop. */
void seat_leave(struct seat *seat);
/* Lets the worker compute for `seconds` of power 1, and serve meanwhile. */
void seat_compute(struct seat *seat, double seconds,
                  const struct kernel_poll *poll);

/* Perturbations (harness/run/sim/perturb.c): opening and closing;
 * around a repetition, by rank 0; a worker's seat before it; by a worker,
 * before it asks, and when it has computed for `work_s` since from_s. */
void perturb_open(struct run *run);
void perturb_close(struct run *run);
void perturb_begin(struct run *run);
void perturb_end(struct run *run);
void perturb_seat(struct seat *seat);
void perturb_before(struct seat *seat);
void perturb_after(struct seat *seat, double from_s, double work_s);

/* Of loops with dependences.  Opening and closing; before a repetition. */
int dependent_open(struct run *run, struct error *err);
void dependent_close(struct run *run);
void dependent_reset(struct run *run);
/* By a worker: its part of a pass, and the rest of it when all requests of its
 * rank are served. */
void dependent_work(struct run *run, int worker);
void dependent_finish(struct run *run, int worker);
/* By every rank of SMPI between two passes; rank 0 rewinds what all share. */
void dependent_tell(struct run *run, int worker);
void dependent_rewind(struct run *run, int pass);
/* Time steps whose chunks are logged: one, when they are the same in all. */
int dependent_logged_steps(const struct run *run);
/* Fills log, log_worker, logged and verified of the result from the logs. */
int dependent_report(struct run *run, struct run_result *result,
                     struct error *err);

/* Fills the result of a repetition. */
int run_report(struct run *run, struct run_result *result, struct error *err);
void run_report_free(struct run *run);

#endif
