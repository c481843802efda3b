/* The lock of the native engine, between threads and between processes. */
#include "harness/engine/engine_testing.h"

#include <sys/wait.h>

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
    exclude_threads(2);
}

static void a_lock_excludes_processes(void **unused)
{
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

TESTS(cmocka_unit_test(a_lock_excludes_threads),
      cmocka_unit_test(a_lock_excludes_processes),
      cmocka_unit_test(a_crowd_gets_through_a_lock),
      cmocka_unit_test(a_long_held_lock_is_slept_for))
