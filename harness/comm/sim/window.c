/* Windows in simulation.  The shared data of a host's ranks are in their one
 * process and need no window (the chain has the memory).  An rma window is a
 * counter at rank 0's host: words travel there and back while the asking worker
 * waits, and the counter takes one at a time, ENGINE_REQUEST each, without rank
 * 0, as where a network interface counts. */
#include "harness/comm/window.h"

#include "harness/engine/sim/world.h"

#include <errno.h>
#include <stdlib.h>

struct world_counter {
    int64_t step;
    double free_s; /* when the last of those that wait for it will be served */
};

/* A step, or how many to add. */
static const double WORD_BYTES = 8;

/* By rank 0 for all ranks, itself first; the world knows the counter. */
int window_open(struct window *window, const struct comm *comm, bool shared,
                size_t bytes, struct error *err)
{
    struct world *world = world_here();
    (void)bytes;
    *window = (struct window){.comm = comm, .shared = shared};
    if (shared)
        return error_set(err, ENOTSUP,
                         "window shared needs all ranks on one host: use "
                         "window=rma");
    if (comm->rank == 0)
        world->counter = calloc(1, sizeof(*world->counter));
    if (world->counter == NULL)
        return error_set(err, ENOMEM, "out of memory for a window");
    window->memory = world->counter;
    return 0;
}

void window_close(struct window *window)
{
    if (window->comm->rank != 0)
        return;
    free(window->memory);
    world_here()->counter = NULL;
}

void window_set_counter(struct window *window, int64_t step)
{
    struct world_counter *counter = window->memory;
    *counter = (struct world_counter){.step = step};
}

void window_progress(struct window *window)
{
    (void)window;
}

int64_t window_fetch_step(struct window *window)
{
    struct world_counter *counter = window->memory;
    world_reach(0, WORD_BYTES);
    double now = engine_now();
    if (counter->free_s < now)
        counter->free_s = now;
    counter->free_s += world_here()->cost_s[ENGINE_REQUEST];
    int64_t step = counter->step++;
    world_sleep(counter->free_s - now);
    world_answer(0, WORD_BYTES);
    return step;
}
