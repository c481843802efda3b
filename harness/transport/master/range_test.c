/* A master's ranges, however small: each is handed out once and whole. */
#include "harness/testing.h"

#include "harness/transport/master/range.h"

#include <errno.h>

/* A leaf master below the supermaster, with two workers. */
static int open_range(struct range *range, struct sched_pair *pair,
                      const char *scheme, int64_t iterations, struct error *err)
{
    static const double power[] = {1, 1};
    struct tree_master masters[] = {
        {.parent = -1, .workers = 2},
        {.parent = 0, .workers = 2, .leaf = true},
    };
    const struct tree tree = {.count = 2, .master = masters, .workers = 2};
    assert_int_equal(sched_pair_parse(scheme, pair, err), 0);
    const struct sched_loop whole = {
        .iterations = iterations, .workers = 2, .power = power};
    return range_open(range, pair, &whole, 1, &tree, 1, err);
}

/* The sizes that the units get in turn; returns how many. */
static int cut(struct range *range, int64_t start, int64_t size,
               int64_t sizes[16])
{
    const struct chunk whole = {.start = start, .size = size};
    int64_t next = start;
    int count = 0;
    struct chunk chunk;
    range_begin(range, &whole);
    assert_true(range_left(range));
    while (range_next(range, count % 2, &chunk)) {
        assert_int_equal(chunk.start, next);
        assert_in_range(count, 0, 15);
        sizes[count++] = chunk.size;
        next += chunk.size;
    }
    assert_false(range_left(range));
    assert_int_equal(next, start + size);
    return count;
}

/* tss:last=4 of two units is no scheme for less than 16 iterations. */
static void a_range_too_small_for_the_scheme_is_one_piece(void **unused)
{
    struct range range;
    struct sched_pair pair;
    struct error err = {""};
    int64_t sizes[16];
    assert_int_equal(open_range(&range, &pair, "gss/tss:last=4", 1000, &err),
                     0);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(cut(&range, 100, 15, sizes), 1);
        assert_int_equal(sizes[0], 15);
        assert_true(cut(&range, 115, 16, sizes) > 1);
        assert_int_equal(sizes[0], 4);
        assert_int_equal(cut(&range, 131, 1, sizes), 1);
        range_drop(&range, true);
        assert_false(range_left(&range));
    }
    range_close(&range);
}

static void a_scheme_that_refuses_the_whole_loop_says_why(void **unused)
{
    struct range range;
    struct sched_pair pair;
    struct error err = {""};
    assert_int_equal(open_range(&range, &pair, "gss/tss:last=4", 15, &err),
                     -EINVAL);
    assert_non_null(strstr(err.text, "last=4 is more than the first chunk"));
}

TESTS(cmocka_unit_test(a_range_too_small_for_the_scheme_is_one_piece),
      cmocka_unit_test(a_scheme_that_refuses_the_whole_loop_says_why))
