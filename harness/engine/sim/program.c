/* A program compiled with smpicc that contains its loops: each rank joins the
 * world when it opens one. */
#include "harness/engine/sim/world.h"

#include "harness/engine/usual_costs.h"

#include <mpi.h>
#include <simgrid/host.h>
#include <smpi/smpi.h>
#include <stdlib.h>

static struct world *make_world(void)
{
    struct world *world = calloc(1, sizeof(*world));
    if (world == NULL)
        return NULL;
    *world =
        (struct world){.cost_s = {[ENGINE_REQUEST] = ENGINE_REQUEST_USUAL_S,
                                  [ENGINE_COUNT] = ENGINE_COUNT_USUAL_S,
                                  [ENGINE_STATE] = ENGINE_STATE_USUAL_S,
                                  [ENGINE_OWN] = ENGINE_OWN_USUAL_S,
                                  [ENGINE_STEAL] = ENGINE_STEAL_USUAL_S,
                                  [ENGINE_ANSWER] = ENGINE_REQUEST_USUAL_S},
                       .samples = true};
    MPI_Comm_size(MPI_COMM_WORLD, &world->places);
    world->place = calloc((size_t)world->places, sizeof(*world->place));
    if (world->place != NULL)
        return world;
    free(world);
    return NULL;
}

/* Ranks take turns only at simulation calls; there are none in between. */
bool world_join(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct world *world = sg_host_get_data(sg_host_self());
    if (world == NULL)
        world = make_world();
    if (world == NULL)
        return false;
    if (world->joined++ == 0)
        world_show(world);
    world->place[rank] = world_place();
    return true;
}

void world_part(void)
{
    struct world *world = sg_host_get_data(sg_host_self());
    if (world == NULL || --world->joined > 0)
        return;
    world_show(NULL);
    free(world->place);
    free(world);
}

/* Keeps charging: the next call of MPI also charges later computing. */
void engine_computed(void)
{
    int begun, over;
    MPI_Initialized(&begun);
    MPI_Finalized(&over);
    if (!begun || over)
        return;
    smpi_bench_end();
    smpi_bench_begin();
}

void world_time_passed(void)
{
    const struct world *world = sg_host_get_data(sg_host_self());
    if (world != NULL && world->samples)
        smpi_bench_begin();
}

void engine_compute(double operations)
{
    if (operations > 0)
        world_compute(operations);
    world_time_passed();
}
