/* How the ranks of SMPI, each a thread of a rank, start, meet and leave. */
#include "harness/repetition/sim/repetition_impl.h"

#include "harness/engine/sim/world.h"
#include "harness/engine/usual_costs.h"

void run_begin(struct run *run)
{
    run->impl->wall_s = world_wall();
    run->impl->handed_count = 0;
    run_reset(run);
    perturb_begin(run);
}

void run_end(struct run *run)
{
    run->impl->repetition++;
    perturb_end(run);
}

/* Masters start at once, and the groups of workers start in parallel.  Without
 * masters, all start at once: a loop's time is the longest of the ranks' own
 * times, so a later start would be missing in it. */
static double delay_of(const struct tree *tree, int worker)
{
    if (worker < 0)
        return 0;
    const struct tree_master *asked =
        &tree->master[tree->worker_master[worker]];
    if (asked->rank < 0)
        return 0;
    return (worker - asked->first_worker) *
           engine_apart_s(asked->workers, world_here()->cost_s[ENGINE_REQUEST]);
}

void run_enter(struct run *run, const struct run_member *member)
{
    struct run_rank *rank = &run->rank[member->here];
    if (member->thread == 0)
        end_listen(&rank->end);
    world_sleep(delay_of(&run->tree, member->worker));
    if (member->thread == 0)
        rank->start_s = engine_now();
}

/* Boundaries are sent by the SMPI rank that owns them. */
void run_leave_pass(struct run *run, const struct run_member *member)
{
    struct transport_end *end = &run->rank[member->here].end;
    if (member->thread == 0 && run_hands_out(run)) {
        end_finish(end);
        end_add_traffic(end, &run->traffic.messages, &run->traffic.bytes);
    }
    if (member->worker >= 0 && run->dependent.dmps != NULL)
        dmps_finish(run_dmps_of(run, member->worker));
}

/* Natively a rank's thread 0 makes the data of the next step. */
static void charge_advance(const struct run *run,
                           const struct run_member *member)
{
    const struct world *world = world_here();
    const int *queue = run->powers.queue;
    double flops = run->loop->extra.advance_s * world->speed;
    if (queue != NULL && member->worker >= 0)
        flops *= queue[member->worker];
    if (flops > 0)
        world_compute(flops / world->place[member->place].power);
}

/* All workers have left the pass before, and none begins the next. */
void run_next_pass(struct run *run, const struct run_member *member, int pass)
{
    struct engine_team *team = run->context->team;
    engine_team_barrier(team, NULL);
    double begin_s = engine_now();
    if (run->steps.count > 1) {
        run_exchange(run, member->worker, member->worker >= 0);
        engine_team_barrier(team, NULL);
    }
    if (member->place == 0) {
        if (run->dependent.dmps != NULL)
            dependent_list_owners(run, pass);
        run_advance(run);
        run_rewind(run, pass);
    }
    engine_team_barrier(team, NULL);
    dependent_announce(run, member->worker);
    if (member->thread == 0)
        charge_advance(run, member);
    if (member->thread == 0 && run_hands_out(run))
        end_listen(&run->rank[member->here].end);
    comm_sharp_barrier(&run->context->comm);
    if (member->place == 0)
        run_between(run, pass, begin_s);
}

/* A rank is done when all its threads are. */
void run_leave(struct run *run, const struct run_member *member)
{
    struct run_rank *rank = &run->rank[member->here];
    if (engine_now() > rank->end_s)
        rank->end_s = engine_now();
}
