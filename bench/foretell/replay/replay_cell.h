/* A replay of a cell (harness/replay/replay.h). */
#ifndef BENCH_FORETELL_REPLAY_REPLAY_CELL_H
#define BENCH_FORETELL_REPLAY_REPLAY_CELL_H

#include "bench/foretell/replay/replay_loop.h"
#include "harness/cell/cell.h"
#include "harness/costs/calibration.h"
#include "harness/replay/replay.h"

struct replay_cell {
    const struct cell *cell; /* checked or not; its platform does not count */
    const struct replay_loop *loop;
    struct replay_costs costs;
    int node_ranks; /* see struct replay */
    void (*handed)(void *arg, int worker, const struct chunk *chunk,
                   double begin_s, double compute_s);
    void *arg;
    struct cell *made; /* becomes the cell as it was replayed; NULL */
};

/* Whether a replay models the cell; `without`: what it leaves out then (NULL:
 * nothing).  Returns 0, or as setup_open does; -ENOTSUP also for what it does
 * not model: dependences, time steps, other transports, pools below a window,
 * load, perturbations, chunks handed out again, measured powers. */
int replay_cell_check(const struct cell *cell, const char **without,
                      struct error *err);

/* Returns 0, or as replay_cell_check and replay_run do. */
int replay_cell_run(const struct replay_cell *replay,
                    struct replay_result *result, struct error *err);

/* Replaces the costs that a calibration knows: which, of threads or of ranks.
 * It knows what a step of a counter takes when all its p workers ask all the
 * time.  They get one in a p-th of that: so long the counter is taken to be
 * one worker's, however many ask. */
void replay_costs_fill(struct replay_costs *costs,
                       const struct calibration *calibration,
                       enum calibration_which which);

#endif
