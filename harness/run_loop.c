#include "harness/run_parts.h"

#include <string.h>

void run_reset(struct run *run)
{
    if (run->context->comm.rank == 0)
        chain_root_reset(&run->root);
    chain_reset(&run->chain);
    if (run->has_dmps)
        dmps_reset(&run->dmps, run->workers);
    for (int i = 0; i < run->workers; i++) {
        run->worker[i].source = &run->chain.source[i].base;
        memset(run->scratch[i], 0, run->loop->scratch_bytes);
    }
}

static void start_together(struct run *run, int thread)
{
    struct engine_team *team = run->context->team;
    engine_team_barrier(team, &run->patience);
    if (thread == 0) {
        if (run->crowded)
            comm_quiet_barrier(&run->context->comm);
        else
            comm_sharp_barrier(&run->context->comm);
        run->start_ticks = engine_ticks();
        run->start_s = engine_now();
    }
    engine_team_barrier(team, &run->patience);
}

void run_loop_body(int thread, void *arg)
{
    struct run *run = arg;
    struct chain *chain = &run->chain;
    struct error err;
    if (thread == 0 || thread < run->workers)
        run_bind_thread(run, thread, &err);
    start_together(run, thread);
    if (thread < run->workers) {
        struct worker *worker = &run->worker[thread];
        if (run->has_dmps)
            dmps_run(&run->dmps, worker, &run->result[thread].sync_s);
        else
            parallel_run(worker);
        if (chain->has_relay)
            relay_leave(&chain->relay);
    }
    if (thread == 0 && run->has_dmps)
        dmps_finish(&run->dmps);
    if (thread == 0 && chain->has_relay)
        relay_finish(&chain->relay);
    engine_team_barrier(run->context->team, &run->patience);
    if (thread == 0)
        run->end_s = engine_now();
    if (thread < run->workers) {
        struct worker_result *result = &run->result[thread];
        bool bound;
        int core;
        topo_observe_self(run->context->place.topo, &core, &bound);
        result->core = core;
        result->bound = bound;
    }
}
