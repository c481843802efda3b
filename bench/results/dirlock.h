/* Keeps a result directory for one run, or for runs whose parts of the campaign
 * do not overlap.
 *
 * The lock is one of an open file description on DIRECTORY/.lock, which stays
 * there.  It ends with the process that took it in every case, and programs
 * that the process starts do not have it.  The file has a line for each run
 * that has the lock or had it last. */
#ifndef BENCH_RESULTS_DIRLOCK_H
#define BENCH_RESULTS_DIRLOCK_H

#include "base/error.h"
#include "harness/process/shard.h"

#include <stdio.h>
#include <sys/types.h>

/* Returns a descriptor that keeps the lock while it is open, or -EBUSY with a
 * text that names the owner.  A line on stderr warns if the file system has no
 * locks, or none that other hosts see. */
int dirlock_take(const char *directory, const struct shard *shard,
                 struct error *err);

/* Why other hosts do not see locks on this device, by the lines of
 * /proc/self/mountinfo: an option of its mount, copied to `option`; empty: they
 * do. */
void dirlock_read_mounts(FILE *mounts, dev_t device, char *option, size_t size);

#endif
