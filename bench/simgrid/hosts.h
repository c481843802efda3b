/* Reads the hosts of a platform through SimGrid. */
#ifndef BENCH_SIMGRID_HOSTS_H
#define BENCH_SIMGRID_HOSTS_H

#include "bench/simgrid/simulate.h"

/* Fills the platform's hosts, sorted by name, and its tree, if it can be cut.
 * Returns 0, or -ENOENT or -EINVAL with SimGrid's error. */
int hosts_read(const struct simulate *simulate,
               struct simulate_platform *platform, struct error *err);

void hosts_free(struct simulate_platform *platform);

#endif
