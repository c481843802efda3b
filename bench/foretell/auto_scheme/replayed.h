/* Predictions by replay (harness/replay/replay.h), for scheme auto: independent
 * loops on this calibrated machine.  A replay starts no process and needs a
 * hundredth of SimGrid's time for a chunk. */
#ifndef BENCH_FORETELL_AUTO_SCHEME_REPLAYED_H
#define BENCH_FORETELL_AUTO_SCHEME_REPLAYED_H

#include "bench/foretell/replay/replay_loop.h"
#include "harness/cell/cell.h"
#include "harness/costs/calibration.h"

#include <limits.h>

struct replayed {
    const char *file; /* the calibration; NULL: the default place */
    char path[PATH_MAX];
    bool open; /* the calibration is loaded */
    struct calibration calibration;
    /* The loop of the last prediction. */
    char kernel[SPEC_CANONICAL_MAX];
    enum calibration_which which;
    struct replay_loop loop;
};

/* Whether a replay can predict a candidate.  `wholly`: as completely as a
 * simulation, which also models the busy time of a message's sender and
 * receiver, the transfer of results, learning over repetitions, and unequal
 * workers.  Loads the calibration if needed.  Returns 0, or an error with the
 * reason; call replayed_close in any case. */
int replayed_check(struct replayed *replayed, const struct cell *cell,
                   bool wholly, struct error *err);
void replayed_close(struct replayed *replayed);

/* Warns if the calibration is from another machine or version. */
void replayed_warn(const struct replayed *replayed);

/* Stores the calibration as `path`, unless that exists. */
int replayed_store(const struct replayed *replayed, const char *path,
                   struct error *err);

/* The predicted time of a cell, s; NAN: cannot be replayed. */
double replayed_time(struct replayed *replayed, const struct cell *cell);

#endif
