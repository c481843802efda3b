/* The equations of multi-installment, on random platforms. */
#include "sched/divisible/divisible_testing.h"
#include "sched/divisible/installments.h"

#include <errno.h>

enum { CASES = 2000 };

static void plan_case(const struct testing_case *c, int x,
                      struct divisible_plan *plan)
{
    *plan = (struct divisible_plan){0};
    assert_int_equal(divisible_installments(&c->platform, c->load, x,
                                            DIVISIBLE_NO_OVERLAP, plan, NULL),
                     0);
    testing_feasible(c, plan);
}

static int random_case(struct testing_case *c, uint64_t seed, int with)
{
    testing_case_make(c, seed, 20, with);
    return (int)(seed % DIVISIBLE_INSTALLMENTS_MAX) + 1;
}

/* Chunk n's computing time is that of the p - 1 messages after it. */
static void assert_equations(const struct testing_case *c, int x,
                             const struct divisible_plan *plan)
{
    int p = c->platform.workers;
    const struct divisible_chunk *L = plan->chunk;
    assert_int_equal(plan->chunks, x * p);
    for (int n = 0; n < x * p; n++) {
        double computing = L[n].load * c->worker[L[n].worker].w, messages = 0;
        assert_int_equal(L[n].round, n / p);
        assert_int_equal(L[n].worker, L[n % p].worker);
        for (int m = n + 1; m < n + p && m < x * p; m++)
            messages += L[m].load * c->worker[L[m].worker].G;
        if (n < (x - 1) * p)
            TESTING_SAME(c, "computing time", computing, messages);
    }
}

/* In time, without latencies: no worker waits between its chunks, neither does
 * the port, and all end together. */
static void assert_no_waiting(const struct testing_case *c,
                              const struct divisible_plan *plan)
{
    int p = c->platform.workers;
    for (int n = 0; n < plan->chunks; n++) {
        const struct divisible_chunk *k = &plan->chunk[n];
        if (n > 0)
            TESTING_SAME(c, "port", k->send_start, k[-1].send_end);
        if (n >= p)
            TESTING_SAME(c, "waiting", k->send_start, k[-p].compute_end);
        if (n >= plan->chunks - p)
            TESTING_SAME(c, "end", k->compute_end, plan->makespan);
    }
}

static void the_equations_hold(void **state)
{
    uint64_t first = testing_seed();
    for (uint64_t seed = first; seed < first + CASES; seed++) {
        struct testing_case c;
        struct divisible_plan plan;
        int x = random_case(&c, seed, 0);
        if (c.platform.workers == 1)
            continue;
        plan_case(&c, x, &plan);
        assert_equations(&c, x, &plan);
        assert_no_waiting(&c, &plan);
        divisible_plan_free(&plan);
    }
}

/* With overlap chunk n lasts as long as all messages until the worker's next
 * has come; one round is the same. */
static void with_overlap_the_own_message_counts(void **state)
{
    uint64_t first = testing_seed();
    for (uint64_t seed = first; seed < first + CASES; seed++) {
        struct testing_case c;
        struct divisible_plan plan = {0}, own;
        int x = random_case(&c, seed, 0), p = c.platform.workers;
        if (p == 1)
            continue;
        assert_int_equal(divisible_installments(&c.platform, c.load, x,
                                                DIVISIBLE_WITH_OVERLAP, &plan,
                                                NULL),
                         0);
        testing_feasible(&c, &plan);
        for (int n = 0; n < (x - 1) * p; n++) {
            const struct divisible_chunk *L = plan.chunk;
            double messages = 0;
            for (int m = n + 1; m <= n + p; m++)
                messages += L[m].load * c.worker[L[m].worker].G;
            TESTING_SAME(&c, "computing time",
                         L[n].load * c.worker[L[n].worker].w, messages);
        }
        plan_case(&c, x, &own);
        if (x == 1)
            TESTING_SAME(&c, "one round", plan.makespan, own.makespan);
        divisible_plan_free(&plan);
        divisible_plan_free(&own);
    }
}

static void latencies_change_the_times_but_not_the_loads(void **state)
{
    uint64_t first = testing_seed();
    for (uint64_t seed = first; seed < first + CASES; seed++) {
        struct testing_case c;
        struct divisible_plan with, without;
        int x = random_case(
            &c, seed, TESTING_LATENCY | TESTING_START_UP | TESTING_FREE_LINKS);
        plan_case(&c, x, &with);
        for (int i = 0; i < c.platform.workers; i++)
            c.worker[i].g = c.worker[i].z = 0;
        plan_case(&c, x, &without);
        assert_int_equal(with.chunks, without.chunks);
        assert_true(with.makespan >= without.makespan);
        for (int64_t n = 0; n < with.chunks; n++)
            assert_true(with.chunk[n].load == without.chunk[n].load);
        divisible_plan_free(&with);
        divisible_plan_free(&without);
    }
}

static void one_worker_gets_everything_at_once(void **state)
{
    static const struct divisible_worker one = {.G = 1, .w = 2};
    struct testing_case c = {.worker = {one}, .load = 6};
    struct divisible_plan plan;
    c.platform = (struct divisible_platform){.workers = 1, .worker = c.worker};
    plan_case(&c, 4, &plan);
    assert_int_equal(plan.chunks, 1);
    assert_true(plan.makespan == 18);
    divisible_plan_free(&plan);
}

/* Loads that grow by 10^4 at every step backwards do not overflow. */
static void slow_links_do_not_overflow(void **state)
{
    struct testing_case c = {.load = 100};
    struct divisible_plan plan;
    for (int i = 0; i < TESTING_WORKERS; i++)
        c.worker[i] = (struct divisible_worker){.G = 1000, .w = 0.1};
    c.platform = (struct divisible_platform){.workers = TESTING_WORKERS,
                                             .worker = c.worker};
    plan_case(&c, DIVISIBLE_INSTALLMENTS_MAX, &plan);
    assert_true(isfinite(plan.makespan));
    divisible_plan_free(&plan);
}

static void wrong_installments_are_errors(void **state)
{
    static const struct divisible_worker one = {.G = 1, .w = 2};
    struct divisible_platform platform = {.workers = 1, .worker = &one};
    struct divisible_plan plan = {0};
    struct error err = {""};
    assert_int_equal(divisible_installments(&platform, 1, 0,
                                            DIVISIBLE_NO_OVERLAP, &plan, &err),
                     -EINVAL);
    assert_int_equal(divisible_installments(&platform, 1, 9,
                                            DIVISIBLE_NO_OVERLAP, &plan, &err),
                     -EINVAL);
    assert_non_null(strstr(err.text, "9 installments, allowed is 1 to 8"));
    platform.overlap = true;
    assert_int_equal(divisible_installments(&platform, 1, 2,
                                            DIVISIBLE_NO_OVERLAP, &plan, &err),
                     -EINVAL);
    assert_non_null(strstr(err.text, "without overlap"));
}

TESTS(cmocka_unit_test(the_equations_hold),
      cmocka_unit_test(with_overlap_the_own_message_counts),
      cmocka_unit_test(latencies_change_the_times_but_not_the_loads),
      cmocka_unit_test(one_worker_gets_everything_at_once),
      cmocka_unit_test(slow_links_do_not_overflow),
      cmocka_unit_test(wrong_installments_are_errors))
