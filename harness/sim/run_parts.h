/* A simulated run's own parts, shared by the files of this folder and by
 * nobody else: run.c opens and repeats, seat.c is a worker's place in it,
 * report.c says what happened. */
#ifndef HARNESS_SIM_RUN_PARTS_H
#define HARNESS_SIM_RUN_PARTS_H

#include "harness/chain.h"
#include "harness/run.h"

/* A rank's part.  There may be half a million. */
struct part {
    struct comm comm;
    struct chain chain;
    double start_s, end_s;
};

/* A worker's place: its source stands before the one of its chain, counts
 * what is handed out, and charges for it. */
struct seat {
    struct source source;
    struct source *inner;
    struct run *run;
    struct worker worker;
    struct kernel_poll poll;
    enum engine_cost cost; /* of a chunk; ENGINE_COSTS: a message's */
    int queue;             /* processes on its core, its own included */
    double compute_s;
    int64_t last; /* its newest entry in `handed`, -1: none */
};

/* A chunk as it was handed out, ticks as of engine_ticks. */
struct handed {
    struct ran ran;
    int64_t step;
    int32_t worker;
};

struct run {
    struct cell cell;
    struct loop *loop;
    struct launch_context *context;
    struct tree tree;
    struct powers powers;
    struct chain_root root;
    struct part *part; /* of each rank */
    int opened;        /* parts */
    struct seat *seat; /* of each worker */
    struct handed *handed;
    int64_t handed_count, handed_room;
    /* Of the last repetition. */
    struct worker_result *result;
    struct ran *ran;
    int32_t *ran_worker;
};

/* Before a repetition, when the worker's source stands. */
void seat_open(struct run *run, int worker);
/* By the worker, after its loop. */
void seat_leave(struct seat *seat);

/* Fills the result of a repetition. */
int run_report(struct run *run, struct run_result *result, struct error *err);
void run_report_free(struct run *run);

#endif
