#include "sched/divisible/plan.h"

#include "base/list.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

int divisible_plan_add(struct divisible_plan *plan, int worker, int round,
                       double load, struct error *err)
{
    if (!(load > 0))
        return 0;
    if (plan->chunks >= DIVISIBLE_CHUNKS_MAX)
        return error_set(err, E2BIG,
                         "more than %d chunks: the rounds are too short for "
                         "this load",
                         DIVISIBLE_CHUNKS_MAX);
    if (list_grow(&plan->chunk, &plan->capacity, plan->chunks + 1,
                  sizeof(*plan->chunk)) != 0)
        return error_set(err, ENOMEM, "out of memory");
    plan->chunk[plan->chunks++] = (struct divisible_chunk){
        .worker = worker, .round = round, .load = load};
    if (round >= plan->rounds)
        plan->rounds = round + 1;
    return 0;
}

int divisible_clock_open(struct divisible_clock *clock,
                         const struct divisible_platform *platform, bool replan,
                         struct error *err)
{
    size_t workers = (size_t)platform->workers;
    double *times = calloc(2 * workers, sizeof(*times));
    *clock = (struct divisible_clock){
        .platform = platform, .replan = replan, .done = times};
    if (times == NULL)
        return error_set(err, ENOMEM, "out of memory");
    clock->begun = times + workers;
    return 0;
}

void divisible_clock_close(struct divisible_clock *clock)
{
    free(clock->done);
}

static bool is_own(const struct divisible_clock *clock, int worker)
{
    return clock->platform->own && worker == 0;
}

double divisible_clock_ready(const struct divisible_clock *clock, int worker)
{
    double ready = !clock->platform->overlap ? clock->done[worker]
                   : clock->replan           ? clock->begun[worker]
                                             : 0;
    return is_own(clock, worker) ? ready : fmax(clock->port, ready);
}

void divisible_clock_send(struct divisible_clock *clock,
                          struct divisible_chunk *c)
{
    const struct divisible_disturbance *by = clock->platform->disturbed;
    const struct divisible_worker *worker = &clock->platform->worker[c->worker];
    double seconds = worker->z + c->load * worker->w;
    c->send_start = divisible_clock_ready(clock, c->worker);
    c->send_end = c->send_start + worker->g + c->load * worker->G;
    c->compute_start = fmax(c->send_end + worker->late, clock->done[c->worker]);
    c->compute_end =
        by != NULL ? by->end(by->arg, c->worker, c->compute_start, seconds)
                   : c->compute_start + worker->z + c->load * worker->w;
    if (!is_own(clock, c->worker))
        clock->port = c->send_end;
    clock->begun[c->worker] = c->compute_start;
    clock->done[c->worker] = c->compute_end;
}

int divisible_plan_time(struct divisible_plan *plan,
                        const struct divisible_platform *platform,
                        struct error *err)
{
    struct divisible_clock clock;
    int code = divisible_clock_open(&clock, platform, plan->replan, err);
    plan->makespan = 0;
    for (int64_t n = 0; code == 0 && n < plan->chunks; n++) {
        divisible_clock_send(&clock, &plan->chunk[n]);
        plan->makespan = fmax(plan->makespan, plan->chunk[n].compute_end);
    }
    divisible_clock_close(&clock);
    return code;
}

/* Sums of loads are rounded, not loads, so that the total stays exact. */
int divisible_plan_whole(struct divisible_plan *plan,
                         const struct divisible_platform *platform,
                         int64_t units, struct error *err)
{
    double sum = 0, all = divisible_plan_load(plan, -1);
    int64_t kept = 0, given = 0;
    for (int64_t n = 0; n < plan->chunks; n++) {
        struct divisible_chunk c = plan->chunk[n];
        sum += c.load;
        int64_t upto =
            n + 1 == plan->chunks ? units : llround(sum / all * (double)units);
        c.load = (double)(upto - given);
        given = upto;
        if (c.load > 0)
            plan->chunk[kept++] = c;
    }
    plan->chunks = kept;
    return divisible_plan_time(plan, platform, err);
}

double divisible_plan_load(const struct divisible_plan *plan, int worker)
{
    double sum = 0;
    for (int64_t n = 0; n < plan->chunks; n++)
        if (worker < 0 || plan->chunk[n].worker == worker)
            sum += plan->chunk[n].load;
    return sum;
}

void divisible_plan_free(struct divisible_plan *plan)
{
    free(plan->chunk);
    *plan = (struct divisible_plan){0};
}
