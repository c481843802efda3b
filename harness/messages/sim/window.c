/* Windows in simulation.  The ranks of a host share one process, so shared data
 * need no window (the chain has the memory).
 *
 * An rma window is a counter at rank 0's host.  Words travel there and back
 * while the asking worker waits.  The counter serves one at a time,
 * ENGINE_REQUEST each, without rank 0, as where a network interface counts. */
#include "harness/messages/window.h"

#include "harness/engine/sim/world.h"

#include <errno.h>
#include <stdlib.h>

struct counter {
    int64_t step;
    int home;      /* its rank in MPI_COMM_WORLD */
    double free_s; /* when its last waiting request will be served */
};

/* A step, or how many to add. */
static const double WORD_BYTES = 8;

/* Rank 0 comes first, and opens it for all. */
int window_open(struct window *window, const struct comm *comm, bool shared,
                size_t bytes, struct error *err)
{
    struct counter *counter = NULL;
    (void)bytes;
    *window = (struct window){.comm = comm, .shared = shared};
    if (shared)
        return error_set(err, ENOTSUP,
                         "window shared needs all ranks on one host: use "
                         "window=rma");
    if (comm->rank == 0)
        counter = calloc(1, sizeof(*counter));
    if (counter != NULL)
        MPI_Comm_rank(MPI_COMM_WORLD, &counter->home);
    window->memory = comm_common(comm, counter);
    if (window->memory == NULL)
        return error_set(err, ENOMEM, "out of memory for a window");
    return 0;
}

void window_close(struct window *window)
{
    if (window->comm->rank == 0)
        free(window->memory);
}

void window_set_counter(struct window *window, int64_t step)
{
    struct counter *counter = window->memory;
    counter->step = step;
    counter->free_s = 0;
}

void window_progress(struct window *window)
{
    (void)window;
}

int64_t window_fetch_step(struct window *window)
{
    struct counter *counter = window->memory;
    world_reach(counter->home, WORD_BYTES);
    double now = engine_now();
    if (counter->free_s < now)
        counter->free_s = now;
    counter->free_s += world_here()->cost_s[ENGINE_REQUEST];
    int64_t step = counter->step++;
    world_sleep(counter->free_s - now);
    world_answer(counter->home, WORD_BYTES);
    return step;
}
