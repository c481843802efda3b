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
    check_bits("matmul:tasks=20,min=1,max=1", seed);
    check_bits("matmul:tasks=30,min=1,max=40,seed=5", seed);
    check_bits("matmul:tasks=3,min=60,max=61", seed);
    /* More than one block, of unequal sizes. */
    check_bits("matmul:tasks=2,min=193,max=211", seed);
}

static void what_was_sent_is_what_is_multiplied(void **unused)
{
    (void)unused;
    check_input("matmul:tasks=9,min=1,max=40", 4, false);
    check_input("matmul:tasks=9,min=30,max=40", 4, true);
}

struct output {
    uint64_t size, checksum;
};

static void sizes_cover_the_range(void **unused)
{
    (void)unused;
    enum { TASKS = 200 };
    struct check_kernel k = check_make("matmul:tasks=200,min=3,max=6");
    struct output out[TASKS];
    assert_int_equal(k.bytes, sizeof(out[0]));
    k.ops->run(k.instance, k.scratch, 0, TASKS, out, NULL);
    int seen[7] = {0};
    for (int i = 0; i < TASKS; i++) {
        assert_in_range(out[i].size, 3, 6);
        seen[out[i].size]++;
    }
    for (int n = 3; n <= 6; n++)
        assert_in_range(seen[n], 25, 75);
    check_free(&k);
}

static void a_product_polls_between_blocks(void **unused)
{
    (void)unused;
    struct check_kernel k = check_make("matmul:tasks=1,min=400,max=400");
    int64_t polls = 0;
    const struct kernel_poll poll = {check_count_poll, &polls};
    struct output out;
    k.ops->run(k.instance, k.scratch, 0, 1, &out, &poll);
    assert_in_range(polls, 27, 27 + 3 * 10);
    check_free(&k);
}

static void bad_specs_are_refused(void **unused)
{
    (void)unused;
    check_refused("matmul:tasks=0", EINVAL, "out of range");
    check_refused("matmul:min=10,max=9", EINVAL, "min=10 is above max=9");
    check_refused("matmul:max=30001", EINVAL, "out of range");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_has_the_bits_of_the_reference),
        cmocka_unit_test(what_was_sent_is_what_is_multiplied),
        cmocka_unit_test(sizes_cover_the_range),
        cmocka_unit_test(a_product_polls_between_blocks),
        cmocka_unit_test(bad_specs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
