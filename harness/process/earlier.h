/* Finds launches of a result directory that still run on this host after their
 * driver or launcher was killed.  No measurement may run beside them. */
#ifndef HARNESS_PROCESS_EARLIER_H
#define HARNESS_PROCESS_EARLIER_H

#include "base/error.h"
#include "harness/process/shard.h"

/* A launch ends within 5 s, see bench/launching/reaper.h. */
#define EARLIER_LIMIT_S 10.0

/* Waits up to `limit_s` seconds until no such launch is left.  `directory` is
 * its full path.  Launches of disjoint shards may run on, and so may `own`
 * (NULL: none).  Returns 0, or -EBUSY with a text that names the host and the
 * process. */
int earlier_await(const char *directory, const struct shard *shard,
                  const char *own, double limit_s, struct error *err);

/* earlier_await for the launch with this worklist,
 * DIRECTORY/worklist-LAUNCH.json, before MPI is up: only the first rank of each
 * host waits, if the launcher tells which it is; otherwise every rank. */
int earlier_await_worklist(const char *worklist, double limit_s,
                           struct error *err);

#endif
