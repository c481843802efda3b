/* Competing load: busy processes on the cores of one cell's workers.
 *
 * A busy process is this program with the hidden command `busy`.  The worker's
 * thread starts it, and it inherits the worker's processor and priority.  It is
 * stopped (SIGSTOP) except while its cell is measured, because the cells of a
 * launch take turns.  The kernel kills it with the thread that started it, so
 * none survives a rank. */
#ifndef HARNESS_DISTURB_LOAD_H
#define HARNESS_DISTURB_LOAD_H

#include "base/error.h"
#include "harness/engine/engine.h"

#include <stdbool.h>
#include <sys/types.h>

struct load {
    pid_t *pid;
    int count;
};

/* Starts processes[i] busy processes on the core of thread i of the team, for
 * the first `workers` threads, which must be bound.  They are stopped on
 * return. processes NULL: none.  Returns 0 or -errno with a text; after an
 * error no process is left.  Close it before the team. */
int load_open(struct load *load, const int *processes, int workers,
              struct engine_team *team, struct error *err);
void load_close(struct load *load);

/* Around the measurement; both return at once. */
void load_resume(const struct load *load);
void load_pause(const struct load *load);

/* The work of `dlsbench busy PARENT`: waits stopped, then uses its processor
 * until it is killed.  Returns only if it is not PARENT's child. */
int load_busy(const char *parent);

#endif
