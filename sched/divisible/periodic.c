#include "sched/divisible/periodic.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double paper_period = 2000;  /* section 6, lp-fixed */
static const double rounding = 1e-12;     /* relative to the load */
static const double now_rounding = 1e-12; /* s */
/* A chunk's time is news beyond these parts of itself and of the clock. */
static const double news_of_work = 1e-9, news_of_time = 1e-14;

/* The most that a worker itself can take in a period of T_p. */
static double own_limit(const struct divisible_platform *platform,
                        const struct divisible_worker *worker,
                        enum divisible_program program, double period,
                        double latencies)
{
    double g = program == DIVISIBLE_OWN_LATENCY ? worker->g : latencies;
    double limit = platform->overlap
                       ? (period - worker->z) / worker->w
                       : (period - g - divisible_start_up(worker)) /
                             (worker->G + worker->w);
    return fmax(limit, 0);
}

double divisible_period_loads(const struct divisible_platform *platform,
                              const int *order, enum divisible_program program,
                              double period, double *alpha)
{
    double latencies = divisible_latencies(platform);
    double port = period - latencies, sum = 0;
    for (int k = 0; k < platform->workers; k++) {
        const struct divisible_worker *worker = &platform->worker[order[k]];
        double load = 0;
        if (port > 0)
            load = own_limit(platform, worker, program, period, latencies);
        bool full = port > 0 && load * worker->G >= port;
        if (full)
            load = port / worker->G;
        port = full ? 0 : port - load * worker->G;
        alpha[order[k]] = load;
        sum += load;
    }
    return sum;
}

double divisible_steady_rate(const struct divisible_platform *platform,
                             const int *order)
{
    double port = 1, sum = 0;
    for (int k = 0; k < platform->workers && port > 0; k++) {
        const struct divisible_worker *worker = &platform->worker[order[k]];
        double rate =
            1 / (platform->overlap ? worker->w : worker->G + worker->w);
        if (rate * worker->G > port)
            rate = port / worker->G;
        port -= rate * worker->G;
        sum += rate;
    }
    return sum;
}

double divisible_estimate(const struct divisible_platform *platform,
                          double load)
{
    double rate = 0;
    for (int i = 0; i < platform->workers; i++) {
        const struct divisible_worker *worker = &platform->worker[i];
        rate += 1 / (platform->overlap ? worker->w : worker->G + worker->w);
    }
    return load / rate;
}

struct divisible_periods divisible_lp_fixed(double period)
{
    return (struct divisible_periods){
        .program = DIVISIBLE_OWN_LATENCY,
        .period = period > 0 ? period : paper_period,
    };
}

struct divisible_periods divisible_lp_sqrt(void)
{
    return (struct divisible_periods){.program = DIVISIBLE_SUM_LATENCIES};
}

struct divisible_periods divisible_lp_adaptive(void)
{
    return (struct divisible_periods){.program = DIVISIBLE_SUM_LATENCIES,
                                      .adaptive = true};
}

int divisible_rounds_open(struct divisible_rounds *rounds,
                          const struct divisible_platform *platform,
                          double load, const struct divisible_periods *periods,
                          struct error *err)
{
    size_t workers = (size_t)platform->workers;
    *rounds = (struct divisible_rounds){
        .known = *platform,
        .periods = *periods,
        .worker = calloc(workers, sizeof(*rounds->worker)),
        .order = calloc(workers, sizeof(*rounds->order)),
        .alpha = calloc(workers, sizeof(*rounds->alpha)),
        .left = load,
    };
    if (rounds->worker == NULL || rounds->order == NULL ||
        rounds->alpha == NULL)
        return error_set(err, ENOMEM, "out of memory");
    memcpy(rounds->worker, platform->worker, workers * sizeof(*rounds->worker));
    rounds->known.worker = rounds->worker;
    divisible_sort(&rounds->known, DIVISIBLE_BY_LINK, rounds->order);
    return 0;
}

void divisible_rounds_close(struct divisible_rounds *rounds)
{
    free(rounds->worker);
    free(rounds->order);
    free(rounds->alpha);
}

void divisible_rounds_see(struct divisible_rounds *rounds, int worker,
                          double load, double start, double end)
{
    struct divisible_worker *known = &rounds->worker[worker];
    double took = fmax(end - start - known->z, 0);
    double off = fabs(took - load * known->w);
    bool news = off > news_of_work * load * known->w + news_of_time * end;
    if (rounds->periods.replan && news && took > 0 && isfinite(took))
        known->w = took / load;
}

int divisible_rounds_first(const struct divisible_rounds *rounds)
{
    int k =
        rounds->known.own && rounds->known.workers > 1 && rounds->order[0] == 0;
    return rounds->order[k];
}

static double period_wanted(const struct divisible_rounds *rounds)
{
    const struct divisible_periods *periods = &rounds->periods;
    if (periods->period > 0)
        return periods->period;
    double unit = periods->unit > 0 ? periods->unit : 1;
    double period =
        unit * sqrt(divisible_estimate(&rounds->known, rounds->left) / unit);
    if (periods->adaptive)
        period = fmax(period, divisible_estimate(&rounds->known, 1));
    return period;
}

static double smallest_start_up(const struct divisible_platform *platform)
{
    double least = INFINITY;
    for (int i = 0; i < platform->workers; i++) {
        const struct divisible_worker *worker = &platform->worker[i];
        least = fmin(least, platform->overlap ? worker->z
                                              : divisible_start_up(worker));
    }
    return least;
}

static void set_sum(struct divisible_rounds *rounds)
{
    rounds->sum = divisible_period_loads(&rounds->known, rounds->order,
                                         rounds->periods.program,
                                         rounds->period, rounds->alpha);
}

/* Sets T_p, alpha and sum. */
static void solve_period(struct divisible_rounds *rounds)
{
    double least = 2 * (divisible_latencies(&rounds->known) +
                        smallest_start_up(&rounds->known));
    if (rounds->round == 0 || rounds->periods.adaptive) {
        double wanted = rounds->period = period_wanted(rounds);
        /* A given period is raised only if nothing can be sent in it. */
        if (rounds->periods.period == 0)
            rounds->period = fmax(wanted, least);
        rounds->raised = rounds->period > wanted;
    }
    set_sum(rounds);
    if (rounds->sum == 0 && rounds->period < least) {
        rounds->period = least;
        rounds->raised = true;
        set_sum(rounds);
    }
}

/* Sends one round.  A rest that is only a rounding error goes with the load
 * before it, not in a separate message. */
static int add_round(struct divisible_rounds *rounds,
                     struct divisible_plan *plan, struct error *err)
{
    double left = rounds->left, rest = left;
    bool last = rounds->sum >= left * (1 - rounding);
    bool share = last && rounds->periods.tail == DIVISIBLE_TAIL_SHARE;
    double scale =
        share ? left / rounds->sum : fmax(1, last ? left / rounds->sum : 1);
    int code = 0;
    for (int k = 0; code == 0 && k < rounds->known.workers; k++) {
        int worker = rounds->order[k];
        double load = fmin(rounds->alpha[worker] * scale, rest);
        if (rest - load < left * rounding)
            load = rest;
        code = divisible_plan_add(plan, worker, rounds->round, load, err);
        rest -= load;
    }
    rounds->left = last ? 0 : rest;
    return code;
}

int divisible_rounds_next(struct divisible_rounds *rounds,
                          struct divisible_plan *plan, struct error *err)
{
    if (rounds->round == 0 || rounds->periods.adaptive ||
        rounds->periods.replan)
        solve_period(rounds);
    if (rounds->round == 0)
        plan->period = rounds->period;
    if (rounds->sum == 0)
        return error_set(err, EDOM,
                         "no worker is worth using: none can compute "
                         "anything in a period of %g s",
                         plan->period);
    plan->raised += rounds->raised;
    int code = add_round(rounds, plan, err);
    rounds->round++;
    return code;
}

/* ---- rounds by the evaluator's clock ---- */

/* A computing master begins its part when its earlier work is done, but not
 * before all messages of the last round but one have left. */
static double plan_time(const struct divisible_rounds *rounds,
                        const struct divisible_clock *clock, double left)
{
    double ready = divisible_clock_ready(clock, divisible_rounds_first(rounds));
    return rounds->known.own ? fmin(ready, fmax(clock->done[0], left)) : ready;
}

/* Reports chunks that have ended by now; all before *from have ended. */
static void see_ended(struct divisible_rounds *rounds,
                      const struct divisible_plan *plan, int64_t *from,
                      double now)
{
    for (int64_t n = *from; n < plan->chunks; n++) {
        const struct divisible_chunk *c = &plan->chunk[n];
        if (c->compute_end > now + now_rounding)
            continue;
        divisible_rounds_see(rounds, c->worker, c->load, c->compute_start,
                             c->compute_end);
        *from += n == *from;
    }
}

static int time_rounds(struct divisible_rounds *rounds,
                       struct divisible_plan *plan,
                       struct divisible_clock *clock, struct error *err)
{
    int64_t from = 0, timed = 0;
    double left = 0;
    int code = 0;
    while (code == 0 && rounds->left > 0) {
        see_ended(rounds, plan, &from, plan_time(rounds, clock, left));
        left = clock->port;
        code = divisible_rounds_next(rounds, plan, err);
        for (; timed < plan->chunks; timed++) {
            struct divisible_chunk *c = &plan->chunk[timed];
            divisible_clock_send(clock, c);
            plan->makespan = fmax(plan->makespan, c->compute_end);
        }
    }
    return code;
}

int divisible_periodic(const struct divisible_platform *platform, double load,
                       const struct divisible_periods *periods,
                       struct divisible_plan *plan, struct error *err)
{
    struct divisible_rounds rounds;
    struct divisible_clock clock = {.done = NULL};
    plan->replan = periods->replan;
    int code = divisible_rounds_open(&rounds, platform, load, periods, err);
    if (code == 0)
        code = divisible_clock_open(&clock, platform, periods->replan, err);
    if (code == 0)
        code = time_rounds(&rounds, plan, &clock, err);
    divisible_clock_close(&clock);
    divisible_rounds_close(&rounds);
    return code;
}
