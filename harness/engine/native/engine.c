#include "harness/engine/engine.h"

#include <errno.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/* Sleeps of a waiter without a wake-up: short compared with any loop worth
 * measuring, long enough to leave a shared core alone. */
enum { SLEEP_FIRST_NS = 5000, SLEEP_LAST_NS = 500000 };
/* Sleep of a waiter that will be woken; it still polls from time to time, in
 * case the event comes without a wake-up. */
enum { SLEEP_EVENT_NS = 50000000 };
/* Polls between two looks at the clock while a waiter spins. */
enum { POLLS_PER_LOOK = 64 };
/* A sleeper may wake up so late: the kernel's slack and a core that slept. */
#define WAKE_S 150e-6
/* The nap of a waiter that looks for other work now and then. */
static const double NAP_S = 200e-6;
/* Tries to take a lock before the waiter naps, and pauses between two tries. */
enum { LOCK_TRIES = 100, LOCK_PAUSES_FIRST = 4, LOCK_PAUSES_LAST = 64 };

const bool engine_simulated = false;

void engine_charge(enum engine_cost what)
{
    (void)what;
}

void engine_charge_times(enum engine_cost what, double times)
{
    (void)what, (void)times;
}

void engine_computed(void)
{
}

void engine_compute(double operations)
{
    (void)operations;
}

static inline void relax(void)
{
#if defined(__x86_64__)
    _mm_pause();
#else
    atomic_signal_fence(memory_order_seq_cst);
#endif
}

double engine_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

uint64_t engine_ticks(void)
{
#if defined(__x86_64__)
    return __rdtsc();
#else
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#endif
}

struct engine_moment engine_moment(void)
{
    double s = engine_now();
    return (struct engine_moment){.s = s, .ticks = engine_ticks()};
}

double engine_tick_since(struct engine_moment since)
{
    struct engine_moment now = engine_moment();
    while (now.s - since.s < 0.01)
        now = engine_moment();
    return (now.s - since.s) / (double)(now.ticks - since.ticks);
}

double engine_measure_clock(void)
{
    enum { CALLS = 1000 };
    double best = 1;
    for (int round = 0; round < 5; round++) {
        double start = engine_now(), now = start;
        for (int i = 0; i < CALLS; i++)
            now = engine_now();
        if (now - start < best)
            best = now - start;
    }
    return best / CALLS;
}

void engine_sleep(double seconds)
{
    if (seconds <= 0)
        return;
    struct timespec rest = {.tv_sec = (time_t)seconds};
    rest.tv_nsec = (long)((seconds - (double)rest.tv_sec) * 1e9);
    while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {
    }
}

void engine_sleep_until(double end_s)
{
    engine_sleep(end_s - engine_now() - WAKE_S);
    while (engine_now() < end_s)
        relax();
}

double engine_nap(double wait_s, bool serves)
{
    (void)serves;
    return wait_s < NAP_S ? wait_s : NAP_S;
}

/* ---- futex ---- */

static void futex_wait(_Atomic uint32_t *word, uint32_t seen,
                       const struct timespec *timeout)
{
    syscall(SYS_futex, word, FUTEX_WAIT, seen, timeout, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word, int count)
{
    syscall(SYS_futex, word, FUTEX_WAKE, count, NULL, NULL, 0);
}

/* ---- waiting ---- */

static void blind_sleep(struct engine_idle *idle, uint32_t longest_ns)
{
    if (idle->sleep_ns == 0)
        idle->sleep_ns = SLEEP_FIRST_NS;
    struct timespec nap = {.tv_nsec = idle->sleep_ns};
    nanosleep(&nap, NULL);
    idle->sleep_ns *= 2;
    if (longest_ns == 0 || longest_ns > SLEEP_LAST_NS)
        longest_ns = SLEEP_LAST_NS;
    if (idle->sleep_ns > longest_ns)
        idle->sleep_ns = longest_ns;
}

/* Whether the waiter has polled for as long as its patience lasts. */
static bool is_out_of_patience(struct engine_idle *idle,
                               const struct engine_patience *patience)
{
    if (patience->spin_s <= 0 || idle->sleep_ns != 0)
        return true;
    relax();
    if (++idle->polls % POLLS_PER_LOOK != 0)
        return false;
    double now = engine_now();
    if (idle->since == 0)
        idle->since = now;
    return now - idle->since > patience->spin_s;
}

void engine_idle(struct engine_idle *idle,
                 const struct engine_patience *patience,
                 struct engine_event *event)
{
    bool sleep = is_out_of_patience(idle, patience);
    if (sleep && event != NULL) {
        struct timespec nap = {.tv_nsec = SLEEP_EVENT_NS};
        atomic_fetch_add(&event->sleepers, 1);
        futex_wait(&event->sequence, idle->seen, &nap);
        atomic_fetch_sub(&event->sleepers, 1);
    } else if (sleep)
        blind_sleep(idle, patience->nap_ns);
    /* Read before the caller looks: a wake-up after its look changes it. */
    if (event != NULL)
        idle->seen = atomic_load(&event->sequence);
}

/* Both sides are sequentially consistent: the waker sees the sleeper, or the
 * sleeper's futex sees another sequence and returns at once. */
void engine_wake(struct engine_event *event)
{
    atomic_fetch_add(&event->sequence, 1);
    if (atomic_load(&event->sleepers) != 0)
        futex_wake(&event->sequence, INT32_MAX);
}

/* ---- progress ---- */

/* A full barrier on all threads of the process: if a publisher missed this
 * sleeper, its number is visible now.  False: the kernel lacks this call. */
static bool barrier_for_all(void)
{
    long code = syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    if (code != 0 && errno == EPERM &&
        syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0,
                0) == 0)
        code = syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    return code == 0;
}

/* Polls for as long as patience lasts; *now is the time of the last look but
 * one, so that success returns to the caller at once.  Faster polling is
 * answered later: each look takes the cache line from the writer. */
static bool poll_until(const struct engine_patience *patience,
                       const struct engine_progress *progress, int64_t need,
                       uint64_t *now)
{
    struct engine_idle idle = {0};
    for (int i = 0; i < POLLS_PER_LOOK; i++) {
        if (engine_reached(progress) >= need)
            return true;
        *now = engine_ticks();
        relax();
    }
    while (!is_out_of_patience(&idle, patience)) {
        if (engine_reached(progress) >= need)
            return true;
        *now = engine_ticks();
    }
    return false;
}

/* If barrier_for_all fails, a publisher may miss this sleeper.  Then naps are
 * short, so that it soon looks again. */
static void sleep_until(struct engine_progress *progress, int64_t need)
{
    struct engine_event *moved = &progress->moved;
    atomic_fetch_add(&moved->sleepers, 1);
    bool woken = barrier_for_all();
    struct timespec nap = {.tv_nsec = woken ? SLEEP_EVENT_NS : SLEEP_LAST_NS};
    for (;;) {
        uint32_t seen = atomic_load(&moved->sequence);
        if (engine_reached(progress) >= need)
            break;
        futex_wait(&moved->sequence, seen, &nap);
    }
    atomic_fetch_sub(&moved->sleepers, 1);
}

uint64_t engine_wait_until(const struct engine_patience *patience,
                           struct engine_progress *progress, int64_t need)
{
    uint64_t since = engine_ticks(), now = since;
    bool crowded = patience->spin_s <= 0;
    if (crowded || !poll_until(patience, progress, need, &now)) {
        sleep_until(progress, need);
        now = engine_ticks();
    }
    return now - since;
}

/* ---- lock ---- */

bool engine_trylock(struct engine_lock *lock)
{
    return atomic_load_explicit(&lock->held, memory_order_relaxed) == 0 &&
           atomic_exchange_explicit(&lock->held, 1, memory_order_acquire) == 0;
}

/* Each poll takes the cache line from the holder, which then waits for it
 * longer than its critical section takes: so polls are rare, and get rarer. */
static void lock_contended(struct engine_lock *lock)
{
    struct engine_idle idle = {0};
    int pauses = LOCK_PAUSES_FIRST;
    for (int i = 0; !engine_trylock(lock); i++) {
        if (i >= LOCK_TRIES)
            blind_sleep(&idle, 0);
        for (int j = 0; j < pauses; j++)
            relax();
        if (pauses < LOCK_PAUSES_LAST)
            pauses *= 2;
    }
}

void engine_lock(struct engine_lock *lock)
{
    if (atomic_exchange_explicit(&lock->held, 1, memory_order_acquire) != 0)
        lock_contended(lock);
}

void engine_unlock(struct engine_lock *lock)
{
    atomic_store_explicit(&lock->held, 0, memory_order_release);
}
