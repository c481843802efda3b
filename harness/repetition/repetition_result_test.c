/* The part of a worker's times in a loop that ends before the worker. */
#include "harness/testing.h"

#include "harness/repetition/repetition.h"

#define assert_seconds(got, expected) assert_float_equal(got, expected, 1e-9)

static const double TIME_S = 10;

/* Two requests: the newest first. */
static struct worker_result worker(double compute_s, struct recent recent)
{
    struct worker_result r = {.compute_s = compute_s,
                              .serve_s = 1,
                              .finish_s = recent.request[0].end_s,
                              .recent = recent};
    for (int i = 0; i < RECENT_REQUESTS; i++)
        r.wait_s += recent.request[i].wait_s;
    return r;
}

static void assert_times(const struct worker_result *r, double compute_s,
                         double wait_s)
{
    assert_seconds(r->compute_s, compute_s);
    assert_seconds(r->wait_s, wait_s);
    assert_seconds(r->serve_s, 1);
    assert_seconds(r->finish_s, TIME_S);
}

static void a_wait_that_is_under_way_ends_with_the_loop(void **state)
{
    struct worker_result r =
        worker(5, (struct recent){{{7, 26, 19}, {0, 1, 1}}});
    run_end_with_loop(&r, NULL, 0, TIME_S);
    assert_times(&r, 5, 4);
}

static void what_is_computed_in_vain_after_the_end_is_left_out(void **state)
{
    struct worker_result r =
        worker(28, (struct recent){{{30, 32, 2}, {0, 1, 1}}});
    run_end_with_loop(&r, NULL, 0, TIME_S);
    assert_times(&r, 8, 1);
}

/* A chunk was on its way when the loop ended. */
static void two_requests_may_end_after_the_loop(void **state)
{
    struct worker_result r =
        worker(8, (struct recent){{{14, 15, 1}, {6, 11, 5}}});
    run_end_with_loop(&r, NULL, 0, TIME_S);
    assert_times(&r, 5, 4);
}

static void a_worker_that_left_before_keeps_its_times(void **state)
{
    struct worker_result r = worker(5, (struct recent){{{7, 9, 2}, {0, 1, 1}}});
    run_end_with_loop(&r, NULL, 0, TIME_S);
    assert_seconds(r.compute_s, 5);
    assert_seconds(r.wait_s, 3);
    assert_seconds(r.finish_s, 9);
}

/* Held inside the kernel from 4 to 15, back until 18. */
static void who_is_held_while_computing_loses_time_until_the_end(void **state)
{
    struct perturb_toll toll = {.times = 1, .from_s = 4, .lost_s = 11};
    struct worker_result r =
        worker(5, (struct recent){{{18, 19, 1}, {0, 1, 1}}});
    r.lost_s = r.held_apart_s = 11;
    run_end_with_loop(&r, &toll, 1, TIME_S);
    assert_times(&r, 2, 1);
    assert_seconds(r.lost_s, 6);
    assert_seconds(toll.lost_s, 6);
}

/* The sleep is in wait_s already. */
static void who_is_held_before_a_request_waits_until_the_end(void **state)
{
    struct perturb_toll toll = {.times = 1, .from_s = 6, .lost_s = 9};
    struct worker_result r =
        worker(4, (struct recent){{{6, 16, 10}, {0, 1, 1}}});
    r.lost_s = 9;
    run_end_with_loop(&r, &toll, 1, TIME_S);
    assert_times(&r, 4, 5);
    assert_seconds(r.lost_s, 4);
}

/* Three processes, two steps: the second waited 4 s for the first, which then
 * waited 1 s for the third. */
static void waiting_for_the_last_is_not_between_steps(void **state)
{
    static const double all[] = {1, 3, 5, 7, 2, 2};
    assert_seconds(run_sum_between(all, 3, 2), 1 + 2);
    assert_seconds(run_sum_between(all, 1, 2), 1 + 3);
}

TESTS(cmocka_unit_test(a_wait_that_is_under_way_ends_with_the_loop),
      cmocka_unit_test(what_is_computed_in_vain_after_the_end_is_left_out),
      cmocka_unit_test(two_requests_may_end_after_the_loop),
      cmocka_unit_test(a_worker_that_left_before_keeps_its_times),
      cmocka_unit_test(who_is_held_while_computing_loses_time_until_the_end),
      cmocka_unit_test(who_is_held_before_a_request_waits_until_the_end),
      cmocka_unit_test(waiting_for_the_last_is_not_between_steps))
