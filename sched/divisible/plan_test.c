#include "sched/divisible/divisible_testing.h"

#include <errno.h>

/* Two workers, three messages, by hand. */
static const struct divisible_worker two[] = {{.g = 1, .G = 1, .w = 2},
                                              {.g = 0, .G = 2, .w = 3, .z = 1}};

static void fill(struct divisible_plan *plan)
{
    assert_int_equal(divisible_plan_add(plan, 0, 0, 2, NULL), 0);
    assert_int_equal(divisible_plan_add(plan, 1, 0, 1, NULL), 0);
    assert_int_equal(divisible_plan_add(plan, 0, 1, 1, NULL), 0);
}

struct times {
    double send_start, send_end, compute_start, compute_end;
};

static void assert_times(const struct divisible_plan *plan,
                         const struct times *expected)
{
    for (int64_t n = 0; n < plan->chunks; n++) {
        const struct divisible_chunk *c = &plan->chunk[n];
        const struct times *t = &expected[n];
        assert_true(c->send_start == t->send_start);
        assert_true(c->send_end == t->send_end);
        assert_true(c->compute_start == t->compute_start);
        assert_true(c->compute_end == t->compute_end);
    }
}

static void without_overlap_a_message_waits_for_the_worker(void **state)
{
    struct divisible_platform platform = {.workers = 2, .worker = two};
    struct divisible_plan plan = {0};
    fill(&plan);
    assert_int_equal(divisible_plan_time(&plan, &platform, NULL), 0);
    assert_times(&plan,
                 (struct times[]){{0, 3, 3, 7}, {3, 5, 5, 9}, {7, 9, 9, 11}});
    assert_true(plan.makespan == 11);
    assert_int_equal(plan.rounds, 2);
    assert_true(divisible_plan_load(&plan, 0) == 3);
    assert_true(divisible_plan_load(&plan, -1) == 4);
    divisible_plan_free(&plan);
}

static void with_overlap_a_message_waits_for_the_port_only(void **state)
{
    struct divisible_platform platform = {
        .workers = 2, .worker = two, .overlap = true};
    struct divisible_plan plan = {0};
    fill(&plan);
    assert_int_equal(divisible_plan_time(&plan, &platform, NULL), 0);
    assert_times(&plan,
                 (struct times[]){{0, 3, 3, 7}, {3, 5, 5, 9}, {5, 7, 7, 9}});
    assert_true(plan.makespan == 9);
    divisible_plan_free(&plan);
}

/* Worker 0's chunks are no messages: they wait for nobody's and hold up none.
 */
static void the_masters_own_chunks_leave_the_port_alone(void **state)
{
    static const struct divisible_worker own[] = {{.w = 2}, {.G = 2, .w = 3}};
    struct divisible_platform platform = {
        .workers = 2, .worker = own, .own = true};
    struct divisible_plan plan = {0};
    assert_int_equal(divisible_plan_add(&plan, 1, 0, 1, NULL), 0);
    assert_int_equal(divisible_plan_add(&plan, 0, 0, 2, NULL), 0);
    assert_int_equal(divisible_plan_add(&plan, 0, 1, 1, NULL), 0);
    assert_int_equal(divisible_plan_add(&plan, 1, 1, 1, NULL), 0);
    assert_int_equal(divisible_plan_time(&plan, &platform, NULL), 0);
    assert_times(&plan,
                 (struct times[]){
                     {0, 2, 2, 5}, {0, 0, 0, 4}, {4, 4, 4, 6}, {5, 7, 7, 10}});
    divisible_plan_free(&plan);
}

static void whole_chunks_make_up_the_whole(void **state)
{
    uint64_t seed = testing_seed();
    for (int round = 0; round < 300; round++) {
        struct testing_case c;
        struct divisible_plan plan = {0};
        testing_case_make(&c, testing_random(&seed), 20, 0);
        int64_t units = testing_between(&seed, 1, 500), sum = 0, chunks;
        for (int n = 0; n < 40; n++)
            divisible_plan_add(&plan, n % c.platform.workers, n,
                               testing_size(&seed, 1e-3, 10), NULL);
        double each = divisible_plan_load(&plan, 0) /
                      divisible_plan_load(&plan, -1) * (double)units;
        chunks = plan.chunks;
        assert_int_equal(divisible_plan_whole(&plan, &c.platform, units, NULL),
                         0);
        for (int64_t n = 0; n < plan.chunks; n++) {
            assert_true(plan.chunk[n].load >= 1);
            assert_true(plan.chunk[n].load == floor(plan.chunk[n].load));
            sum += (int64_t)plan.chunk[n].load;
        }
        assert_int_equal(sum, units);
        assert_true(plan.makespan > 0);
        /* A worker is off by less than one unit for each of its chunks. */
        double off = fabs(divisible_plan_load(&plan, 0) - each);
        assert_true(off <= (double)chunks);
        divisible_plan_free(&plan);
    }
}

static void who_gets_nothing_gets_no_message(void **state)
{
    struct divisible_plan plan = {0};
    assert_int_equal(divisible_plan_add(&plan, 0, 0, 0, NULL), 0);
    assert_int_equal(divisible_plan_add(&plan, 1, 5, -1e-30, NULL), 0);
    assert_int_equal(plan.chunks, 0);
    assert_int_equal(plan.rounds, 0);
    divisible_plan_free(&plan);
}

static void too_many_chunks_are_an_error(void **state)
{
    struct divisible_plan plan = {0};
    struct error err = {""};
    int code = 0;
    for (int i = 0; i < DIVISIBLE_CHUNKS_MAX; i++)
        code |= divisible_plan_add(&plan, 0, i, 1, &err);
    assert_int_equal(code, 0);
    assert_int_equal(divisible_plan_add(&plan, 0, 0, 1, &err), -E2BIG);
    assert_non_null(strstr(err.text, "more than 1048576 chunks"));
    divisible_plan_free(&plan);
}

static void wrong_platforms_are_errors(void **state)
{
    static const struct {
        struct divisible_worker worker;
        int workers;
        double load;
        const char *expected;
    } rows[] = {
        {{.w = 0}, 1, 1, "w of worker 0 is 0 s, it must be above 0"},
        {{.w = -2}, 1, 1, "w of worker 0 is -2 s"},
        {{.w = INFINITY},
         1,
         1,
         "w of worker 0 is inf s, it must be above 0 (1e-50 to 1e+50)"},
        {{.w = NAN}, 1, 1, "w of worker 0 is"},
        {{.w = 1e-60}, 1, 1, "w of worker 0 is 1e-60 s"},
        {{.w = 1, .g = 1e60}, 1, 1, "g of worker 0 is 1e+60 s"},
        {{.w = 1, .g = -1}, 1, 1, "g of worker 0 is -1 s, it must be 0 to"},
        {{.w = 1, .G = -1}, 1, 1, "G of worker 0 is -1 s, it must be 0 to"},
        {{.w = 1, .z = NAN}, 1, 1, "z of worker 0 is"},
        {{.w = 1}, 0, 1, "0 workers, allowed is 1 to 4096"},
        {{.w = 1}, 1, 0, "the load is 0, it must be above 0"},
        {{.w = 1}, 1, INFINITY, "the load is inf"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct divisible_platform platform = {.workers = rows[i].workers,
                                              .worker = &rows[i].worker};
        struct error err = {""};
        assert_int_equal(divisible_check(&platform, rows[i].load, &err),
                         -EINVAL);
        if (strstr(err.text, rows[i].expected) == NULL)
            fail_msg("row %zu: %s", i, err.text);
    }
}

static void equal_workers_keep_their_order(void **state)
{
    static const struct divisible_worker five[] = {{.G = 2, .w = 1, .g = 1},
                                                   {.G = 1, .w = 1, .g = 3},
                                                   {.G = 2, .w = 9, .g = 0},
                                                   {.G = 1, .w = 1, .g = 3},
                                                   {.G = 0, .w = 5, .g = 1}};
    static const int by_link[] = {4, 1, 3, 0, 2};
    static const int by_latency[] = {2, 0, 1, 3, 4};
    struct divisible_platform platform = {.workers = 5, .worker = five};
    int order[5];
    divisible_sort(&platform, DIVISIBLE_BY_LINK, order);
    assert_memory_equal(order, by_link, sizeof(order));
    divisible_sort(&platform, DIVISIBLE_BY_LATENCY, order);
    assert_memory_equal(order, by_latency, sizeof(order));
    assert_true(divisible_latencies(&platform) == 8);
}

TESTS(cmocka_unit_test(without_overlap_a_message_waits_for_the_worker),
      cmocka_unit_test(with_overlap_a_message_waits_for_the_port_only),
      cmocka_unit_test(the_masters_own_chunks_leave_the_port_alone),
      cmocka_unit_test(whole_chunks_make_up_the_whole),
      cmocka_unit_test(who_gets_nothing_gets_no_message),
      cmocka_unit_test(too_many_chunks_are_an_error),
      cmocka_unit_test(wrong_platforms_are_errors),
      cmocka_unit_test(equal_workers_keep_their_order))
