#include "harness/hold.h"

#include <math.h>

/* Between two looks whether the loop is over. */
static const double LOOK_S = 1e-3;

/* Sleeps as long as the worker is held; returns the seconds that took. */
static double pass(struct hold *hold)
{
    const struct perturb *perturb = hold->perturb;
    double now = engine_now(), since = now - *hold->start_s;
    double free_s = perturb->kind->free_at(perturb, hold->phase_s, since);
    if (free_s <= since)
        return 0;
    if (hold->times++ == 0)
        hold->first_s = since;
    if (isfinite(free_s))
        engine_sleep(free_s - since);
    else
        while (hold->over == NULL || !hold->over(hold->arg))
            engine_sleep(LOOK_S);
    double lost = engine_now() - now;
    hold->lost_s += lost;
    return lost;
}

static bool is_back(const struct hold *hold)
{
    return hold->perturb->kind->ever && hold->times > 0;
}

static void poll_call(void *arg)
{
    struct hold *hold = arg;
    if (!is_back(hold))
        hold->computing_s += pass(hold);
    kernel_poll(hold->usual);
}

static bool hold_next(struct source *base, struct chunk *chunk)
{
    struct hold *hold = (struct hold *)base;
    if (!is_back(hold))
        base->wait_s += pass(hold);
    return source_pass(base, hold->inner, chunk);
}

static void hold_ahead(struct source *base)
{
    struct hold *hold = (struct hold *)base;
    hold->inner->ask_ahead(hold->inner);
}

const struct kernel_poll *hold_poll(struct hold *hold,
                                    const struct kernel_poll *usual)
{
    hold->usual = usual;
    hold->poll = (struct kernel_poll){poll_call, hold};
    return &hold->poll;
}

void hold_begin(struct hold *hold)
{
    hold->times = 0;
    hold->first_s = hold->lost_s = hold->computing_s = 0;
}

struct source *hold_open(struct hold *hold, struct source *inner, int worker)
{
    hold->inner = inner;
    hold->source =
        (struct source){.next = hold_next,
                        .ask_ahead = inner->ask_ahead ? hold_ahead : NULL,
                        .ahead = inner->ahead,
                        .worker = worker,
                        .watch = inner->watch};
    return &hold->source;
}
