/* Starts launches, one shape (ranks x threads) after the other, until every
 * cell is done or has failed.  Never calls MPI. */
#ifndef BENCH_LAUNCHING_DRIVER_DRIVER_H
#define BENCH_LAUNCHING_DRIVER_DRIVER_H

#include "base/error.h"
#include "bench/campaign/campaign.h"
#include "bench/results/rundir.h"
#include "bench/simgrid/simulate.h"

#include <stdbool.h>

struct driver_options {
    const char *launcher;            /* template */
    const struct simulate *simulate; /* instead of the launcher, or NULL */
    const char *command;             /* command line, for the manifest */
};

struct driver_end {
    int ok, unverified, failed, waiting;
    bool interrupted;
};

/* Runs `count` cells.  Returns 0 whatever the cells' results, or -errno if it
 * cannot continue (for instance, cannot write a launch); `end` is set in any
 * case. */
int driver_run(const struct rundir *dir, const struct campaign *campaign,
               const struct cell *cells, int count,
               const struct driver_options *options, struct driver_end *end,
               struct error *err);

#endif
