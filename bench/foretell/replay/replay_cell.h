/* A replay of a cell (harness/replay/replay.h). */
#ifndef BENCH_FORETELL_REPLAY_REPLAY_CELL_H
#define BENCH_FORETELL_REPLAY_REPLAY_CELL_H

#include "bench/foretell/replay/replay_loop.h"
#include "harness/cell/cell.h"
#include "harness/costs/calibration.h"
#include "harness/replay/replay.h"

struct replay_cell {
    const struct cell *cell; /* checked or not; its platform is ignored */
    const struct replay_loop *loop;
    struct replay_costs costs;
    int node_ranks;    /* see struct replay */
    bool as_simulated; /* workers start as far apart as in dlsbench sim */
    void (*handed)(void *arg, int worker, const struct chunk *chunk,
                   double begin_s, double compute_s);
    void *arg;
    struct cell *made; /* set to the cell as replayed; or NULL */
};

/* Whether a replay models the cell; `without`: what it leaves out (NULL:
 * nothing).  Returns 0, or as setup_resolve does; -ENOTSUP also for
 * dependences, time steps, other transports, pools below a window, load,
 * perturbations, reissued chunks and measured powers. */
int replay_cell_check(const struct cell *cell, const char **without,
                      struct error *err);

/* Makes a checked cell of a campaign a replayed one: its platform says so, and
 * results stay where they were computed.  Returns what replay_cell_check does;
 * -ENOTSUP also if repetitions differ. */
int replay_cell_mark(struct cell *cell, struct error *err);
/* The platform of a replayed cell. */
const char *replay_cell_platform(const struct cell *cell);

/* Returns 0, or as replay_cell_check and replay_run do. */
int replay_cell_run(const struct replay_cell *replay,
                    struct replay_result *result, struct error *err);

/* A hash of the chunks, if any asking worker gets the same ones: cells that
 * differ only in their schemes, and have the same hash, have the same replay.
 * False: chunks depend on the worker, or are too many for a table. */
bool replay_cell_chunks(const struct replay_cell *replay, uint64_t *hash);

/* Replaces the costs that a calibration has, for threads or ranks.  It has the
 * time of a counter's step while all its p workers ask constantly, in which all
 * of them get one.  So we assume that a step blocks the counter for a p-th of
 * that time, however many ask. */
void replay_costs_fill(struct replay_costs *costs,
                       const struct calibration *calibration,
                       enum calibration_which which);

#endif
