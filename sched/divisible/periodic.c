#include "sched/divisible/periodic.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static const double paper_period = 2000; /* section 6, lp-fixed */
static const double rounding = 1e-12;    /* of a load */

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

/* One plan in the making. */
struct work {
    const struct divisible_platform *platform;
    const struct divisible_periods *periods;
    int *order;
    double *alpha; /* of the current period */
    double sum;    /* of alpha */
    bool raised;
};

static double period_wanted(const struct work *work, double left)
{
    const struct divisible_periods *periods = work->periods;
    if (periods->period > 0)
        return periods->period;
    double unit = periods->unit > 0 ? periods->unit : 1;
    double period =
        unit * sqrt(divisible_estimate(work->platform, left) / unit);
    if (periods->adaptive)
        period = fmax(period, divisible_estimate(work->platform, 1));
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

/* Sets alpha and sum; returns the T_p that was used. */
static double solve_period(struct work *work, double left)
{
    const struct divisible_platform *platform = work->platform;
    enum divisible_program program = work->periods->program;
    double wanted = period_wanted(work, left), period = wanted;
    double least =
        2 * (divisible_latencies(platform) + smallest_start_up(platform));
    /* A given period stays as it is when anything can be sent in it. */
    if (work->periods->period == 0)
        period = fmax(period, least);
    work->sum = divisible_period_loads(platform, work->order, program, period,
                                       work->alpha);
    if (work->sum == 0) {
        period = fmax(period, least);
        work->sum = divisible_period_loads(platform, work->order, program,
                                           period, work->alpha);
    }
    work->raised = period > wanted;
    return period;
}

/* Sends one round; *left is the rest after it.  A rest that is only a rounding
 * error goes with the load before it, not in a separate message. */
static int add_round(const struct work *work, int round, double *left,
                     struct divisible_plan *plan, struct error *err)
{
    bool last = work->sum >= *left * (1 - rounding);
    bool share = last && work->periods->tail == DIVISIBLE_TAIL_SHARE;
    double scale =
        share ? *left / work->sum : fmax(1, last ? *left / work->sum : 1);
    double rest = *left;
    int code = 0;
    for (int k = 0; code == 0 && k < work->platform->workers; k++) {
        int worker = work->order[k];
        double load = fmin(work->alpha[worker] * scale, rest);
        if (rest - load < *left * rounding)
            load = rest;
        code = divisible_plan_add(plan, worker, round, load, err);
        rest -= load;
    }
    *left = last ? 0 : rest;
    return code;
}

static int add_rounds(struct work *work, double load,
                      struct divisible_plan *plan, struct error *err)
{
    double left = load;
    int code = 0;
    for (int round = 0; code == 0 && left > 0; round++) {
        if (round == 0 || work->periods->adaptive) {
            double period = solve_period(work, left);
            if (round == 0)
                plan->period = period;
        }
        if (work->sum == 0)
            return error_set(err, EDOM,
                             "no worker is worth using: none can compute "
                             "anything in a period of %g s",
                             plan->period);
        plan->raised += work->raised;
        code = add_round(work, round, &left, plan, err);
    }
    return code;
}

int divisible_periodic(const struct divisible_platform *platform, double load,
                       const struct divisible_periods *periods,
                       struct divisible_plan *plan, struct error *err)
{
    size_t workers = (size_t)platform->workers;
    struct work work = {
        .platform = platform,
        .periods = periods,
        .order = calloc(workers, sizeof(*work.order)),
        .alpha = calloc(workers, sizeof(*work.alpha)),
    };
    int code = work.order != NULL && work.alpha != NULL
                   ? 0
                   : error_set(err, ENOMEM, "out of memory");
    if (code == 0) {
        divisible_sort(platform, DIVISIBLE_BY_LINK, work.order);
        code = add_rounds(&work, load, plan, err);
    }
    if (code == 0)
        code = divisible_plan_time(plan, platform, err);
    free(work.order);
    free(work.alpha);
    return code;
}
