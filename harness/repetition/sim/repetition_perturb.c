/* The perturbations of a simulated run.  The loss of a held worker is computed
 * from its computing times, and the worker sleeps that long. */
#include "harness/repetition/sim/repetition_impl.h"

#include "harness/engine/sim/world.h"
#include "harness/process/need.h"
#include "harness/transport/reissue/reissue.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

int run_perturb_open(struct run *run, struct error *err)
{
    size_t count = (size_t)run->setup->perturbs.count;
    size_t n = (size_t)run->workers + 1;
    (void)err;
    if (count == 0)
        return 0;
    run->impl->hit = need_zeroed(n, sizeof(*run->impl->hit));
    run->toll = need_zeroed(n * count, sizeof(*run->toll));
    setup_pick_perturbed(run->setup, run->impl->hit);
    return 0;
}

/* The platform is everybody's: slower for this cell only. */
void perturb_begin(struct run *run)
{
    double latency = 1, bandwidth = 1;
    for (int k = 0; k < run->setup->perturbs.count; k++) {
        latency *= run->setup->perturbs.list[k].latency;
        bandwidth *= run->setup->perturbs.list[k].bandwidth;
    }
    if (latency == 1 && bandwidth == 1)
        return;
    run->impl->way = world_scale_links(latency, bandwidth);
    if (run->impl->way == NULL)
        need_failed();
}

void perturb_end(struct run *run)
{
    if (run->impl->way != NULL)
        world_restore_links(run->impl->way);
    run->impl->way = NULL;
}

/* ---- by a worker ---- */

static double start_of(const struct sim_worker *one)
{
    return run_rank_of(one->run, number_of(one))->start_s;
}

/* Ranks lack the stack for formatted output.  SimGrid notices that all wait. */
static void report_deadlock(void)
{
    static const char text[] =
        "dlsbench: the simulated loop never ends, all wait for who is gone\n";
    if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
        return; /* then SimGrid says it */
}

/* A worker that never returns waits until the loop ends without it; without
 * reissue that is never. */
static void wait_until_over(struct sim_worker *one)
{
    const struct engine_patience patience = {0};
    struct run *run = one->run;
    struct engine_event never = {0};
    struct engine_idle idle = {0};
    struct reissue *ledger = transport_ledger(&run->transport);
    if (ledger != NULL)
        reissue_await(ledger, &patience);
    if (ledger == NULL)
        report_deadlock();
    while (ledger == NULL)
        engine_idle(&idle, &patience, &never);
    one->back = true;
    for (int k = 0; k < run->setup->perturbs.count; k++)
        if (isinf(one->toll[k].lost_s))
            one->toll[k].lost_s =
                engine_now() - start_of(one) - one->toll[k].from_s;
}

/* Until `to_s` since the start. */
static void hold_until(struct sim_worker *one, double to_s)
{
    if (isfinite(to_s))
        engine_sleep(to_s - (engine_now() - start_of(one)));
    else
        wait_until_over(one);
}

void perturb_open_worker(struct sim_worker *one)
{
    const struct run *run = one->run;
    int count = run->setup->perturbs.count;
    size_t worker = (size_t)number_of(one);
    if (run->impl->hit == NULL)
        return;
    one->hit = run->impl->hit[worker];
    one->toll = run->toll + worker * (size_t)count;
    for (int k = 0; k < count; k++)
        one->toll[k] = (struct perturb_toll){
            .how = one->hit >> k & 1 ? HELD_IN_TIME : HELD_NOT};
}

void perturb_before(struct sim_worker *one)
{
    const struct perturbs *perturbs = &one->run->setup->perturbs;
    double since = engine_now() - start_of(one), free_s;
    int worker = one->source.worker, holder, last = -1;
    if (one->hit == 0)
        return;
    while (!one->back && (holder = perturbs_holder(perturbs, one->hit, worker,
                                                   since, &free_s)) >= 0) {
        perturb_toll_add(&one->toll[holder], holder != last, since,
                         free_s - since);
        last = holder;
        hold_until(one, free_s);
        since = fmax(free_s, engine_now() - start_of(one));
    }
}

void perturb_after(struct sim_worker *one, double from_s, double work_s)
{
    double from = from_s - start_of(one);
    if (one->hit == 0 || one->back)
        return;
    double end = perturbs_end(&one->run->setup->perturbs, one->hit,
                              one->source.worker, from, work_s, one->toll);
    if (end > from + work_s)
        hold_until(one, end);
}
