/* The native engine: clocks, waiting, the lock and thread teams.  Needs no
 * MPI, so that the thread sanitizer can watch it. */
#include "harness/testing.h"

#include "harness/engine/engine.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

/* Under a sanitizer everything is slower, and forks are not watched. */
#ifdef DLSBENCH_SANITIZED
enum { SLOWER = 8 };
#else
enum { SLOWER = 1 };
#endif

static const struct engine_patience awake = {.spin_s = 1e-3};
static const struct engine_patience asleep = {.spin_s = 0};

static void *shared_memory(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    return memory;
}

static double cpu_s(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void nap(double seconds)
{
    struct timespec t = {.tv_sec = (time_t)seconds,
                         .tv_nsec = (long)((seconds - (int)seconds) * 1e9)};
    nanosleep(&t, NULL);
}

/* ---- clocks ---- */

/* How far ticks and clock are apart over 20 ms. */
static double tick_error(void)
{
    double tick = engine_measure_tick(), start = engine_now();
    uint64_t first = engine_ticks();
    nap(0.02);
    double by_ticks = (double)(engine_ticks() - first) * tick;
    double by_clock = engine_now() - start;
    assert_true(by_clock >= 0.02);
    return fabs(by_ticks / by_clock - 1);
}

static void clocks_agree(void **unused)
{
    (void)unused;
    double last = engine_now(), best = 1;
    for (int i = 0; i < 100000; i++) {
        double now = engine_now();
        assert_true(now >= last);
        last = now;
    }
    /* The thread may lose its core between two readings, but not always. */
    for (int i = 0; i < 10 && best > 0.02; i++)
        best = fmin(best, tick_error());
    assert_true(best <= 0.02);
    double cost = engine_measure_clock();
    assert_true(cost > 1e-9 && cost < 1e-4);
}

/* ---- waiting ---- */

struct flag {
    struct engine_event event;
    _Atomic int value;
    int looks;
};

static bool flag_is_up(void *arg)
{
    return atomic_load(&((struct flag *)arg)->value) != 0;
}

/* Whoever raises the flag does so just after the waiter has looked.  A waiter
 * that then sleeps has lost the wake-up and stays for the whole sleep. */
static bool wakes_behind_the_look(void *arg)
{
    struct flag *flag = arg;
    bool up = ++flag->looks > 20;
    engine_wake(&flag->event);
    return up;
}

static void a_wake_behind_the_look_is_not_lost(void **unused)
{
    (void)unused;
    struct flag flag = {.looks = 0};
    double start = engine_now();
    engine_wait(&asleep, &flag.event, wakes_behind_the_look, &flag);
    assert_true(flag.looks > 20);
    assert_true(engine_now() - start < 0.3); /* one lost wake-up: 50 ms */
}

enum { ROUNDS = 4000 / SLOWER };

struct rally {
    struct engine_event event[2];
    _Atomic int ball;
    const struct engine_patience *patience;
};

struct player {
    struct rally *rally;
    int side, waits_for;
};

static bool ball_is_here(void *arg)
{
    struct player *p = arg;
    return atomic_load(&p->rally->ball) == p->waits_for;
}

static void play(struct rally *rally, int side)
{
    struct player player = {rally, side, 0};
    for (int round = 0; round < ROUNDS; round++) {
        player.waits_for = 2 * round + side;
        engine_wait(rally->patience, &rally->event[side], ball_is_here,
                    &player);
        atomic_store(&rally->ball, player.waits_for + 1);
        engine_wake(&rally->event[!side]);
    }
}

static void play_in_team(int thread, void *arg)
{
    play(arg, thread);
}

static void rally_of_two_threads(const struct engine_patience *patience)
{
    struct rally rally = {.patience = patience};
    struct engine_team *team;
    assert_int_equal(engine_team_start(&team, 2, NULL), 0);
    double start = engine_now();
    engine_team_run(team, play_in_team, &rally);
    double took = engine_now() - start;
    engine_team_stop(team);
    assert_int_equal(atomic_load(&rally.ball), 2 * ROUNDS);
    /* A lost wake-up costs 50 ms; one in ten rounds would be too long. */
    assert_true(took < 0.1 * 0.05 * ROUNDS * SLOWER);
}

static void thousands_of_wakes_arrive(void **unused)
{
    (void)unused;
    rally_of_two_threads(&asleep);
    rally_of_two_threads(&awake);
}

static void wakes_arrive_in_another_process(void **unused)
{
    (void)unused;
    struct rally *rally = shared_memory(sizeof(*rally));
    rally->patience = &asleep;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        play(rally, 1);
        _exit(0);
    }
    int status = -1;
    play(rally, 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(atomic_load(&rally->ball), 2 * ROUNDS);
    munmap(rally, sizeof(*rally));
}

/* Many sleepers on one event all go on after one wake-up, and not after the
 * 50 ms at which they look up by themselves. */
enum { SLEEPERS = 6 };

struct sleepers {
    struct flag flag;
    double woken_s;
};

static void sleep_in_team(int thread, void *arg)
{
    struct sleepers *s = arg;
    if (thread > 0) {
        engine_wait(&asleep, &s->flag.event, flag_is_up, &s->flag);
        return;
    }
    nap(0.01);
    s->woken_s = engine_now();
    atomic_store(&s->flag.value, 1);
    engine_wake(&s->flag.event);
}

static void a_wake_reaches_all_sleepers(void **unused)
{
    (void)unused;
    struct engine_team *team;
    double best = 1;
    assert_int_equal(engine_team_start(&team, SLEEPERS, NULL), 0);
    for (int round = 0; round < 10; round++) {
        struct sleepers s = {.woken_s = 0};
        engine_team_run(team, sleep_in_team, &s);
        best = fmin(best, engine_now() - s.woken_s);
        assert_int_equal(atomic_load(&s.flag.event.sleepers), 0);
    }
    engine_team_stop(team);
    assert_true(best < 0.03);
}

/* ---- leaving a shared core ---- */

static void bind_to(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

struct core {
    struct flag flag;
    struct engine_event *event;
    int cpu;
    double waiter_s, busy_s;
};

static void share_a_core(int thread, void *arg)
{
    struct core *core = arg;
    bind_to(core->cpu);
    double begin = cpu_s(CLOCK_THREAD_CPUTIME_ID);
    if (thread == 1) {
        engine_wait(&asleep, core->event, flag_is_up, &core->flag);
        core->waiter_s = cpu_s(CLOCK_THREAD_CPUTIME_ID) - begin;
        return;
    }
    /* Measured in work done, so that other load on the core does no harm. */
    while (core->busy_s < 0.3)
        core->busy_s = cpu_s(CLOCK_THREAD_CPUTIME_ID) - begin;
    atomic_store(&core->flag.value, 1);
    engine_wake(&core->flag.event);
}

/* While the busy thread works 0.3 s, the waiter takes less than a fifth of
 * what both get. */
static void waiter_leaves_the_core(bool with_event)
{
    struct engine_team *team;
    cpu_set_t before;
    struct core core = {.cpu = sched_getcpu()};
    core.event = with_event ? &core.flag.event : NULL;
    engine_wake(&core.flag.event); /* long ago, for somebody else */
    pthread_getaffinity_np(pthread_self(), sizeof(before), &before);
    assert_int_equal(engine_team_start(&team, 2, NULL), 0);
    engine_team_run(team, share_a_core, &core);
    engine_team_stop(team);
    pthread_setaffinity_np(pthread_self(), sizeof(before), &before);
    print_message("busy %.4f s, waiter %.4f s of the core\n", core.busy_s,
                  core.waiter_s);
    assert_true(core.busy_s > 0.8 * (core.busy_s + core.waiter_s));
}

static void a_waiter_leaves_the_core_to_a_worker(void **unused)
{
    (void)unused;
    waiter_leaves_the_core(false);
    waiter_leaves_the_core(true);
}

/* Naps double from 5 us to 0.5 ms, or to what the patience says. */
static void naps_have_a_longest(void **unused)
{
    (void)unused;
    const struct engine_patience short_naps = {.spin_s = 0,
                                               .nap_ns = ENGINE_SHORT_NAP_NS};
    struct engine_idle idle = {0};
    for (int i = 0; i < 10; i++)
        engine_idle(&idle, &short_naps, NULL);
    assert_int_equal(idle.sleep_ns, ENGINE_SHORT_NAP_NS);
    idle = (struct engine_idle){0};
    for (int i = 0; i < 10; i++)
        engine_idle(&idle, &asleep, NULL);
    assert_int_equal(idle.sleep_ns, 500000);
}

static bool after_a_second_call(void *arg)
{
    return ++*(int *)arg > 1;
}

static void a_patient_waiter_does_not_sleep_at_once(void **unused)
{
    (void)unused;
    struct engine_idle idle = {0};
    for (int i = 0; i < 64; i++)
        engine_idle(&idle, &awake, NULL);
    assert_int_equal(idle.sleep_ns, 0);
    nap(0.01); /* longer than its patience */
    for (int i = 0; i < 64; i++)
        engine_idle(&idle, &awake, NULL);
    assert_true(idle.sleep_ns > 0);
    int calls = 0;
    engine_wait(&asleep, NULL, after_a_second_call, &calls);
    assert_int_equal(calls, 2);
}

/* ---- the lock ---- */

enum { THREADS = 12, CROWD = 20000 / SLOWER };
enum { GATES = 20000 / SLOWER, ADDS = 8 };

struct guarded {
    struct engine_lock lock;
    _Atomic int come; /* to all the gates so far */
    int adders;
    int64_t sum, inside;
};

static void add(struct guarded *g, bool trying)
{
    if (!trying)
        engine_lock(&g->lock);
    else
        while (!engine_trylock(&g->lock))
            sched_yield();
    /* Not atomic on purpose: two at once would lose additions. */
    g->inside++;
    if (g->inside != 1)
        g->sum = INT64_MIN / 2;
    g->sum++;
    g->inside--;
    engine_unlock(&g->lock);
}

/* All start together again and again: that is when they meet at the lock. */
static void add_in_team(int thread, void *arg)
{
    struct guarded *g = arg;
    for (int gate = 1; gate <= GATES; gate++) {
        atomic_fetch_add(&g->come, 1);
        for (int i = 1; atomic_load(&g->come) < gate * g->adders; i++)
            if (i % 2000 == 0)
                sched_yield();
        for (int i = 0; i < ADDS; i++)
            add(g, (thread + i) % 7 == 3);
    }
}

static void exclude_threads(int adders)
{
    struct guarded g = {.adders = adders};
    struct engine_team *team;
    assert_int_equal(engine_team_start(&team, adders, NULL), 0);
    engine_team_run(team, add_in_team, &g);
    engine_team_stop(team);
    assert_int_equal(g.sum, (int64_t)adders * GATES * ADDS);
    assert_true(engine_trylock(&g.lock));
    assert_false(engine_trylock(&g.lock));
    engine_unlock(&g.lock);
}

static void a_lock_excludes_threads(void **unused)
{
    (void)unused;
    exclude_threads(2);
}

static void a_lock_excludes_processes(void **unused)
{
    (void)unused;
    struct guarded *g = shared_memory(sizeof(*g));
    g->adders = 2;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        add_in_team(1, g);
        _exit(0);
    }
    int status = -1;
    add_in_team(0, g);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(g->sum, (int64_t)2 * GATES * ADDS);
    munmap(g, sizeof(*g));
}

/* More threads than cores: who holds it may lose its core meanwhile. */
static void crowd(int thread, void *arg)
{
    for (int i = 0; i < CROWD; i++)
        add(arg, thread == 0);
}

static void a_crowd_gets_through_a_lock(void **unused)
{
    (void)unused;
    struct guarded g = {.sum = 0};
    struct engine_team *team;
    assert_int_equal(engine_team_start(&team, THREADS, NULL), 0);
    engine_team_run(team, crowd, &g);
    engine_team_stop(team);
    assert_int_equal(g.sum, (int64_t)THREADS * CROWD);
}

/* A holder that sleeps inside is waited for, without taking its core. */
static void hold_long(int thread, void *arg)
{
    struct guarded *g = arg;
    if (thread == 0) {
        engine_lock(&g->lock);
        engine_unlock(&g->lock);
        return;
    }
    nap(0.1);
    engine_unlock(&g->lock);
}

static void a_long_held_lock_is_slept_for(void **unused)
{
    (void)unused;
    struct guarded g = {.sum = 0};
    struct engine_team *team;
    assert_int_equal(engine_team_start(&team, 2, NULL), 0);
    assert_true(engine_trylock(&g.lock));
    double start = engine_now(), cpu = cpu_s(CLOCK_PROCESS_CPUTIME_ID);
    engine_team_run(team, hold_long, &g);
    cpu = cpu_s(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    assert_true(engine_now() - start >= 0.1);
    assert_true(cpu < 0.06);
    engine_team_stop(team);
}

/* ---- teams ---- */

enum { RUNS = 24 / SLOWER + 1, PHASES = 20 };

struct counts {
    struct engine_team *team;
    const struct engine_patience *patience;
    int threads;
    _Atomic int runs[8];   /* per thread */
    _Atomic int passed;    /* over all threads, before a barrier */
    _Atomic int too_early; /* left a barrier before all had come */
    pthread_t self[8];
};

static void count_phases(int thread, void *arg)
{
    struct counts *c = arg;
    atomic_fetch_add(&c->runs[thread], 1);
    c->self[thread] = pthread_self();
    int before = atomic_load(&c->passed) / (PHASES * c->threads);
    for (int phase = 1; phase <= PHASES; phase++) {
        atomic_fetch_add(&c->passed, 1);
        engine_team_barrier(c->team, c->patience);
        int come = atomic_load(&c->passed) - before * PHASES * c->threads;
        if (come < phase * c->threads)
            atomic_fetch_add(&c->too_early, 1);
        /* Nobody is a whole phase ahead. */
        if (come > (phase + 1) * c->threads)
            atomic_fetch_add(&c->too_early, 1);
        engine_team_barrier(c->team, c->patience);
    }
}

static void barriers_hold(int threads, const struct engine_patience *patience,
                          int runs)
{
    struct counts c = {.threads = threads, .patience = patience};
    assert_int_equal(engine_team_start(&c.team, threads, NULL), 0);
    for (int run = 0; run < runs; run++)
        engine_team_run(c.team, count_phases, &c);
    assert_int_equal(atomic_load(&c.passed), runs * PHASES * threads);
    assert_int_equal(atomic_load(&c.too_early), 0);
    for (int t = 0; t < threads; t++)
        assert_int_equal(atomic_load(&c.runs[t]), runs);
    assert_true(pthread_equal(c.self[0], pthread_self()));
    for (int t = 1; t < threads; t++)
        assert_false(pthread_equal(c.self[t], c.self[t - 1]));
    engine_team_stop(c.team);
}

static void teams_run_every_thread_once(void **unused)
{
    (void)unused;
    barriers_hold(1, &awake, RUNS);
    barriers_hold(2, &awake, RUNS);
    barriers_hold(2, &asleep, RUNS / 2 + 1);
    barriers_hold(7, &asleep, RUNS / 8 + 1); /* more than cores */
}

static void leave(int thread, void *arg)
{
    (void)thread;
    atomic_fetch_add((_Atomic int *)arg, 1);
}

static void teams_start_and_stop_often(void **unused)
{
    (void)unused;
    for (int i = 0; i < 100; i++) {
        struct engine_team *team;
        _Atomic int count = 0;
        assert_int_equal(engine_team_start(&team, 4, NULL), 0);
        if (i % 2)
            engine_team_run(team, leave, &count);
        engine_team_stop(team);
        assert_int_equal(atomic_load(&count), i % 2 ? 4 : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_agree),
        cmocka_unit_test(a_wake_behind_the_look_is_not_lost),
        cmocka_unit_test(thousands_of_wakes_arrive),
        cmocka_unit_test(wakes_arrive_in_another_process),
        cmocka_unit_test(a_wake_reaches_all_sleepers),
        cmocka_unit_test(a_waiter_leaves_the_core_to_a_worker),
        cmocka_unit_test(a_patient_waiter_does_not_sleep_at_once),
        cmocka_unit_test(naps_have_a_longest),
        cmocka_unit_test(a_lock_excludes_threads),
        cmocka_unit_test(a_lock_excludes_processes),
        cmocka_unit_test(a_crowd_gets_through_a_lock),
        cmocka_unit_test(a_long_held_lock_is_slept_for),
        cmocka_unit_test(teams_run_every_thread_once),
        cmocka_unit_test(teams_start_and_stop_often),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
