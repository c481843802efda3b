/* Run queues: how many threads want a processor at the same time. */
#ifndef HARNESS_TOPO_QUEUE_H
#define HARNESS_TOPO_QUEUE_H

#include "base/error.h"

#include <stdbool.h>
#include <sys/types.h>

/* The processor of the calling thread, -1: unknown. */
int queue_processor(void);

/* One line of /proc/<pid>/task/<tid>/stat: whether the thread runs or waits to
 * run (state R), and the processor whose run queue it is in.  false: the line
 * has another form. */
bool queue_parse(const char *line, bool *running, int *processor);

/* Counts the running or ready threads on each of `count` processors, except
 * those of the processes in `own`: foreign[i] for processor[i].
 *
 * From /proc, which gives each thread's state and last processor.  A thread in
 * state R is in the run queue of that processor, so its affinity need not be
 * read.  The count is the median of several samples, which ignores threads that
 * run only briefly.  Takes about 20 ms.  Invisible processes (another
 * container's) are not counted.  Returns 0 or -errno with a text. */
int queue_count(const int *processor, int count, const pid_t *own, int owns,
                int *foreign, struct error *err);

#endif
