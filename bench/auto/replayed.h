/* Predictions by replay (harness/replay/replay.h), for scheme auto where
 * SimGrid is not installed: independent loops on this machine as it was
 * calibrated. */
#ifndef BENCH_AUTO_REPLAYED_H
#define BENCH_AUTO_REPLAYED_H

#include "bench/replay/replay_loop.h"
#include "harness/calibration/calibration.h"
#include "harness/cell/cell.h"

struct replayed {
    bool open;
    struct calibration calibration;
    /* The loop of the last prediction. */
    char kernel[sizeof(((struct cell *)0)->kernel)];
    enum calibration_which which;
    struct replay_loop loop;
};

/* Loads the calibration (NULL: the default place), and tries the loops of these
 * cells.  Returns 0, or what keeps them from being replayed, with a text;
 * replayed_close in any case. */
int replayed_open(struct replayed *replayed, const char *calibration,
                  const struct cell *cells, int count, struct error *err);
void replayed_close(struct replayed *replayed);

/* Stores the calibration as `path`, where it is not there yet. */
int replayed_store(const struct replayed *replayed, const char *path,
                   struct error *err);

/* The predicted time of a cell, s; NAN: it cannot be replayed. */
double replayed_time(struct replayed *replayed, const struct cell *cell);

#endif
