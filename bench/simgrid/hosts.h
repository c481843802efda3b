/* The hosts of a platform, from SimGrid. */
#ifndef BENCH_SIMGRID_HOSTS_H
#define BENCH_SIMGRID_HOSTS_H

#include "bench/simgrid/simulate.h"

/* Fills the platform's hosts, in the order of their names, and its tree where
 * it is one that can be cut.  Returns 0, or -ENOENT or -EINVAL with what
 * SimGrid says of the file. */
int hosts_read(const struct simulate *simulate,
               struct simulate_platform *platform, struct error *err);

void hosts_free(struct simulate_platform *platform);

#endif
