/* Cores: what this process may use, what is bound where, what was observed.
 * The only part that knows hwloc. */
#ifndef HARNESS_TOPO_TOPO_H
#define HARNESS_TOPO_TOPO_H

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>

enum topo_bind { TOPO_COMPACT, TOPO_SCATTER, TOPO_NONE };

struct topo;

/* Loads this machine's topology, restricted to the cpuset the process was
 * started in.  Call before any thread is bound. */
int topo_open(struct topo **topo, struct error *err);
void topo_close(struct topo *topo);

/* Cores this process may use (at least 1). */
int topo_cores(const struct topo *topo);

/* The cpuset as text, for telling whether two processes share cores. */
const char *topo_cpuset(const struct topo *topo);

/* One line: "2 cores, 1 package, ...". */
const char *topo_summary(const struct topo *topo);

/* The model of the first processor, or "unknown processor". */
const char *topo_processor(const struct topo *topo);

/* "compact", "scatter" or "none" -> enum; false when unknown. */
bool topo_bind_parse(const char *text, enum topo_bind *bind);

/* Binds the calling thread to the core of `slot`, one of `slots` on this
 * host: compact fills neighbouring cores first, scatter puts them as far apart
 * as it can; slots beyond the cores wrap around.  TOPO_NONE: the whole cpuset.
 * Returns 0 or -errno with a text. */
int topo_bind_self(struct topo *topo, enum topo_bind bind, int slot, int slots,
                   struct error *err);

/* Where the calling thread is now, as the system reports it: *core is the
 * lowest processor number of the core it last ran on (-1: not known), *bound
 * whether it may run on that core only. */
void topo_observe_self(struct topo *topo, int *core, bool *bound);

/* What would be bound where, before anything runs: a table of `slots` workers
 * (0: one per core) for `dlsbench topo`.  Returns 0 or -errno. */
int topo_print(FILE *out, int slots, enum topo_bind bind, struct error *err);

#endif
