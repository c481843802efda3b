/* The messages about cells before they run: their total time, and cells that
 * are suspiciously short or long.  A cell of unknown time
 * (bench/launching/driver/estimate.h) gets no message. */
#ifndef BENCH_LAUNCHING_DRIVER_ANNOUNCE_H
#define BENCH_LAUNCHING_DRIVER_ANNOUNCE_H

#include "base/error.h"
#include "bench/campaign/campaign.h"
#include "bench/launching/driver/estimate.h"

#include <stdio.h>

struct announced {
    int cells, known; /* of how many the time is known */
    double seconds;   /* of these */
    double limit_s;   /* the others have this at most, together */
    int brief, long_cells;
    const struct cell *briefest, *longest;
    double brief_s, long_s, long_serial_s; /* seconds of a repetition */
};

/* Of these cells, except those that `held` has complete (NULL: none). */
struct announced announce_estimate(struct estimator *estimator,
                                   const struct cell *cells, int count,
                                   const struct results *held);

/* "12 cells, about 3 min". */
void announce_time(FILE *out, const struct announced *announced);

/* A line on stderr on short cells, with a size that is not, and one on long
 * ones; nothing without them. */
void announce_warnings(const struct announced *announced);

/* The same before a campaign runs here. */
void announce_campaign(const struct campaign *campaign);

/* Cells that need more cores than this host has, known before anything runs. */

/* Returns 0, or -EBUSY with a text that names the first layout whose workers
 * cannot all have their own core (with smt: hardware thread), or its time for
 * the CPU quota.  A warning says whose workers get slower cores than they
 * could.  -EINVAL: hwloc shows another machine.  Also returns 0
 * if that is allowed (oversubscribe), or if only a launch can know: the
 * launcher may start ranks on other hosts. */
int crowd_check(const struct campaign *campaign, const char *launcher,
                struct error *err);

#endif
