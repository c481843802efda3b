#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernels/check.h"

static void run_has_the_bits_of_the_reference(void **unused)
{
    (void)unused;
    uint64_t seed = check_seed();
    for (int size = 1; size <= 12; size++) {
        char text[64];
        snprintf(text, sizeof(text), "adjoint:size=%d,seed=%d", size, size);
        check_bits(text, seed + (uint64_t)size);
    }
    check_bits("adjoint:size=40", seed);
    check_bits("adjoint:size=51,seed=9007199254740992", seed);
}

/* Rows of 160,000 products are cut by polls, and still the same. */
static void a_long_row_polls_in_time(void **unused)
{
    (void)unused;
    struct check_kernel k = check_make("adjoint:size=400");
    int64_t polls = 0;
    const struct kernel_poll poll = {check_count_poll, &polls};
    double polled[3], plain[3], reference[3];
    k.ops->run(k.instance, NULL, 1, 3, polled, &poll);
    assert_in_range(polls, 3 * 159000 / 40000, 3 * 160000 / 10000);
    k.ops->run(k.instance, NULL, 1, 3, plain, NULL);
    k.ops->reference(k.instance, 1, 3, reference);
    assert_memory_equal(polled, plain, sizeof(plain));
    assert_memory_equal(polled, reference, sizeof(reference));
    check_free(&k);
}

static void the_seed_decides_the_data(void **unused)
{
    (void)unused;
    static const char *const specs[] = {"adjoint:size=5", "adjoint:size=5",
                                        "adjoint:size=5,seed=2"};
    double result[3][25];
    for (int i = 0; i < 3; i++) {
        struct check_kernel k = check_make(specs[i]);
        assert_int_equal(k.iterations, 25);
        assert_int_equal(k.bytes, sizeof(double));
        k.ops->run(k.instance, NULL, 0, 25, result[i], NULL);
        check_free(&k);
    }
    assert_memory_equal(result[0], result[1], sizeof(result[0]));
    assert_memory_not_equal(result[0], result[2], sizeof(result[0]));
}

/* The numbers themselves, so that another machine or compiler that makes
 * other data or sums in another order is noticed. */
static void values_are_the_same_everywhere(void **unused)
{
    (void)unused;
    struct check_kernel k = check_make("adjoint:size=6");
    double result[36];
    k.ops->run(k.instance, NULL, 0, 36, result, NULL);
    assert_true(result[0] == 0x1.6420fe07989d9p+2);
    assert_true(result[20] == 0x1.0991f5dd4c684p+1);
    assert_true(result[35] == 0x1.d802950093caep-3);
    check_free(&k);
}

static void bad_specs_are_refused(void **unused)
{
    (void)unused;
    check_refused("adjoint:size=0", EINVAL, "out of range");
    check_refused("adjoint:seed=-1", EINVAL, "out of range");
    check_refused("adjoint:n=4", EINVAL, "allowed: size, seed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_has_the_bits_of_the_reference),
        cmocka_unit_test(a_long_row_polls_in_time),
        cmocka_unit_test(the_seed_decides_the_data),
        cmocka_unit_test(values_are_the_same_everywhere),
        cmocka_unit_test(bad_specs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
