/* The simulated platform's own numbers: g is the latency of the route from the
 * master to a worker, G its time per byte, w the cost of an iteration there. */
#include "harness/repetition/push_platform.h"

#include "harness/engine/sim/world.h"

int push_platform_open(struct push_platform *out, const struct cell *cell,
                       const struct loop *loop, const struct tree *tree,
                       const struct launch_context *context, struct error *err)
{
    const struct world *world = world_here();
    double mean_s =
        loop->cost_before[loop->iterations] / (double)loop->iterations;
    (void)err;
    push_platform_room(out, cell, tree);
    for (int w = 0; w < tree->workers; w++) {
        const struct world_place *master = &world->place[0];
        const struct world_place *place =
            &world->place[tree->worker_rank[w] * context->threads];
        struct divisible_worker *worker = &out->worker[w];
        worker->w = mean_s * world->speed / place->speed;
        if (tree->worker_rank[w] == 0)
            continue;
        double latency, bandwidth;
        world_route(master, place, &latency, &bandwidth);
        worker->g = latency;
        worker->G = push_platform_bytes(loop) / bandwidth;
    }
    return 0;
}
