#include "harness/disturb/hold.h"

#include <math.h>

/* Between two looks whether the loop is over. */
static const double LOOK_S = 1e-3;

/* Sleeps as long as anything holds the worker; returns the seconds that took.
 */
static double sleep_through(struct hold *hold)
{
    double since = engine_now() - *hold->start_s, free_s, lost_s = 0;
    int holder;
    while (!hold->back && (holder = perturbs_holder(hold->perturbs, hold->hit,
                                                    hold->source.worker, since,
                                                    &free_s)) >= 0) {
        if (!isfinite(free_s)) {
            while (hold->over == NULL || !hold->over(hold->arg))
                engine_sleep(LOOK_S);
            hold->back = true;
        } else if (hold->shares_core)
            engine_sleep(free_s - since);
        else
            engine_sleep_until(*hold->start_s + free_s);
        double now = engine_now() - *hold->start_s;
        perturb_toll_add(&hold->toll[holder], 1, since, now - since);
        lost_s += now - since;
        since = now;
    }
    return lost_s;
}

static void poll_call(void *arg)
{
    struct hold *hold = arg;
    hold->computing_s += sleep_through(hold);
    kernel_poll(hold->usual);
}

static bool hold_next(struct source *base, struct chunk *chunk)
{
    struct hold *hold = (struct hold *)base;
    base->wait_s += sleep_through(hold);
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
    hold->back = false;
    hold->computing_s = 0;
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
