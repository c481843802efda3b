/* Measures the hand-over: two cores pass a flag back and forth. */
#include "harness/launch/handover.h"

#include "base/stats.h"
#include "harness/topo/topo.h"

#include <math.h>
#include <sched.h>

enum { SETS = 5, TRIPS = 20 };

struct handover {
    const struct topo *topo;
    const struct engine_patience *patience;
    _Alignas(128) struct engine_progress there;
    _Alignas(128) struct engine_progress back;
    double one_way_s[SETS];
};

/* Cells choose their own binding later. */
static void handover_body(int thread, void *arg)
{
    struct handover *h = arg;
    struct error err;
    cpu_set_t before;
    if (thread > 1 || sched_getaffinity(0, sizeof(before), &before) != 0)
        return;
    topo_bind_compact(h->topo, thread, 2, &err);
    /* Set -1 warms up. */
    int64_t ball = 0;
    for (int set = -1; set < SETS; set++) {
        double start = engine_now();
        for (int trip = 0; trip < TRIPS; trip++) {
            ball++;
            if (thread == 0)
                engine_publish(&h->there, ball);
            engine_wait_until(h->patience, thread == 0 ? &h->back : &h->there,
                              ball);
            if (thread == 1)
                engine_publish(&h->back, ball);
        }
        if (thread == 0 && set >= 0)
            h->one_way_s[set] = (engine_now() - start) / TRIPS / 2;
    }
    sched_setaffinity(0, sizeof(before), &before);
}

double handover_of_team(const struct topo *topo, struct engine_team *team,
                        const struct engine_patience *patience)
{
    struct handover h = {.topo = topo, .patience = patience};
    engine_team_run(team, handover_body, &h);
    return stats_middle(h.one_way_s, SETS);
}

/* A rank with one thread starts a team of two for this. */
static double measure_here(struct launch_context *context)
{
    struct engine_team *team = context->team;
    struct error err;
    if (context->threads < 2 && engine_team_start(&team, 2, &err) != 0)
        return NAN;
    double one_way_s =
        handover_of_team(context->place.topo, team, &context->comm.patience);
    if (team != context->team)
        engine_team_stop(team);
    return one_way_s;
}

double handover_measure(struct launch_context *context)
{
    const struct comm *comm = &context->comm;
    double one_way_s = NAN;
    if (comm->ranks * context->threads < 2 || !comm->one_host)
        return NAN;
    if (comm->ranks > 1)
        comm_quiet_barrier(comm);
    if (comm->rank == 0 && topo_cores(context->place.topo) > 1)
        one_way_s = measure_here(context);
    if (comm->ranks > 1)
        comm_quiet_barrier(comm);
    return one_way_s;
}
