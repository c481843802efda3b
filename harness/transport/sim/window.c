/* Windows in simulation.  What the ranks of a host share stands in their one
 * process and needs no window (chain_root has the memory); remote memory
 * access is not simulated. */
#include "harness/transport/window.h"

#include <errno.h>

int window_open(struct window *window, const struct comm *comm, bool shared,
                size_t bytes, struct error *err)
{
    (void)window, (void)comm, (void)bytes;
    return error_set(err, ENOTSUP,
                     shared ? "window shared needs all ranks on one host"
                            : "an rma window cannot be simulated: use "
                              "transport=master, or window=shared on one host");
}

void window_close(struct window *window)
{
    (void)window;
}

void window_set_counter(struct window *window, int64_t step)
{
    (void)window, (void)step;
}

void window_progress(struct window *window)
{
    (void)window;
}

void source_rma_open(struct source_rma *source, int worker,
                     struct window *window, const struct sched_table *table)
{
    (void)worker, (void)window, (void)table;
    *source = (struct source_rma){.primed = -1};
}
