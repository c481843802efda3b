/* Messages about cells before they run: their total time, and suspiciously
 * short or long cells.  Cells of unknown time
 * (bench/launching/driver/estimate.h) get no message. */
#ifndef BENCH_LAUNCHING_DRIVER_ANNOUNCE_H
#define BENCH_LAUNCHING_DRIVER_ANNOUNCE_H

#include "base/error.h"
#include "bench/campaign/campaign.h"
#include "bench/launching/driver/estimate.h"

#include <stdio.h>

struct announced {
    int cells, known; /* cells whose time is known */
    double seconds;   /* sum over these */
    double limit_s;   /* upper limit for all others together */
    int brief, long_cells;
    const struct cell *briefest, *longest;
    double brief_s, long_s, long_serial_s; /* seconds of a repetition */
};

/* Estimates these cells, except those complete in `held` (NULL: none). */
struct announced announce_estimate(struct estimator *estimator,
                                   const struct cell *cells, int count,
                                   const struct results *held);

/* "12 cells, about 3 min". */
void announce_time(FILE *out, const struct announced *announced);

/* Prints a line on stderr about short cells, with a larger size, and one about
 * long ones; nothing if there are none. */
void announce_warnings(const struct announced *announced);

/* announce_warnings, before a campaign runs here. */
void announce_campaign(const struct campaign *campaign);

/* Detects before the run cells that need more cores than this host has. */

/* Returns 0, or -EBUSY with a text that names the first layout in which workers
 * lack their own core (with smt: hardware thread), or CPU quota.  Warns if
 * workers get slower cores than necessary. -EINVAL: bind names
 * processors that are not here, or hwloc shows another machine.  Also returns 0
 * if sharing is allowed (oversubscribe), or if only the launch can know,
 * because the launcher may use other hosts. */
int crowd_check(const struct campaign *campaign, const char *launcher,
                struct error *err);

#endif
