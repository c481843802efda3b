/* Schemes that count with costs, by what a program sees of them. */
#include "base/unit_testing.h"

#include "dls/dls.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { ITERATIONS_MAX = 1000 };

static const char *const schemes[] = {"static:by=cost", "hss", "binlpt",
                                      "binlpt:chunks=100", NULL};

/* Workers ask in turn until nobody gets more. */
static void all_run_once(dls_loop *loop, const char *scheme, int64_t iterations,
                         int workers)
{
    char ran[ITERATIONS_MAX] = {0};
    int64_t begin, end, count = 0;
    for (int idle = 0, w = 0; idle < workers; w = (w + 1) % workers) {
        int code = dls_next(loop, w, &begin, &end);
        idle = code == 1 ? 0 : idle + 1;
        for (int64_t i = begin; code == 1 && i < end; i++, count++)
            if (i < 0 || i >= iterations || ran[i]++ != 0)
                fail_msg("%s: iteration %lld", scheme, (long long)i);
    }
    if (count != iterations)
        fail_msg("%s: %lld of %lld iterations ran", scheme, (long long)count,
                 (long long)iterations);
}

static void every_iteration_runs_once(void **state)
{
    const int64_t sizes[] = {1, 2, 3, 5, 777, 0, 1000, 1000};
    double costs[ITERATIONS_MAX];
    for (int i = 0; i < ITERATIONS_MAX; i++)
        costs[i] = i % 17;
    for (int k = 0; schemes[k] != NULL; k++)
        for (int workers = 1; workers < 6; workers++) {
            dls_options options = {.size = sizeof(options), .costs = costs};
            dls_loop *loop;
            if (dls_open(&loop, schemes[k], 10, workers, &options) != 0)
                fail_msg("%s: %s", schemes[k], dls_error(loop));
            all_run_once(loop, schemes[k], 10, workers);
            for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
                assert_int_equal(dls_costs(loop, costs, sizes[s]), 0);
                if (dls_again(loop, sizes[s]) != 0)
                    fail_msg("%s: %s", schemes[k], dls_error(loop));
                all_run_once(loop, schemes[k], sizes[s], workers);
            }
            assert_int_equal(dls_close(loop, NULL), 0);
        }
}

/* hss on 1 .. 8 for 2 workers: 4, 2, 1, 1 iterations (sched/schemes tests it);
 * on 8 .. 1, where the targets are 12, 7, 5, 3.3, 2, 1 and 0.3: 2 and then one
 * by one. */
static void costs_decide_the_chunks(void **state)
{
    const double up[] = {1, 2, 3, 4, 5, 6, 7, 8};
    const double down[] = {8, 7, 6, 5, 4, 3, 2, 1};
    const int64_t first[] = {4, 6, 7, 8}, second[] = {2, 3, 4, 5, 6, 7, 8};
    dls_options options = {.size = sizeof(options), .costs = up};
    dls_loop *loop;
    int64_t begin, end;
    assert_int_equal(dls_open(&loop, "hss", 8, 2, &options), 0);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(dls_next(loop, i % 2, &begin, &end), 1);
        assert_int_equal(end, first[i]);
        assert_int_equal(dls_costs(loop, down, 8), -EBUSY);
    }
    assert_int_equal(dls_next(loop, 0, &begin, &end), 0);
    assert_int_equal(dls_next(loop, 1, &begin, &end), 0);
    assert_int_equal(dls_costs(loop, down, 8), 0);
    assert_int_equal(dls_again(loop, 8), 0);
    for (int i = 0; i < 7; i++) {
        assert_int_equal(dls_next(loop, i % 2, &begin, &end), 1);
        assert_int_equal(end, second[i]);
    }
    assert_int_equal(dls_next(loop, 0, &begin, &end), 0);
    assert_int_equal(dls_next(loop, 1, &begin, &end), 0);
    assert_int_equal(dls_costs(loop, NULL, 8), -EINVAL);
    assert_int_equal(dls_again(loop, 5), -EINVAL);
    assert_non_null(strstr(dls_error(loop), "costs of 8 iterations for a loop "
                                            "of 5: dls_costs gives others"));
    assert_int_equal(dls_close(loop, NULL), 0);
}

static void refused(const double *costs, const char *why)
{
    dls_options options = {.size = sizeof(options), .costs = costs};
    dls_loop *loop;
    assert_int_equal(dls_open(&loop, "binlpt", 3, 2, &options), -EINVAL);
    if (strstr(dls_error(loop), why) == NULL)
        fail_msg("'%s' does not say '%s'", dls_error(loop), why);
    assert_int_equal(dls_close(loop, NULL), 0);
}

static void bad_costs_have_a_reason(void **state)
{
    const double negative[] = {0, 1, -1}, unknown[] = {0, NAN, 1},
                 endless[] = {1e308, 1, 1e308};
    refused(NULL, "which options.costs or dls_costs give");
    refused(negative, "the cost of iteration 2 is -1");
    refused(unknown, "the cost of iteration 1 is nan");
    refused(endless, "the cost of iteration 2 is 1e+308");
}

TESTS(cmocka_unit_test(every_iteration_runs_once),
      cmocka_unit_test(costs_decide_the_chunks),
      cmocka_unit_test(bad_costs_have_a_reason))
