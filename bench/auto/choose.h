/* Scheme auto by simulation: every candidate of its cells is simulated on
 * this-machine before the run, and the fastest is taken.  Where SimGrid is not
 * there, candidates of independent loops are replayed. */
#ifndef BENCH_AUTO_CHOOSE_H
#define BENCH_AUTO_CHOOSE_H

#include "base/error.h"
#include "bench/auto/replayed.h"
#include "bench/campaign/campaign.h"
#include "bench/results/rundir.h"
#include "bench/simulate/simulate.h"

struct choose {
    struct simulate simulate;
    bool replays; /* in place of simulating */
    struct replayed replayed;
    int count; /* cells of auto by simulation */
    int64_t room;
    struct cell *candidates; /* of all of them, simulated, each once */
    int candidate_count;
};

/* Before there is a result directory: checks the requirements, a calibration of
 * this machine and the simulated build, or loops that can be replayed.  The
 * text of -ENOENT says what to do. Does nothing where no cell asks for it.
 * choose_close always. */
int choose_open(struct choose *choose, const char *calibration,
                const struct campaign *campaign, struct error *err);

/* Simulates the missing candidates into <dir>/auto, a separate result
 * directory, and fills in `chosen` and predicted_s of the cells; writes
 * choices-<launch>.jsonl.  -EINTR: interrupted. */
int choose_settle(struct choose *choose, const struct rundir *dir,
                  struct campaign *campaign, const char *command,
                  struct error *err);

void choose_close(struct choose *choose);

#endif
