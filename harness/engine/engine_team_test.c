/* Teams of threads of the native engine. */
#include "harness/engine/engine_testing.h"

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

TESTS(cmocka_unit_test(teams_run_every_thread_once),
      cmocka_unit_test(teams_start_and_stop_often))
