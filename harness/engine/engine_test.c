/* The native engine: clocks and waiting.  Needs no MPI, so that the thread
 * sanitizer can watch it. */
#include "harness/engine/engine_testing.h"

#include <math.h>
#include <sched.h>
#include <sys/wait.h>

/* ---- clocks ---- */

/* How far ticks and clock are apart over 20 ms. */
static double tick_error(void)
{
    double tick = engine_tick_since(engine_moment()), start = engine_now();
    uint64_t first = engine_ticks();
    nap(0.02);
    double by_ticks = (double)(engine_ticks() - first) * tick;
    double by_clock = engine_now() - start;
    assert_true(by_clock >= 0.02);
    return fabs(by_ticks / by_clock - 1);
}

static void clocks_agree(void **unused)
{
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

/* The flag is raised just after the waiter has looked.  A waiter that then
 * sleeps has lost the wake-up and stays for the whole sleep. */
static bool wakes_behind_the_look(void *arg)
{
    struct flag *flag = arg;
    bool up = ++flag->looks > 20;
    engine_wake(&flag->event);
    return up;
}

static void a_wake_behind_the_look_is_not_lost(void **unused)
{
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

struct rally_side {
    struct rally *rally;
    int side, waits_for;
};

static bool ball_is_here(void *arg)
{
    struct rally_side *p = arg;
    return atomic_load(&p->rally->ball) == p->waits_for;
}

static void play(struct rally *rally, int side)
{
    struct rally_side player = {rally, side, 0};
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
    rally_of_two_threads(&asleep);
    rally_of_two_threads(&awake);
}

static void wakes_arrive_in_another_process(void **unused)
{
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

/* One wake-up wakes all sleepers of an event, before the 50 ms after which they
 * look up by themselves. */
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
    engine_wake(&core.flag.event); /* long ago, for another waiter */
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
    waiter_leaves_the_core(false);
    waiter_leaves_the_core(true);
}

/* Naps double from 5 us to 0.5 ms, or to what the patience says. */
static void naps_have_a_longest(void **unused)
{
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

/* A chunk that is due may come sooner by another's end. */
static void a_nap_is_short(void **unused)
{
    assert_true(engine_nap(1e-6, false) == 1e-6);
    assert_true(engine_nap(1, false) < 1e-3);
    assert_true(engine_nap(1, true) == engine_nap(1, false));
}

TESTS(cmocka_unit_test(clocks_agree),
      cmocka_unit_test(a_wake_behind_the_look_is_not_lost),
      cmocka_unit_test(thousands_of_wakes_arrive),
      cmocka_unit_test(wakes_arrive_in_another_process),
      cmocka_unit_test(a_wake_reaches_all_sleepers),
      cmocka_unit_test(a_waiter_leaves_the_core_to_a_worker),
      cmocka_unit_test(a_patient_waiter_does_not_sleep_at_once),
      cmocka_unit_test(naps_have_a_longest), cmocka_unit_test(a_nap_is_short))
