#include "harness/run/run_parts.h"

#include "harness/guard/need.h"

#include <stdlib.h>
#include <string.h>

/* ---- before a repetition ---- */

static void reset_sources(struct run *run, bool further_step)
{
    transport_rewind(&run->transport, further_step);
    end_reset(&run->end, further_step);
    end_listen(&run->end);
    for (int i = 0; i < run->workers; i++) {
        struct source *source = end_source(&run->end, i);
        source->watch = counters_watch(run->context->counters,
                                       context_slot(run->context, i));
        source = run_perturb_source(run, i, source);
        if (run->recent != NULL)
            source = recent_open(&run->recent[i], source);
        run->worker[i].source = source;
    }
}

/* Sticky chunks need one pass over the source, for all time steps. */
static void set_steps(struct run *run, int pass)
{
    bool replan = run->passes > 1;
    run->dependent.dmps.first = pass;
    run->dependent.dmps.last = replan ? pass : run->loop->grid.steps - 1;
}

void run_reset(struct run *run)
{
    run->traffic.messages = 0;
    run->traffic.bytes = 0;
    for (int i = 0; i < run->workers; i++) {
        struct worker *worker = &run->worker[i];
        worker->chunks = 0;
        worker->logged = 0;
        worker->iterations = 0;
        worker->compute_ticks = 0;
        run->result[i] = (struct worker_result){0};
        memset(run->memory.scratch[i], 0, run->loop->scratch_bytes);
    }
    reset_sources(run, false);
    run->dependent.migrate.messages = 0;
    run->dependent.migrate.moved_bytes = 0;
    if (run->dependent.has_dmps) {
        run->dependent.dmps.links.messages = 0;
        run->dependent.dmps.links.bytes = 0;
        set_steps(run, 0);
        dmps_reset(&run->dependent.dmps, run->workers);
    }
}

/* ---- the timed part ---- */

static void start_together(struct run *run, int thread)
{
    struct engine_team *team = run->context->team;
    engine_team_barrier(team, &run->patience);
    if (thread == 0) {
        if (run->places.crowded)
            comm_quiet_barrier(&run->context->comm);
        else
            comm_sharp_barrier(&run->context->comm);
        run->clock.start_ticks = engine_ticks();
        run->clock.start_s = engine_now();
        run_perturb_begin(run);
    }
    engine_team_barrier(team, &run->patience);
}

/* With replan, the time between a worker's last chunk of a step and its first
 * of the next is waiting for the others. */
static void run_dependent(struct run *run, struct worker *worker,
                          double *sync_s)
{
    double now = engine_now();
    if (run->dependent.dmps.first == 0)
        worker->begin_s = now;
    else
        *sync_s += now - worker->end_s;
    dmps_run(&run->dependent.dmps, worker, sync_s);
    worker->end_s = engine_now();
}

static void work_thread(struct run *run, int thread)
{
    struct worker *worker = &run->worker[thread];
    struct worker_result *result = &run->result[thread];
    struct counters_work done = {.chunks = -worker->chunks,
                                 .iterations = -worker->iterations};
    double sync_s = 0;
    if (run->dependent.has_dmps)
        run_dependent(run, worker, &sync_s);
    else
        parallel_run(worker);
    done.chunks += worker->chunks;
    done.iterations += worker->iterations;
    done.requests = worker->source->requests;
    done.wait_s = worker->source->wait_s + sync_s;
    counters_finish(run->context->counters, context_slot(run->context, thread),
                    &done);
    result->sync_s += sync_s;
    result->wait_s += worker->source->wait_s;
    result->serve_s += worker->source->serve_s;
    end_leave(&run->end);
}

/* Until this rank has nothing left to send and no worker left to serve. */
static void finish_serving(struct run *run)
{
    if (run->dependent.has_dmps)
        dmps_finish(&run->dependent.dmps);
    end_finish(&run->end);
    end_add_traffic(&run->end, &run->traffic.messages, &run->traffic.bytes);
}

static void run_pass(struct run *run, int thread)
{
    if (thread < run->workers)
        work_thread(run, thread);
    if (thread == 0)
        finish_serving(run);
    engine_team_barrier(run->context->team, &run->patience);
    if (thread < run->workers)
        counters_go_on(run->context->counters,
                       context_slot(run->context, thread));
}

/* ---- replan: a pass for every time step ---- */

/* This rank's rows in the step that ended. */
static struct migrate_rows *own_rows(const struct run *run, int64_t *count)
{
    int64_t n = 0, step = run->dependent.dmps.last, room = 1;
    for (int i = 0; i < run->workers; i++)
        room += run->worker[i].logged;
    struct migrate_rows *own = need_zeroed((size_t)room, sizeof(*own));
    for (int i = 0; i < run->workers; i++) {
        const struct worker *w = &run->worker[i];
        for (int64_t c = w->logged; c-- > 0 && w->log[c].time_step == step;)
            own[n++] = (struct migrate_rows){w->log[c].start, w->log[c].size,
                                             run->context->comm.rank};
    }
    *count = n;
    return own;
}

static void next_step(struct run *run, int pass)
{
    const struct comm *comm = &run->context->comm;
    if (run->dependent.dmps.migrate != NULL) {
        int64_t count;
        struct migrate_rows *own = own_rows(run, &count);
        migrate_tell(run->dependent.dmps.migrate, own, count);
        free(own);
    }
    reset_sources(run, true);
    set_steps(run, pass);
    dmps_reset(&run->dependent.dmps, run->workers);
    if (run->places.crowded)
        comm_quiet_barrier(comm);
    else
        comm_sharp_barrier(comm);
}

static void run_passes(struct run *run, int thread)
{
    run_pass(run, thread);
    for (int pass = 1; pass < run->passes; pass++) {
        if (thread == 0)
            next_step(run, pass);
        engine_team_barrier(run->context->team, &run->patience);
        run_pass(run, thread);
    }
}

void run_loop_body(int thread, void *arg)
{
    struct run *run = arg;
    struct error err;
    if (thread == 0 || thread < run->workers)
        run_bind_thread(run, thread, &err);
    start_together(run, thread);
    if (thread < run->workers)
        counters_begin(run->context->counters,
                       context_slot(run->context, thread));
    run_passes(run, thread);
    if (thread == 0)
        run->clock.end_s = engine_now();
    if (thread >= run->workers)
        return;
    counters_end(run->context->counters, context_slot(run->context, thread),
                 run->counted != NULL ? &run->counted[thread] : NULL);
    run_observe(run, thread);
}
