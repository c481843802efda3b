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
    int node_ranks;    /* see struct replay */
    bool as_simulated; /* workers start as far apart as in dlsbench sim */
    void (*handed)(void *arg, int worker, const struct chunk *chunk,
                   double begin_s, double compute_s);
    void *arg;
    struct cell *made; /* becomes the cell as it was replayed; NULL */
};

/* Whether a replay models the cell; `without`: what it leaves out then (NULL:
 * nothing).  Returns 0, or as setup_resolve does; -ENOTSUP also for what it
 * does not model: dependences, time steps, other transports, pools below a
 * window, load, perturbations, chunks handed out again, measured powers. */
int replay_cell_check(const struct cell *cell, const char **without,
                      struct error *err);

/* Makes a checked cell of a campaign one that is replayed: its platform says
 * so, and results stay where they were computed.  Returns what
 * replay_cell_check does; -ENOTSUP also where repetitions differ. */
int replay_cell_mark(struct cell *cell, struct error *err);
/* The platform of such a cell. */
const char *replay_cell_platform(const struct cell *cell);

/* Returns 0, or as replay_cell_check and replay_run do. */
int replay_cell_run(const struct replay_cell *replay,
                    struct replay_result *result, struct error *err);

/* The chunks of a cell whose scheme hands out the same ones whoever asks: two
 * cells that differ only in their schemes and have the same hash of them have
 * the same replay.  False: they depend on it, or are more than a table has. */
bool replay_cell_chunks(const struct replay_cell *replay, uint64_t *hash);

/* Replaces the costs that a calibration knows: which, of threads or of ranks.
 * It knows what a step of a counter takes when all its p workers ask all the
 * time.  They get one in a p-th of that: so long the counter is taken to be
 * one worker's, however many ask. */
void replay_costs_fill(struct replay_costs *costs,
                       const struct calibration *calibration,
                       enum calibration_which which);

#endif
