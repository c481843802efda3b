/* How the threads of a rank, and the ranks, start, meet and leave. */
#include "harness/repetition/native/repetition_impl.h"

#include "harness/process/need.h"

#include <stdlib.h>

void run_begin(struct run *run)
{
    run_reset(run);
    end_listen(&run->rank->end);
    load_resume(&run->impl->disturb.load);
    comm_quiet_barrier(&run->context->comm);
}

void run_end(struct run *run)
{
    run_end_touch(run);
    load_pause(&run->impl->disturb.load);
    run_perturb_end(run);
}

/* Thread 0 meets the other ranks between two barriers of its team, so that no
 * worker starts before all workers of all ranks are there. */
static void start_together(struct run *run, int thread)
{
    struct engine_team *team = run->context->team;
    engine_team_barrier(team, &run->patience);
    if (thread == 0) {
        if (run->impl->places.crowded)
            comm_quiet_barrier(&run->context->comm);
        else
            comm_sharp_barrier(&run->context->comm);
        run->impl->start_ticks = engine_ticks();
        run->rank->start_s = engine_now();
        run_perturb_begin(run);
    }
    engine_team_barrier(team, &run->patience);
}

void run_enter(struct run *run, const struct run_member *member)
{
    struct error err;
    if (member->thread == 0 || member->worker >= 0)
        run_bind_thread(run, member->thread, &err);
    if (member->worker >= 0) {
        run->result[member->worker].core_probe_s = engine_core_probe();
        engine_share_mark(&run->impl->mark[member->worker]);
    }
    start_together(run, member->thread);
    if (member->worker >= 0)
        counters_begin(run->context->counters,
                       context_slot(run->context, member->thread));
}

void run_leave_pass(struct run *run, const struct run_member *member)
{
    if (member->thread == 0 && run_hands_out(run)) {
        /* Until this rank has nothing to send and no worker to serve. */
        if (run->dependent.dmps != NULL)
            dmps_finish(run->dependent.dmps);
        end_finish(&run->rank->end);
        end_add_traffic(&run->rank->end, &run->traffic.messages,
                        &run->traffic.bytes);
    }
    engine_team_barrier(run->context->team, &run->patience);
    if (member->worker >= 0)
        counters_resume(run->context->counters,
                        context_slot(run->context, member->thread));
}

/* ---- a pass for every time step ---- */

/* This rank's rows in the step that ended. */
static struct migrate_rows *own_rows(const struct run *run, int64_t *count)
{
    int64_t n = 0, step = run->dependent.dmps->last, room = 1;
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

/* Between two time steps, by one thread of each rank: exchanges rows or
 * results, advances the data and begins the chunks anew.  A barrier of all
 * ranks ends it. */
static void next_step(struct run *run, int pass)
{
    const struct comm *comm = &run->context->comm;
    const struct dmps *dmps = run->dependent.dmps;
    double begin_s = engine_now();
    if (dmps != NULL && dmps->migrate != NULL) {
        int64_t count;
        struct migrate_rows *own = own_rows(run, &count);
        migrate_announce(dmps->migrate, own, count);
        free(own);
    }
    run_exchange(run, 0, run->workers);
    run_advance(run);
    run_rewind(run, pass);
    if (run_hands_out(run))
        end_listen(&run->rank->end);
    if (run->impl->places.crowded)
        comm_quiet_barrier(comm);
    else
        comm_sharp_barrier(comm);
    run_between(run, pass, begin_s);
}

void run_next_pass(struct run *run, const struct run_member *member, int pass)
{
    if (member->thread == 0)
        next_step(run, pass);
    engine_team_barrier(run->context->team, &run->patience);
}

void run_leave(struct run *run, const struct run_member *member)
{
    if (member->thread == 0)
        run->rank->end_s = engine_now();
    if (member->worker < 0)
        return;
    counters_take(run->context->counters,
                  context_slot(run->context, member->thread),
                  run->counted != NULL ? &run->counted[member->worker] : NULL);
    struct engine_share_mark end;
    engine_share_mark(&end);
    run->result[member->worker].share =
        engine_share_between(&run->impl->mark[member->worker], &end);
    run_observe(run, member->worker);
}
