#include "harness/repetition/sim/time_slices.h"

#include "harness/engine/sim/world.h"

#include <math.h>

/* How long a worker polls natively before it sleeps
 * (harness/messages/native/comm.c). */
static const double POLLS_S = 1e-3;
/* Times that differ by less are one. */
static const double SAME_S = 1e-9;

void slices_open(struct slices *slices,
                 const struct calibration_slices *measured, int others,
                 int64_t repetition)
{
    *slices = (struct slices){.others = others};
    if (measured == NULL || others < 1)
        return;
    slices->tick_s = (measured->run + measured->gap) / 2;
    slices->next_s = calibration_start(measured, repetition);
    slices->since_s = NAN;
}

/* At a tick: returns how long the others have the core. */
static double tick_slices(struct slices *slices)
{
    bool leaves = slices->ahead_s > SAME_S;
    double away_s = leaves ? slices->others * slices->tick_s : 0;
    if (leaves)
        slices->ahead_s -= slices->tick_s;
    slices->next_s += away_s + slices->tick_s;
    return away_s;
}

/* The worker has polled since since_s; returns since when it has the core,
 * which may be later than `until_s`. */
static double poll_slices(struct slices *slices, double until_s)
{
    double at = slices->since_s;
    while (at < until_s) {
        double end = fmin(until_s, slices->next_s);
        slices->ahead_s += end - at;
        at = end;
        if (at >= slices->next_s)
            at += tick_slices(slices);
    }
    return at;
}

/* The worker has slept: the others caught up meanwhile, and ticks passed. */
static void sleep_since(struct slices *slices, double from_s, double now)
{
    double slept = fmax(0, now - from_s);
    if (slices->ahead_s > 0)
        slices->ahead_s = fmax(0, slices->ahead_s - slept / slices->others);
    double passed = floor((now - slices->next_s) / slices->tick_s) + 1;
    slices->next_s += fmax(0, passed) * slices->tick_s;
}

/* When the worker that is awake has the core. */
static double wake_slices(struct slices *slices, double now)
{
    while (slices->ahead_s > SAME_S) {
        slices->ahead_s -= (slices->next_s - now) / slices->others;
        now = slices->next_s;
        slices->next_s += slices->tick_s;
    }
    return now;
}

static void come_back(struct slices *slices)
{
    double now = engine_now();
    double tired = fmin(now, slices->since_s + POLLS_S);
    double at = poll_slices(slices, tired);
    if (at < now && tired < now) {
        sleep_since(slices, at, now);
        at = wake_slices(slices, now);
    }
    if (at > now)
        world_sleep(at - now);
}

void slices_compute(struct slices *slices, double flops, double speed)
{
    if (isnan(slices->since_s)) {
        /* A loop starts where its worker has the core. */
        double now = engine_now();
        slices->next_s += now;
        slices->since_s = now;
    }
    come_back(slices);
    double left_s = flops / speed;
    while (left_s > SAME_S) {
        double part = fmin(left_s, slices->next_s - engine_now());
        if (part > 0)
            world_compute(part * speed);
        left_s -= part;
        slices->ahead_s += part;
        if (left_s > SAME_S)
            world_sleep(tick_slices(slices));
    }
    slices->since_s = engine_now();
}
