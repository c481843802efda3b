#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernels/check.h"

static bool tally_of(const char *text, const int64_t (*ranges)[2])
{
    struct check_kernel k = check_make(text);
    for (; (*ranges)[1] > 0; ranges++)
        k.ops->run(k.instance, k.scratch, (*ranges)[0], (*ranges)[1], NULL,
                   NULL);
    bool right = k.ops->check_tally(k.instance, k.scratch);
    check_free(&k);
    return right;
}

static void every_iteration_once_is_right(void **unused)
{
    (void)unused;
    assert_true(tally_of("null:size=10", (int64_t[][2]){{0, 10}, {0}}));
    assert_true(tally_of("null:size=1", (int64_t[][2]){{0, 1}, {0}}));
    assert_true(
        tally_of("null:size=10", (int64_t[][2]){{7, 3}, {0, 2}, {2, 5}, {0}}));
    int64_t half = INT64_C(1) << 61;
    assert_true(tally_of("null:size=4611686018427387904",
                         (int64_t[][2]){{half, half}, {0, half}, {0}}));
}

static void missing_and_double_iterations_are_seen(void **unused)
{
    (void)unused;
    const char *ten = "null:size=10";
    assert_false(tally_of(ten, (int64_t[][2]){{0}}));
    assert_false(tally_of(ten, (int64_t[][2]){{0, 9}, {0}}));
    assert_false(tally_of(ten, (int64_t[][2]){{0, 10}, {3, 1}, {0}}));
    /* One missing, another twice: the count alone would not see it. */
    assert_false(tally_of(ten, (int64_t[][2]){{0, 4}, {5, 5}, {5, 1}, {0}}));
}

static void random_chunks_are_right(void **unused)
{
    (void)unused;
    uint64_t seed = check_seed();
    char none[1];
    for (int i = 0; i < 100; i++) {
        struct check_kernel k = check_make("null:size=1000");
        check_run_part(&k, none, 0, k.iterations, &seed, NULL);
        assert_true(k.ops->check_tally(k.instance, k.scratch));
        check_free(&k);
    }
}

static void a_run_does_not_poll(void **unused)
{
    (void)unused;
    struct check_kernel k = check_make("null");
    int64_t polls = 0;
    const struct kernel_poll poll = {check_count_poll, &polls};
    k.ops->run(k.instance, k.scratch, 0, 5, NULL, &poll);
    k.ops->run(k.instance, k.scratch, 5, 999995, NULL, &poll);
    assert_int_equal(polls, 0);
    assert_true(k.ops->check_tally(k.instance, k.scratch));
    assert_int_equal(k.iterations, 1000000);
    assert_int_equal(k.bytes, 0);
    check_free(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_iteration_once_is_right),
        cmocka_unit_test(missing_and_double_iterations_are_seen),
        cmocka_unit_test(random_chunks_are_right),
        cmocka_unit_test(a_run_does_not_poll),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
