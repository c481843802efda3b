#include "sched/divisible/plan.h"

#include "base/list.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static int make_room(struct divisible_plan *plan, struct error *err)
{
    if (plan->chunks >= DIVISIBLE_CHUNKS_MAX)
        return error_set(err, E2BIG,
                         "more than %d chunks: the rounds are too short for "
                         "this load",
                         DIVISIBLE_CHUNKS_MAX);
    if (list_grow(&plan->chunk, &plan->capacity, plan->chunks + 1,
                  sizeof(*plan->chunk)) != 0)
        return error_set(err, ENOMEM, "out of memory");
    return 0;
}

int divisible_plan_add(struct divisible_plan *plan, int worker, int round,
                       double load, struct error *err)
{
    if (!(load > 0))
        return 0;
    int code = make_room(plan, err);
    if (code != 0)
        return code;
    plan->chunk[plan->chunks++] = (struct divisible_chunk){
        .worker = worker, .round = round, .load = load};
    if (round >= plan->rounds)
        plan->rounds = round + 1;
    return 0;
}

int divisible_plan_time(struct divisible_plan *plan,
                        const struct divisible_platform *platform,
                        struct error *err)
{
    double port = 0; /* free from then on */
    double *done = calloc((size_t)platform->workers, sizeof(*done));
    if (done == NULL)
        return error_set(err, ENOMEM, "out of memory");
    plan->makespan = 0;
    for (int64_t n = 0; n < plan->chunks; n++) {
        struct divisible_chunk *c = &plan->chunk[n];
        const struct divisible_worker *worker = &platform->worker[c->worker];
        double ready = platform->overlap ? 0 : done[c->worker];
        bool own = platform->own && c->worker == 0;
        c->send_start = own ? ready : fmax(port, ready);
        c->send_end = c->send_start + worker->g + c->load * worker->G;
        c->compute_start = fmax(c->send_end + worker->late, done[c->worker]);
        c->compute_end = c->compute_start + worker->z + c->load * worker->w;
        port = own ? port : c->send_end;
        done[c->worker] = c->compute_end;
        plan->makespan = fmax(plan->makespan, c->compute_end);
    }
    free(done);
    return 0;
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
