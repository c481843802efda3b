#include "harness/messages/source_rma.h"

#include "base/invariant.h"

static bool rma_next(struct source *base, struct chunk *chunk)
{
    struct source_rma *source = (struct source_rma *)base;
    int64_t step = source->primed;
    if (step >= 0) {
        source->primed = -1;
    } else {
        double since = source_wait(base);
        step = window_fetch_step(source->window);
        source_go_on(base, since);
        invariant(step >= source->table->primed);
    }
    if (step >= source->table->steps)
        return false;
    *chunk = sched_table_chunk(source->table, step);
    return true;
}

void source_rma_open(struct source_rma *source, int worker,
                     struct window *window, const struct sched_table *table)
{
    *source =
        (struct source_rma){.base = {.next = rma_next, .worker = worker},
                            .window = window,
                            .table = table,
                            .primed = table->rank ? table->rank[worker] : -1};
}
