/* The simulated engine: time is SimGrid's clock, and every wait blocks. */
#include "harness/engine/engine.h"

#include "harness/engine/sim/world.h"

#include <math.h>
#include <simgrid/engine.h>
#include <simgrid/semaphore.h>

const bool engine_simulated = true;

/* A tick is a picosecond. */
static const double TICK_S = 1e-12;
/* The time between two polls of a locked lock. */
static const double LOCK_S = 20e-9;
/* A waiter without a wake-up polls less and less often, every 20 us at last. */
enum { LOOKS_SHORT = 10 };
/* The time between two polls of an idle waiter: each takes real time, so a long
 * wait has at most so many. */
static const double NAP_S = 20e-6, NAPS = 50000;

struct engine_waiter {
    sg_sem_t wake;
    struct engine_waiter *next;
};

double engine_now(void)
{
    return simgrid_get_clock();
}

uint64_t engine_ticks(void)
{
    return (uint64_t)llround(simgrid_get_clock() / TICK_S);
}

struct engine_moment engine_moment(void)
{
    return (struct engine_moment){engine_now(), engine_ticks()};
}

double engine_tick_since(struct engine_moment since)
{
    (void)since;
    return TICK_S;
}

double engine_measure_clock(void)
{
    return 0;
}

void engine_charge_times(enum engine_cost what, double times)
{
    double seconds = times * world_here()->cost_s[what];
    if (seconds > 0)
        world_sleep(seconds);
}

void engine_charge(enum engine_cost what)
{
    engine_charge_times(what, 1);
}

void engine_sleep(double seconds)
{
    if (seconds > 0)
        world_sleep(seconds);
}

void engine_sleep_until(double end_s)
{
    engine_sleep(end_s - engine_now());
}

double engine_nap(double wait_s, bool serves)
{
    double nap = wait_s / NAPS > NAP_S ? wait_s / NAPS : NAP_S;
    return serves && nap < wait_s ? nap : wait_s;
}

/* ---- waiting ---- */

/* Ranks take turns only at simulation calls: nothing can happen between the
 * caller's poll and this call, except a wake-up, which `seen` shows. */
static void sleep_on(struct engine_event *event)
{
    struct engine_waiter waiter = {sg_sem_init(0), event->waiters};
    event->waiters = &waiter;
    atomic_fetch_add(&event->sleepers, 1); /* engine_publish looks at it */
    sg_sem_acquire(waiter.wake);
    atomic_fetch_sub(&event->sleepers, 1);
    sg_sem_destroy(waiter.wake);
    world_time_passed();
}

void engine_idle(struct engine_idle *idle,
                 const struct engine_patience *patience,
                 struct engine_event *event)
{
    (void)patience;
    if (event == NULL) {
        if (idle->polls < LOOKS_SHORT)
            idle->polls++;
        world_sleep(LOCK_S * (1 << idle->polls));
        return;
    }
    if (atomic_load(&event->sequence) == idle->seen)
        sleep_on(event);
    idle->seen = atomic_load(&event->sequence);
}

void engine_wake(struct engine_event *event)
{
    struct engine_waiter *waiter = event->waiters;
    event->waiters = NULL;
    atomic_fetch_add(&event->sequence, 1);
    while (waiter != NULL) {
        struct engine_waiter *next = waiter->next;
        sg_sem_release(waiter->wake); /* the waiter's memory may be gone now */
        waiter = next;
    }
}

/* ---- lock ---- */

bool engine_trylock(struct engine_lock *lock)
{
    return atomic_exchange(&lock->held, 1) == 0;
}

void engine_lock(struct engine_lock *lock)
{
    while (!engine_trylock(lock))
        world_sleep(LOCK_S);
}

void engine_unlock(struct engine_lock *lock)
{
    atomic_store(&lock->held, 0);
}
