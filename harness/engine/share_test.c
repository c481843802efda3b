#include "harness/engine/share.h"

#include "harness/engine/engine.h"
#include "harness/engine/engine_testing.h"

#include <math.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static struct engine_share differ(double span, double cpu, double ready,
                                  int slept, int displaced)
{
    struct engine_share_mark from = {1, 2, isnan(ready) ? NAN : 3, 4, 5};
    struct engine_share_mark to = {1 + span, 2 + cpu, 3 + ready, 4 + slept,
                                   5 + displaced};
    return engine_share_between(&from, &to);
}

static void test_by_run_queue(void **state)
{
    /* A worker that slept at the end was not kept from its core. */
    assert_true(differ(1, 0.25, 0, 3, 0).others_s == 0);
    assert_true(differ(1, 0.5, 0.5, 1, 9).others_s == 0.5);
    assert_true(differ(1, 0.5, 0.5, 1, 9).displaced == 9);
}

static void test_without_run_queue(void **state)
{
    assert_true(differ(1, 0.25, NAN, 3, 0).others_s == 0);
    assert_true(differ(1, 0.25, NAN, 0, 2).others_s == 0.75);
    /* It slept and others had its core: how long each took is unknown. */
    assert_true(isnan(differ(1, 0.25, NAN, 1, 2).others_s));
}

/* The core of this thread, for it alone and then shared with a busy process. */
static void bind_here(void)
{
    cpu_set_t set;
    int core = sched_getcpu();
    CPU_ZERO(&set);
    CPU_SET((size_t)(core < 0 ? 0 : core), &set);
    assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
}

static struct engine_share spin(double seconds)
{
    struct engine_share_mark from, to;
    engine_share_mark(&from);
    while (engine_now() - from.now_s < seconds)
        continue;
    engine_share_mark(&to);
    return engine_share_between(&from, &to);
}

/* The least of many: nobody else runs then. */
static double least_probe(void)
{
    double least_s = INFINITY;
    for (int i = 0; i < 50; i++)
        least_s = fmin(least_s, engine_core_probe());
    return least_s;
}

/* 10,000 multiplications, of which no core does more than four in a cycle. */
static void test_probe(void **state)
{
    bind_here();
    double first_s = least_probe(), second_s = least_probe();
    assert_true(first_s > 10000 / (4 * 6e9) && first_s < 1e-3);
    assert_true(second_s < 2 * first_s && first_s < 2 * second_s);
}

static void test_busy_process(void **state)
{
    bind_here();
    pid_t busy = fork();
    while (busy == 0 && getppid() != 1)
        continue;
    assert_true(busy > 0);
    struct engine_share share = spin(0.5);
    kill(busy, SIGKILL);
    waitpid(busy, NULL, 0);
    assert_true(share.displaced > 0);
    assert_true(share.cpu_s < 0.8 * share.span_s);
    assert_true(isnan(share.others_s) || share.others_s > 0.2 * share.span_s);
    assert_true(!(share.cpu_s + share.others_s > 1.05 * share.span_s));
}

static void test_sleeper(void **state)
{
    struct engine_share_mark from, to;
    engine_share_mark(&from);
    engine_sleep(0.2);
    engine_share_mark(&to);
    struct engine_share share = engine_share_between(&from, &to);
    assert_true(share.slept > 0);
    assert_true(share.cpu_s < 0.5 * share.span_s);
    assert_true(isnan(share.others_s) || share.others_s < 0.9 * share.span_s);
}

TESTS(cmocka_unit_test(test_by_run_queue),
      cmocka_unit_test(test_without_run_queue),
      cmocka_unit_test(test_busy_process), cmocka_unit_test(test_sleeper),
      cmocka_unit_test(test_probe))
