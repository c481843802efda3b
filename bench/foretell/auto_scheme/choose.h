/* Scheme auto by simulation: predicts the time of every candidate of its cells
 * on this-machine before the run, and chooses the fastest. A candidate that a
 * replay models completely is replayed, which is faster; SimGrid simulates the
 * others. Without SimGrid, all that can be replayed at all are. */
#ifndef BENCH_FORETELL_AUTO_SCHEME_CHOOSE_H
#define BENCH_FORETELL_AUTO_SCHEME_CHOOSE_H

#include "base/error.h"
#include "bench/campaign/campaign.h"
#include "bench/foretell/auto_scheme/replayed.h"
#include "bench/results/rundir.h"
#include "bench/simgrid/simulate.h"

struct choose {
    struct simulate simulate;
    bool alone; /* SimGrid is missing */
    struct replayed replayed;
    int replay_count; /* candidates predicted by replay */
    int count;        /* cells of auto by simulation */
    int64_t room;
    struct cell *candidates; /* of all these cells, simulated, each once */
    int candidate_count;
};

/* Before there is a result directory: checks that there is a calibration of
 * this machine and, for what cannot be replayed, the simulated build. The text
 * of -ENOENT says what to do. Does nothing if no cell needs it. Always call
 * choose_close. */
int choose_open(struct choose *choose, const char *calibration,
                const struct campaign *campaign, struct error *err);

/* Replays candidates, and simulates the others into <dir>/auto, a separate
 * result directory; sets `chosen` and predicted_s of the cells; writes
 * choices-<launch>.jsonl. -EINTR: interrupted. */
int choose_settle(struct choose *choose, const struct rundir *dir,
                  struct campaign *campaign, const char *command,
                  struct error *err);

void choose_close(struct choose *choose);

#endif
