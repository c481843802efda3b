/* The timed part of a repetition: each thread of a rank runs it. */
#include "harness/repetition/repetition_internal.h"

#include "harness/problem/loop_costs.h"
#include "harness/process/need.h"

#include <stdlib.h>

/* ---- before a repetition, and before a further pass ---- */

void run_rewind(struct run *run, int pass)
{
    bool further = pass > 0;
    if (!run_hands_out(run))
        return;
    if (run->setup->recosts && !further)
        loop_costs_begin(run->loop);
    if (transport_rewind(&run->transport, further) != 0)
        need_failed();
    for (int i = 0; i < run_ranks(run); i++)
        end_reset(&run->rank[i].end, further);
    for (int i = 0; i < run->workers; i++)
        run_ready_worker(run, i, further);
    if (run->dependent.dmps != NULL) {
        /* Sticky chunks need one pass over the source, for all time steps. */
        int last = run->passes > 1 ? pass : run->loop->grid.steps - 1;
        for (int i = 0; i < run_count_dmps(run); i++) {
            run->dependent.dmps[i].first = pass;
            run->dependent.dmps[i].last = last;
        }
        run_rewind_dmps(run);
    }
}

void run_reset(struct run *run)
{
    run->traffic.messages = run->traffic.bytes = 0;
    run->dependent.migrate.messages = run->dependent.migrate.moved_bytes = 0;
    for (int i = 0; i < run_count_dmps(run); i++) {
        struct links *links = &run->dependent.dmps[i].links;
        links->messages = links->bytes = 0;
    }
    for (int i = 0; i < run_ranks(run); i++)
        run->rank[i].end_s = 0;
    free(run->result);
    run->result = need_zeroed((size_t)run->workers + 1, sizeof(*run->result));
    run_reset_steps(run);
    run_rewind(run, 0);
}

/* ---- the timed part ---- */

/* With replan, the time between a worker's last chunk of a step and its first
 * of the next is waiting for the others. */
static void run_dependent(struct dmps *dmps, struct worker *worker,
                          double *sync_s)
{
    double now = engine_now();
    if (dmps->first == 0)
        worker->begin_s = now;
    else
        *sync_s += now - worker->end_s;
    dmps_run(dmps, worker, sync_s);
    worker->end_s = engine_now();
}

static void run_worker(struct run *run, const struct run_member *member)
{
    struct worker *worker = &run->worker[member->worker];
    struct worker_result *result = &run->result[member->worker];
    double sync_s = result->sync_s;
    if (run->dependent.dmps != NULL)
        run_dependent(run_dmps_of(run, member->worker), worker, &sync_s);
    else if (run->steps.count > 1)
        run_step(run, worker, &sync_s);
    else
        parallel_run(worker);
    run_worked(run, member);
    result->sync_s = sync_s;
    if (!run_hands_out(run))
        return;
    result->wait_s += worker->source->wait_s;
    result->serve_s += worker->source->serve_s;
    end_leave(&run->rank[member->here].end);
}

static void run_pass(struct run *run, const struct run_member *member)
{
    if (member->worker >= 0)
        run_worker(run, member);
    run_leave_pass(run, member);
}

static struct run_member find_member(const struct run *run, int place)
{
    int threads = run->context->threads;
    struct run_member member = {.place = place,
                                .here = place / threads,
                                .thread = place % threads,
                                .worker = -1};
    const int *first =
        &run->tree.rank_worker[run->context->comm.rank + member.here];
    if (first[0] + member.thread < first[1])
        member.worker = first[0] + member.thread - run->first;
    return member;
}

void run_loop_body(int place, void *arg)
{
    struct run *run = arg;
    struct run_member member = find_member(run, place);
    run_enter(run, &member);
    run_pass(run, &member);
    int steps = run->steps.count;
    for (int pass = 1; pass < (steps > 1 ? steps : run->passes); pass++) {
        run_next_pass(run, &member, pass);
        run_pass(run, &member);
    }
    run_leave(run, &member);
}
