/* Workers too slow to take part. */
#include "sched/sched_testing.h"

#include <errno.h>
#include <string.h>

/* The others share as if it were not there. */
static void dtss_acp_below_min_power(void **unused)
{
    const double power[] = {1, 0.4, 1}, without[] = {1, 1};
    struct sched_loop loop = {.iterations = 1000, .workers = 3, .power = power};
    struct sched_loop two = {
        .iterations = 1000, .workers = 2, .power = without};
    struct testing_loop t, other;
    struct chunk chunk, expected;
    struct error err = {""};
    testing_open(&t, "dtss-acp:min_power=0.5", &loop, 1);
    testing_open(&other, "dtss-acp", &two, 1);
    while (sched_next(&other.sched, 0, &expected)) {
        assert_false(sched_next(&t.sched, 1, &chunk));
        assert_true(sched_next(&t.sched, 0, &chunk));
        assert_int_equal(chunk.size, expected.size);
    }
    assert_false(sched_next(&t.sched, 2, &chunk));
    testing_close(&t);
    testing_close(&other);
    assert_int_equal(testing_try(&t, "dtss-acp:min_power=2", &loop, 1, &err),
                     -EINVAL);
    assert_non_null(strstr(err.text, "min_power"));
}

TESTS(cmocka_unit_test(dtss_acp_below_min_power))
