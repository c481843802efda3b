/* The engine: time, waiting and threads.  Native and simulated programs differ
 * here; linking chooses native/ or sim/ in this folder.
 *
 * Protocols never spin, yield or probe by themselves: they wait through the
 * engine.  Natively a waiter must leave the core to a worker that shares it; in
 * simulation polling never advances the clock. */
#ifndef HARNESS_ENGINE_ENGINE_H
#define HARNESS_ENGINE_ENGINE_H

#include "base/error.h"
#include "base/invariant.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Seconds on a monotonic clock; one clock for all processes of a host, but not
 * for several hosts. */
double engine_now(void);

/* A cheap counter for the times of single chunks: ticks of the constant
 * time-stamp counter if the processor has one, else nanoseconds. */
uint64_t engine_ticks(void);

/* Both clocks, read one after the other. */
struct engine_moment {
    double s; /* engine_now */
    uint64_t ticks;
};

struct engine_moment engine_moment(void);

/* Seconds per tick, measured from a moment until now, at least 10 ms; it waits
 * if needed.  A launch takes the moment first and asks when all else is
 * ready. */
double engine_tick_since(struct engine_moment since);

/* Seconds that one engine_now takes here, for the manifest. */
double engine_measure_clock(void);

/* Sleeps for `seconds` without using the core; returns at once for 0 or less.
 * For a thread that must rest, not for one that waits for others. */
void engine_sleep(double seconds);

/* Returns at `end_s` by engine_now, hardly later: sleepers wake up about 0.1 ms
 * late, so it polls at the end. */
void engine_sleep_until(double end_s);

/* How long an idle thread may sleep within `wait_s` before it looks again for
 * messages, which wake no thread. serves: others may ask it meanwhile. */
double engine_nap(double wait_s, bool serves);

/* ---- waiting ---- */

/* An event to wait for; the thread that causes it wakes waiters.  It may be in
 * memory shared by processes of a host; zero it before use, and not while a
 * thread waits. */
struct engine_event {
    _Atomic uint32_t sequence;
    _Atomic uint32_t sleepers;
    struct engine_waiter *waiters; /* only in simulation */
};

/* How a rank's threads wait. spin_s: how long a waiter polls before it sleeps;
 * 0 if workers share cores, so that it leaves the core to a busy neighbour. */
struct engine_patience {
    double spin_s;
    uint32_t nap_ns; /* longest sleep without a wake-up; 0: 0.5 ms */
};

/* Naps on a private core are short compared with a chunk that is worth a
 * message. */
enum { ENGINE_SHORT_NAP_NS = 20000 };

/* The state of one wait: zero it, then call engine_idle as long as the
 * condition is not met. */
struct engine_idle {
    double since;      /* s, 0 before the first call */
    uint32_t polls;    /* so far */
    uint32_t sleep_ns; /* of the next sleep */
    uint32_t seen;     /* the event's sequence before the last look */
};

/* Passes a moment: at first polls, later sleeps until `event` is woken.
 * Without an event (NULL: for messages, which wake no thread) it sleeps up to
 * 0.5 ms.  A wake-up between two calls is never lost. */
void engine_idle(struct engine_idle *idle,
                 const struct engine_patience *patience,
                 struct engine_event *event);

/* Blocks until ready(arg) is true. ready may make progress itself (test
 * messages). */
static inline void engine_wait(const struct engine_patience *patience,
                               struct engine_event *event,
                               bool (*ready)(void *arg), void *arg)
{
    struct engine_idle idle = {0};
    while (!ready(arg))
        engine_idle(&idle, patience, event);
}

/* Wakes all threads that sleep on the event; cheap if there are none. */
void engine_wake(struct engine_event *event);

/* Called by the worker's thread when it begins to wait for others and when it
 * continues. */
struct engine_watch {
    void (*wait)(struct engine_watch *watch);
    void (*go_on)(struct engine_watch *watch);
};

/* ---- progress ---- */

/* A number that one thread increases and others of its process wait for; zero
 * it before use.  Waiters poll the line of `value`.  The publisher reads
 * `moved` after each store, so it is on another line. */
struct engine_progress {
    _Atomic int64_t value;
    _Alignas(64) struct engine_event moved;
};

static inline int64_t engine_reached(const struct engine_progress *progress)
{
    return atomic_load_explicit(&progress->value, memory_order_acquire);
}

/* Sets the number to `value`; a thread that reads it also sees all earlier
 * stores.  If no thread sleeps this is a plain store: no barrier delays this
 * thread's stores, and the cost falls on threads that go to sleep. */
static inline void engine_publish(struct engine_progress *progress,
                                  int64_t value)
{
    invariant(value >=
              atomic_load_explicit(&progress->value, memory_order_relaxed));
    atomic_store_explicit(&progress->value, value, memory_order_release);
    atomic_signal_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&progress->moved.sleepers, memory_order_relaxed))
        engine_wake(&progress->moved);
}

/* Blocks until the number is at least `need`; returns the ticks that it took.
 * engine_publish wakes sleepers. */
uint64_t engine_wait_until(const struct engine_patience *patience,
                           struct engine_progress *progress, int64_t need);

/* ---- a lock for short critical sections ---- */

/* For a few dozen instructions: a waiter polls, less and less often, then naps,
 * so that a holder that lost its core gets it back.  Unlocking is a plain
 * store.  Works between processes in shared memory; zeroed memory is an
 * unlocked lock. */
struct engine_lock {
    _Atomic uint32_t held;
};

void engine_lock(struct engine_lock *lock);
bool engine_trylock(struct engine_lock *lock);
void engine_unlock(struct engine_lock *lock);

/* ---- simulation ---- */

/* Whether time is simulated: then it passes only in waits and charges, not in
 * computing or polling. */
extern const bool engine_simulated;

/* The work of scheduling, other than waiting.  Natively it takes its real time;
 * in simulation the clock advances by its measured time (the costs are in the
 * manifest). */
enum engine_cost {
    ENGINE_REQUEST,  /* a master receives and answers a request */
    ENGINE_COUNT,    /* a step from a counter in shared memory */
    ENGINE_STATE,    /* a chunk from a scheme's state or a pool, under a lock */
    ENGINE_OWN,      /* work stealing: a piece of the worker's own range */
    ENGINE_STEAL,    /* half of another thread's range, once found */
    ENGINE_ANSWER,   /* a rank receives and answers a thief's request */
    ENGINE_HANDOVER, /* a boundary to another thread of the rank */
    ENGINE_HANDOVER_BYTE, /* per byte of the boundary */
    ENGINE_COSTS,         /* number of costs */
};
void engine_charge(enum engine_cost what);
void engine_charge_times(enum engine_cost what, double times);

/* For a simulated program that contains the loop itself. engine_computed: call
 * it first in each library function; SMPI then charges the program's computing
 * until now, also for loops in one rank. engine_compute: charges the time of so
 * many operations on this host.  Natively both do nothing. */
void engine_computed(void);
void engine_compute(double operations);

/* ---- thread teams ---- */

struct engine_team;

/* Starts threads - 1 threads; the caller is thread 0 of the team. */
int engine_team_start(struct engine_team **team, int threads,
                      struct error *err);

/* A team whose threads belong to another owner, such as an OpenMP runtime:
 * fork(keeper, threads, body, arg) runs body on each of them, with the caller
 * as thread 0, and returns when all have finished.  Native only. */
int engine_team_adopt(struct engine_team **team, int threads,
                      void (*fork)(void *keeper, int threads,
                                   void (*body)(int thread, void *arg),
                                   void *arg),
                      void *keeper, struct error *err);

/* Runs body(thread, arg) on every thread of the team and returns when all have
 * finished.  Threads sleep between runs. */
void engine_team_run(struct engine_team *team,
                     void (*body)(int thread, void *arg), void *arg);

/* Lets all threads of the team continue together; for use inside a body. */
void engine_team_barrier(struct engine_team *team,
                         const struct engine_patience *patience);

void engine_team_stop(struct engine_team *team);

#endif
