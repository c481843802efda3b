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
    check_bits("triad:size=1,block=1", seed);
    check_bits("triad:size=1000,block=7", seed);
    check_bits("triad:size=5,block=8", seed);
    check_bits("triad:size=100000,block=40000", seed);
}

/* Of 40,000 elements each 16,384 poll; the rest also does. */
static void a_large_block_polls(void **unused)
{
    (void)unused;
    struct check_kernel k = check_make("triad:size=40000,block=40000");
    int64_t polls = 0;
    const struct kernel_poll poll = {check_count_poll, &polls};
    double *out = check_memory(k.bytes);
    k.ops->run(k.instance, NULL, 0, 1, out, &poll);
    assert_int_equal(polls, 3);
    free(out);
    check_free(&k);
}

/* In place of whole pages, all of it: it reads as something else from now on.
 */
static void lose(void *arg, void *memory, size_t bytes)
{
    *(size_t *)arg += bytes;
    memset(memory, 0xff, bytes);
}

/* And those of the others' blocks are not. */
static void a_worker_touches_the_data_of_its_blocks(void **unused)
{
    (void)unused;
    struct check_kernel k = check_make("triad:size=1000,block=30");
    size_t total = (size_t)k.iterations * k.bytes, lost = 0;
    const struct kernel_pages pages = {lose, &lost};
    char *out = check_memory(total), *expected = check_memory(total);
    k.ops->reference(k.instance, 0, k.iterations, expected);
    k.ops->touch(k.instance, 5, 3, &pages);
    assert_int_equal(lost, 2 * 3 * k.bytes);
    k.ops->touch(k.instance, k.iterations - 1, 1, &pages);
    assert_int_equal(lost, 2 * 3 * k.bytes + 2 * 10 * sizeof(double));
    k.ops->run(k.instance, NULL, 0, k.iterations, out, NULL);
    assert_memory_equal(out, expected, total);
    free(expected);
    free(out);
    check_free(&k);
}

static void blocks_and_work_are_counted(void **unused)
{
    (void)unused;
    struct check_kernel k = check_make("triad:size=100,block=30");
    double flops, bytes;
    assert_int_equal(k.iterations, 4);
    assert_int_equal(k.bytes, 240);
    assert_int_equal(k.ops->cost->operations(k.instance, 0), 30);
    assert_int_equal(k.ops->cost->operations(k.instance, 3), 10);
    k.ops->work(k.instance, &flops, &bytes);
    assert_int_equal(flops, 200);
    assert_int_equal(bytes, 2400);
    check_free(&k);
    check_refused("triad:size=1000000000000", ENOMEM, "the arrays");
    check_refused("triad:block=0", EINVAL, "out of range");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_has_the_bits_of_the_reference),
        cmocka_unit_test(a_large_block_polls),
        cmocka_unit_test(a_worker_touches_the_data_of_its_blocks),
        cmocka_unit_test(blocks_and_work_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
