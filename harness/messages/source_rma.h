/* A worker's source in an rma window: steps from the window's counter, chunks
 * from a table that every rank has. */
#ifndef HARNESS_MESSAGES_SOURCE_RMA_H
#define HARNESS_MESSAGES_SOURCE_RMA_H

#include "harness/messages/source.h"
#include "harness/messages/window.h"

struct source_rma {
    struct source base;
    struct window *window;
    const struct sched_table *table;
    int64_t primed; /* the step of the worker's first chunk, else -1 */
};

/* Before a repetition.  The window and the table outlive the source. */
void source_rma_open(struct source_rma *source, int worker,
                     struct window *window, const struct sched_table *table);

#endif
