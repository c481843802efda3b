/* The suite's own events as Software Defined Events of PAPI: any PAPI tool in
 * the process can read sde:::dlsbench::chunks and its like.  They grow when a
 * worker has finished a loop.  A worker reads its own count, every other thread
 * the sum over the workers of the process. */
#ifndef HARNESS_COUNTERS_SDE_H
#define HARNESS_COUNTERS_SDE_H

#include "harness/counters/counters.h"

struct sde;

/* One of them. */
struct sde_name {
    const char *name, *what; /* behind sde:::dlsbench:: */
};
extern const struct sde_name sde_names[]; /* a NULL name ends the list */
#define SDE_PREFIX "sde:::dlsbench::"

/* Registers them, once in a process; NULL: it cannot be done, or not again. */
struct sde *sde_open(int threads);
void sde_close(struct sde *sde);

/* By the thread itself: it is this worker; and adds to its counts. */
void sde_thread_open(struct sde *sde, int thread);
void sde_tell(struct sde *sde, int thread, const struct counters_work *work);

#endif
