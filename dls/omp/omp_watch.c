/* How much of its time a thread had a core, or waited for locks; and the time
 * line of threads in regions. */
#include "dls/omp/gomp.h"
#include "dls/omp/omp_team.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* Longer chunks and waits are all measured: two readings of the clock do not
 * matter for them.  Shorter ones are sampled. */
enum { LONG_TICKS = 40000, GAP_MEAN = 16 };

/* From a reading at the begin of computing to its end less than WATCH_TICKS is
 * enough, so that short visits are seen. */
enum { WATCH_SHORT_TICKS = 1 << 19 };

int watch_gap_mean(double ticks, double calls)
{
    return ticks >= LONG_TICKS * calls /* also if nothing is known */
               ? 1
               : GAP_MEAN;
}

/* Random, so that no rhythm of the loop is hit. */
int64_t watch_gap(double ticks, double calls)
{
    if (watch_gap_mean(ticks, calls) == 1)
        return 1;
    if (here.random == 0)
        here.random = (uintptr_t)&here | 1;
    here.random ^= here.random << 13;
    here.random ^= here.random >> 7;
    here.random ^= here.random << 17;
    return 1 + (int64_t)(here.random % (2 * GAP_MEAN - 1));
}

/* ---- cores ---- */

static double seconds_of(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* The lost time since the last reading: the thread neither ran nor waited by
 * itself, so others had its core.  If it waited both at barriers and for
 * something else, the loss is unknown. */
static void compare_clocks(uint64_t now, double now_s, double cpu_s,
                           bool blocked)
{
    double wall = now_s - here.watch.now_s;
    double tick_s = wall / (double)(now - here.watch.ticks);
    uint64_t waited = here.waited - here.watch.waited;
    if (blocked && waited > 0)
        return;
    double lost = wall - (double)waited * tick_s - (cpu_s - here.watch.cpu_s);
    here.sums.watched += wall - (double)waited * tick_s;
    if (!blocked && lost > 0)
        here.sums.lost += lost;
}

void watch_read(uint64_t now, bool computed)
{
    struct rusage usage;
    double now_s = seconds_of(CLOCK_MONOTONIC);
    double cpu_s = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    getrusage(RUSAGE_THREAD, &usage);
    if (computed && here.watch.ticks != 0)
        compare_clocks(now, now_s, cpu_s, usage.ru_nvcsw != here.watch.blocked);
    here.watch.ticks = now;
    here.watch.waited = here.waited;
    here.watch.now_s = now_s;
    here.watch.cpu_s = cpu_s;
    here.watch.blocked = usage.ru_nvcsw;
    here.watch.least = computed ? WATCH_TICKS : WATCH_SHORT_TICKS;
}

struct sums sums_since(const struct sums *before)
{
    return (struct sums){
        .locks = {.calls = here.sums.locks.calls - before->locks.calls,
                  .ticks = here.sums.locks.ticks - before->locks.ticks},
        .watched = here.sums.watched - before->watched,
        .lost = here.sums.lost - before->lost};
}

void sums_add(struct counters_site *counted, const struct sums *sums)
{
    counted->locks.calls += sums->locks.calls;
    counted->locks.ticks += sums->locks.ticks;
    counted->threads.watched += sums->watched;
    counted->threads.lost += sums->lost;
}

/* ---- locks ---- */

/* If calls in a window are on average further apart, each is timed. */
enum { LOCKS_APART_TICKS = 2000, LOCKS_WINDOW = 64 };

uint64_t watch_lock_begin(void)
{
    here.sums.locks.calls++;
    here.locks.since++;
    if (--here.locks.quiet > 0)
        return 0;
    uint64_t now = engine_ticks();
    watch_end(now);
    return now;
}

static void end_window(uint64_t now)
{
    double apart = (double)(now - here.locks.began) / (double)here.locks.window;
    here.locks.samples = apart < LOCKS_APART_TICKS;
    here.locks.window = 0;
    here.locks.began = now;
}

/* Ticks of all calls since the last timed one, estimated from this one.  A long
 * wait counts only once, because a thread that lost its core meanwhile is no
 * sample of the others. */
static double weigh_wait(uint64_t began, double ticks)
{
    int64_t calls = here.locks.since;
    here.locks.since = 0;
    here.locks.window += calls;
    if (here.locks.window >= LOCKS_WINDOW)
        end_window(began);
    here.locks.quiet = here.locks.samples ? watch_gap(ticks, 1) : 1;
    if (ticks < LONG_TICKS)
        here.locks.brief = ticks;
    return ticks + here.locks.brief * (double)(calls - 1);
}

void watch_lock_end(uint64_t began, const void *caller)
{
    const struct clause clause = {.clause = CLAUSE_LOCK};
    here.caller = NULL;
    if (began == 0)
        return;
    int64_t calls = here.locks.since;
    uint64_t now = engine_ticks();
    double ticks = weigh_wait(began, (double)(now - began));
    watch_begin(now);
    here.sums.locks.ticks += ticks;
    struct loop_site *site = site_find(caller, &clause);
    if (site == NULL)
        return;
    engine_lock(&site->lock);
    site->counted->locks.calls += calls;
    site->counted->locks.ticks += ticks;
    engine_unlock(&site->lock);
}

/* ---- over time ---- */

static void halve_strips(struct counters_strips *strips)
{
    strips->width *= 2;
    for (int t = 0; t < 2 * STRIPS_THREADS; t++)
        for (int i = 0; i < STRIPS_BINS; i++) {
            float *row = strips->row[t];
            row[i] = i < STRIPS_BINS / 2 ? row[2 * i] + row[2 * i + 1] : 0;
        }
}

static void add_span(float *row, double width, double begin, double end)
{
    for (int i = (int)(begin / width); i < STRIPS_BINS && i * width < end; i++)
        row[i] += (float)(fmin(end, (i + 1) * width) - fmax(begin, i * width));
}

void strips_add(const struct part *part)
{
    struct counters *counters = mapped();
    if (counters == NULL || !part->team->outermost)
        return;
    struct counters_strips *strips = &counters->strips;
    double zero = (double)counters->ticks, ended = (double)part->ended - zero;
    while (atomic_exchange(&counters->strips_held, 1) != 0)
        ;
    strips->width = strips->width > 0 ? strips->width : 1 << 16;
    while (ended >= (double)strips->width * STRIPS_BINS)
        halve_strips(strips);
    for (int i = 0; i < part->threads && i < STRIPS_THREADS; i++) {
        const struct stretch *one = part_stretch(part, i);
        double width = (double)strips->width;
        double begin = (double)one->stint.begin - zero;
        double ticks = (double)(one->stint.end - one->stint.begin + one->late) -
                       (double)one->idle;
        add_span(strips->row[2 * i], width, (double)part->began - zero, ended);
        add_span(strips->row[2 * i + 1], width, begin, begin + fmax(ticks, 0));
        strips->threads = i < strips->threads ? strips->threads : i + 1;
    }
    atomic_store(&counters->strips_held, 0);
}

/* ---- the calls that wait for one ---- */

/* Critical sections, ordered ones, atomic ones without a machine instruction,
 * and locks.  LLVM's runtime reports its events itself. */
static uint64_t begin_wait(const struct runtime *runtime, uint32_t kind,
                           const void *caller)
{
    if (runtime->llvm)
        here.caller = caller;
    if (runtime->llvm || mate_here() == NULL)
        return 0;
    mate_meet(kind);
    return watch_lock_begin();
}

typedef void critical_fn(void);
#define CRITICAL(name, kind)                                                   \
    OMP_ENTRY critical_fn GOMP_##name;                                         \
    OMP_ENTRY void GOMP_##name(void)                                           \
    {                                                                          \
        const struct runtime *runtime = gomp_runtime_here(CALLER);             \
        uint64_t began = begin_wait(runtime, kind, CALLER);                    \
        REAL(critical_fn, runtime, GOMP_##name)();                             \
        watch_lock_end(began, CALLER);                                         \
    }
CRITICAL(critical_start, KIND_CRITICAL)
CRITICAL(atomic_start, KIND_CRITICAL)
CRITICAL(ordered_start, KIND_ORDERED)

typedef void named_fn(void **);
OMP_ENTRY named_fn GOMP_critical_name_start;
OMP_ENTRY void GOMP_critical_name_start(void **lock)
{
    const struct runtime *runtime = gomp_runtime_here(CALLER);
    uint64_t began = begin_wait(runtime, KIND_CRITICAL, CALLER);
    REAL(named_fn, runtime, GOMP_critical_name_start)(lock);
    watch_lock_end(began, CALLER);
}

/* Finds a function in a library that is no runtime, such as one of stubs. */
typedef void set_fn(void *);
static set_fn *find_other(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    set_fn *function;
    memcpy(&function, &found, sizeof(function));
    if (function == NULL) {
        settings_say("no library has %s, which the program calls", name);
        abort();
    }
    return function;
}

#define LOCK(name)                                                             \
    OMP_ENTRY set_fn omp_##name;                                               \
    OMP_ENTRY void omp_##name(void *lock)                                      \
    {                                                                          \
        const struct runtime *runtime = gomp_runtime_here(CALLER);             \
        set_fn *real = (set_fn *)runtime->entry[ENTRY_omp_##name];             \
        uint64_t began = begin_wait(runtime, KIND_LOCK, CALLER);               \
        if (real == NULL)                                                      \
            real = find_other("omp_" #name);                                   \
        real(lock);                                                            \
        watch_lock_end(began, CALLER);                                         \
    }
LOCK(set_lock)
LOCK(set_nest_lock)
LOCK(set_lock_)
LOCK(set_nest_lock_)
