#include "harness/workers/context.h"

#include "harness/engine/sim/world.h"
#include "harness/problem/sim/machine.h"
#include "harness/process/need.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static void look_body(int rank, void *arg)
{
    struct world *world = arg;
    world->place[rank] = world_place();
}

static int compare_places(const void *a, const void *b)
{
    const struct world_place *x = *(const struct world_place *const *)a;
    const struct world_place *y = *(const struct world_place *const *)b;
    return ((uintptr_t)x->host > (uintptr_t)y->host) -
           ((uintptr_t)x->host < (uintptr_t)y->host);
}

/* Every rank must have its own core. */
static int check_cores(const struct world *world, struct error *err)
{
    size_t n = (size_t)world->places;
    const struct world_place **place = need_zeroed(n + 1, sizeof(*place));
    for (size_t i = 0; i < n; i++)
        place[i] = &world->place[i];
    qsort(place, n, sizeof(*place), compare_places);
    int code = 0, ranks = 0;
    for (size_t i = 0; code == 0 && i < n; i++) {
        ranks = i > 0 && place[i]->host == place[i - 1]->host ? ranks + 1 : 1;
        if (ranks > place[i]->cores)
            code = error_set(err, EBUSY,
                             "the platform has a host of %d cores for more "
                             "ranks than that",
                             place[i]->cores);
    }
    free(place);
    return code;
}

/* Threads share memory: those of a rank must be on one host. */
static int check_threads(const struct world *world, int threads,
                         struct error *err)
{
    for (int i = 0; i < world->places; i++)
        if (world->place[i].host != world->place[i - i % threads].host)
            return error_set(err, EBUSY,
                             "the %d threads of rank %d are not on one host "
                             "of the platform",
                             threads, i / threads);
    return 0;
}

static bool all_on_one(const struct world *world)
{
    for (int i = 1; i < world->places; i++)
        if (world->place[i].host != world->place[0].host)
            return false;
    return true;
}

static int look_around(struct world *world, struct engine_team *team, int ranks,
                       struct error *err)
{
    world->place = need_zeroed((size_t)ranks, sizeof(*world->place));
    world->places = ranks;
    engine_team_run(team, look_body, world);
    world->speed = INFINITY;
    for (int i = 0; i < ranks; i++) {
        world->place[i].power = machine_power(world->machine, i);
        world->place[i].speed *= world->place[i].power;
        world->speed = fmin(world->speed, world->place[i].speed);
    }
    return check_cores(world, err);
}

int context_open(struct launch_context *context, const struct worklist *work,
                 struct error *err)
{
    struct world *world = world_here();
    const struct worklist_simulation *simulation = &work->simulation;
    int ranks = context->comm.ranks;
    if (work->ranks * work->threads != ranks)
        return error_set(err, EINVAL,
                         "smpirun started %d ranks, the worklist needs %d",
                         ranks, work->ranks * work->threads);
    world->cost_s[ENGINE_REQUEST] = simulation->request_s;
    world->cost_s[ENGINE_COUNT] = simulation->count_s;
    world->cost_s[ENGINE_STATE] = simulation->state_s;
    world->cost_s[ENGINE_OWN] = simulation->own_s;
    world->cost_s[ENGINE_STEAL] = simulation->steal_s;
    world->cost_s[ENGINE_ANSWER] = simulation->answer_s;
    world->cost_s[ENGINE_HANDOVER] = simulation->handover_s;
    world->cost_s[ENGINE_HANDOVER_BYTE] = simulation->handover_byte_s;
    world->operation_s = simulation->operation_s;
    world->boundary_bytes = simulation->boundary_bytes;
    world->result_bytes = simulation->result_bytes;
    int code = engine_team_start(&context->team, ranks, err);
    if (code == 0)
        code = machine_open(
            &world->machine, simulation->calibration,
            work->ranks == 1 ? CALIBRATION_THREADS : CALIBRATION_RANKS, err);
    if (code == 0)
        code = look_around(world, context->team, ranks, err);
    if (code == 0)
        code = check_threads(world, work->threads, err);
    if (code != 0)
        return code;
    context->threads = work->threads;
    context->comm.lanes = work->threads;
    context->comm.ranks = work->ranks;
    context->comm.local = work->ranks;
    context->comm.one_host = all_on_one(world);
    context->seed = work->seed;
    context->out = work->out;
    context->keep_log = work->policy.trace;
    context->tick_s = engine_tick_since(engine_moment());
    return 0;
}

int context_of_cell(struct launch_context *context, const struct cell *cell,
                    struct launch_context **out, struct error *err)
{
    (void)cell, (void)err;
    *out = context;
    return 0;
}

/* The team is released by main. */
void context_close(struct launch_context *context)
{
    machine_close(world_here()->machine);
    free(world_here()->place);
    context->team = NULL;
}
