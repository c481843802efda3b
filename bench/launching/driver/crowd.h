/* Cells that need more cores than this host has, known before anything runs. */
#ifndef BENCH_LAUNCHING_DRIVER_CROWD_H
#define BENCH_LAUNCHING_DRIVER_CROWD_H

#include "base/error.h"
#include "bench/campaign/campaign.h"

/* Returns 0, or -EBUSY with a text that names the first layout whose workers
 * cannot all have their own core (with smt: hardware thread), or its time for
 * the CPU quota.  A warning says whose workers get slower cores than they
 * could.  -EINVAL: hwloc shows another machine.  Also returns 0
 * if that is allowed (oversubscribe), or if only a launch can know: the
 * launcher may start ranks on other hosts. */
int crowd_check(const struct campaign *campaign, const char *launcher,
                struct error *err);

#endif
