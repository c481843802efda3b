/* Reserves a result directory for one run, or for runs of disjoint parts of the
 * campaign.
 *
 * The lock is on an open file description of DIRECTORY/.lock, which is never
 * removed.  It always ends with the process that took it, and programs that
 * the process starts do not inherit it.  The file has a line for each run that
 * has the lock or had it last. */
#ifndef BENCH_RESULTS_DIRLOCK_H
#define BENCH_RESULTS_DIRLOCK_H

#include "base/error.h"
#include "harness/process/shard.h"

#include <stdio.h>
#include <sys/types.h>

/* Returns a descriptor that keeps the lock while it is open, or -EBUSY with a
 * text that names the owner.  Warns on stderr if the file system has no locks,
 * or other hosts do not see them. */
int dirlock_take(const char *directory, const struct shard *shard,
                 struct error *err);

/* Why other hosts do not see locks on this device, from the lines of
 * /proc/self/mountinfo: copies an option of its mount to `option`; empty: they
 * do. */
void dirlock_read_mounts(FILE *mounts, dev_t device, char *option, size_t size);

#endif
