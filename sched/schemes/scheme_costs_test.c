/* Schemes that count with the costs of iterations: chunks computed outside of
 * this program, and costs of a part of a loop. */
#include "sched/sched_testing.h"

#include <errno.h>

enum { EIGHT = 8 };

/* Costs 1, 2, ... 8; W = 36. */
static const double rising[EIGHT + 1] = {0, 1, 3, 6, 10, 15, 21, 28, 36};

static struct sched_loop rising_loop(int workers)
{
    return (struct sched_loop){
        .iterations = EIGHT, .workers = workers, .cost = rising};
}

/* Asked by number; sizes and starts of the blocks, -1: none. */
static void assert_blocks(const char *text, const struct sched_loop *loop,
                          const int64_t *start, const int64_t *size)
{
    struct testing_loop t;
    struct chunk chunk;
    testing_open(&t, text, loop, 1);
    for (int j = 0; j < loop->workers; j++) {
        bool some = sched_next(&t.sched, j, &chunk);
        assert_int_equal(some, size[j] > 0);
        if (some) {
            assert_int_equal(chunk.start, start[j]);
            assert_int_equal(chunk.size, size[j]);
        }
    }
    for (int j = 0; j < loop->workers; j++)
        assert_false(sched_next(&t.sched, j, &chunk));
    testing_close(&t);
}

#define BLOCKS(text, loop, starts, sizes)                                      \
    do {                                                                       \
        const int64_t start[] = starts, size[] = sizes;                        \
        assert_blocks(text, loop, start, size);                                \
    } while (0)
#define LIST(...)                                                              \
    {                                                                          \
        __VA_ARGS__                                                            \
    }

/* Bounds at 36/3 = 12 and 24: least b with C(b) at least that. */
static void static_blocks_have_equal_costs(void **unused)
{
    const double power[] = {1, 3};
    struct sched_loop three = rising_loop(3), two = rising_loop(2);
    BLOCKS("static:by=cost", &three, LIST(0, 5, 7), LIST(5, 2, 1));
    BLOCKS("static:by=cost", &two, LIST(0, 6), LIST(6, 2));
    /* W = 36 + 80, half of it 58: C(5) + 50 = 65 */
    BLOCKS("static:by=cost,plus=10", &two, LIST(0, 5), LIST(5, 3));
    /* A quarter of 36 for worker 0, although worker 1 is the faster one. */
    two.power = power;
    BLOCKS("static:by=cost", &two, LIST(0, 4), LIST(4, 4));
}

/* One iteration above W/p: the blocks of 0 and 2 are empty. */
static void static_blocks_may_be_empty(void **unused)
{
    const double cost[] = {0, 0, 100, 100, 101};
    const struct sched_loop loop = {
        .iterations = 4, .workers = 4, .cost = cost};
    BLOCKS("static:by=cost", &loop, LIST(0, 0, 0, 2), LIST(2, 0, 0, 2));
    struct testing_loop t;
    struct sched_table table;
    const struct sched_ops *ops;
    struct spec spec;
    testing_open(&t, "static:by=cost", &loop, 1);
    ops = t.sched.ops;
    spec = t.spec;
    assert_int_equal(sched_table_build(&table, ops, &spec, &loop, 1, NULL), 0);
    assert_int_equal(table.primed, 2);
    assert_int_equal(table.rank[0], 0);
    assert_int_equal(table.rank[1], -1);
    assert_int_equal(table.rank[2], -1);
    assert_int_equal(table.rank[3], 1);
    sched_table_free(&table);
    testing_close(&t);
}

/* Targets R/3 = 12, 8.67, 5, 2.67.  The first chunk stops at 10, because 15 is
 * farther from 12; the second takes 5 and 6, because 11 is nearer than 5. */
static void hss_counts_with_the_costs_that_are_left(void **unused)
{
    struct sched_loop loop = rising_loop(2);
    TESTING_ASSERT_SIZES("hss", &loop, 4, 2, 1, 1);
    double equal[101];
    for (int i = 0; i <= 100; i++)
        equal[i] = 7.0 * i;
    const struct sched_loop even = {
        .iterations = 100, .workers = 4, .cost = equal};
    /* 16.67, 13.83, 11.5, 9.5 (a tie takes one more), 8, 6.67, 5.5, 4.5, ... */
    int64_t size[TESTING_SIZES];
    int n = testing_sizes("hss", &even, 1, size, TESTING_SIZES);
    assert_true(n > 4);
    assert_int_equal(size[0], 17);
    assert_int_equal(size[1], 14);
    assert_int_equal(size[2], 12);
    assert_int_equal(size[3], 10);
}

static void assert_order(const char *text, const struct sched_loop *loop,
                         const int64_t *start, const int64_t *size, int count)
{
    struct testing_loop t;
    struct chunk chunk;
    testing_open(&t, text, loop, 1);
    for (int i = 0; i < count; i++) {
        assert_true(sched_next(&t.sched, i % loop->workers, &chunk));
        assert_int_equal(chunk.step, i);
        assert_int_equal(chunk.start, start[i]);
        assert_int_equal(chunk.size, size[i]);
    }
    assert_false(sched_next(&t.sched, 0, &chunk));
    testing_close(&t);
}

/* w = 9: [0,4) 10, [4,6) 11, [6,8) 15. */
static void binlpt_hands_out_the_expensive_chunks_first(void **unused)
{
    struct sched_loop loop = rising_loop(2);
    const int64_t start[] = {6, 4, 0}, size[] = {2, 2, 4};
    assert_order("binlpt:chunks=4", &loop, start, size, 3);
    assert_order("binlpt", &loop, start, size, 3); /* 2p = 4 */
    /* w = 12: [0,5) 15, [5,7) 13, the last takes the rest, 8 */
    const int64_t start3[] = {0, 5, 7}, size3[] = {5, 2, 1};
    assert_order("binlpt:chunks=3", &loop, start3, size3, 3);
    /* More than there are iterations: w = 0.36, one by one. */
    const int64_t last[] = {7, 6, 5, 4, 3, 2, 1, 0};
    const int64_t ones[] = {1, 1, 1, 1, 1, 1, 1, 1};
    assert_order("binlpt:chunks=100", &loop, last, ones, 8);
}

static void equal_costs_ascend(void **unused)
{
    const double cost[] = {0, 2, 4, 6, 8};
    const struct sched_loop loop = {
        .iterations = 4, .workers = 2, .cost = cost};
    const int64_t start[] = {0, 2}, size[] = {2, 2};
    /* w = 2: above it are two iterations */
    assert_order("binlpt:chunks=4", &loop, start, size, 2);
}

/* Costs [4, 8) of the rising loop, as of a part that a master cuts. */
static void a_part_has_the_costs_from_its_first_on(void **unused)
{
    const struct sched_loop part = {
        .iterations = 4, .workers = 2, .cost = rising + 4};
    /* 5 6 7 8, W = 26: C(3) = 18 >= 13; hss: 8.67 5 3.33 2.67 */
    BLOCKS("static:by=cost", &part, LIST(0, 3), LIST(3, 1));
    TESTING_ASSERT_SIZES("hss", &part, 2, 1, 1);
}

TESTS(cmocka_unit_test(static_blocks_have_equal_costs),
      cmocka_unit_test(static_blocks_may_be_empty),
      cmocka_unit_test(hss_counts_with_the_costs_that_are_left),
      cmocka_unit_test(binlpt_hands_out_the_expensive_chunks_first),
      cmocka_unit_test(equal_costs_ascend),
      cmocka_unit_test(a_part_has_the_costs_from_its_first_on))
