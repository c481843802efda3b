/* The order of a launch's cells, and where its blocks end. */
#include "harness/testing.h"

#include "base/random.h"
#include "harness/launch/launch_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 400 };

/* count cells of so many kernels, by turns. */
static struct cell *make(int count, int kernels)
{
    struct cell *cells = calloc((size_t)count, sizeof(*cells));
    assert_non_null(cells);
    for (int i = 0; i < count; i++) {
        char kernel[32];
        snprintf(kernel, sizeof(kernel), "kernel-%d", i % kernels);
        cell_defaults(&cells[i], testing_texts());
        cells[i].kernel = cell_keep(&cells[i], kernel);
    }
    return cells;
}

/* As a launch orders its cells. */
static void put_in_order(const struct cell *cells, int count, uint64_t random,
                         int *order)
{
    random_order(order, count, &random);
    launch_gather(cells, order, count);
}

static bool begins_kernel(const struct cell *cells, const int *order, int at)
{
    return at == 0 ||
           strcmp(cells[order[at - 1]].kernel, cells[order[at]].kernel) != 0;
}

static void kernels_stay_together(void **unused)
{
    struct cell *cells = make(MOST, 7);
    int order[MOST], runs = 0;
    bool seen[MOST] = {false};
    put_in_order(cells, MOST, 1, order);
    for (int i = 0; i < MOST; i++) {
        assert_true(order[i] >= 0 && order[i] < MOST && !seen[order[i]]);
        seen[order[i]] = true;
        runs += begins_kernel(cells, order, i);
    }
    assert_int_equal(runs, 7);
    free(cells);
}

/* Neither the kernels nor their cells are in the order of the worklist. */
static void the_order_is_random(void **unused)
{
    struct cell *cells = make(MOST, 40);
    int one[MOST], same[MOST], other[MOST], moved = 0;
    put_in_order(cells, MOST, 5, one);
    put_in_order(cells, MOST, 5, same);
    put_in_order(cells, MOST, 6, other);
    assert_memory_equal(one, same, sizeof(one));
    for (int i = 0; i < MOST; i++)
        moved += one[i] != other[i];
    assert_true(moved > MOST / 2);
    free(cells);
}

static void blocks_end_between_kernels(void **unused)
{
    static const struct {
        int cells, kernels;
        double seconds;
        int block[4]; /* the first ones */
    } rows[] = {
        {100, 1, 1, {64, 36}},     /* at most so many */
        {100, 1, 1e-9, {64, 36}},  /* even of short ones */
        {100, 1, 10, {12, 12}},    /* two minutes */
        {20, 1, 60, {8, 8, 4}},    /* at least so many */
        {20, 1, 1e9, {8, 8, 4}},   /* though they take long */
        {90, 3, 2, {60, 30}},      /* two kernels of thirty, and one */
        {90, 3, 3, {30, 30, 30}},  /* 40 would be in the next one's middle */
        {20, 20, 60, {8, 8, 4}},   /* kernels of one cell */
        {3, 2, 60, {3}},           /* all that there are */
        {60, 4, 10, {12, 12, 12}}, /* a kernel of 15 fits in none */
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int order[MOST], from = 0, n = rows[i].cells;
        struct cell *cells = make(n, rows[i].kernels);
        put_in_order(cells, n, i, order);
        for (int b = 0; b < 4 && rows[i].block[b] > 0; b++) {
            int block = launch_block(cells, order, from, n, rows[i].seconds);
            if (block != rows[i].block[b])
                fail_msg("row %d: block %d has %d cells, not %d", (int)i, b,
                         block, rows[i].block[b]);
            from += block;
        }
        free(cells);
    }
}

static void every_cell_is_in_a_block(void **unused)
{
    for (int kernels = 1; kernels < 30; kernels++)
        for (int seconds = 1; seconds < 40; seconds += 5) {
            struct cell *cells = make(MOST - kernels, kernels);
            int order[MOST], from = 0, n = MOST - kernels;
            put_in_order(cells, n, (uint64_t)kernels, order);
            while (from < n) {
                int block = launch_block(cells, order, from, n, seconds);
                assert_in_range(block, 1, LAUNCH_BLOCK_MOST);
                assert_true(block >= LAUNCH_BLOCK_LEAST || from + block == n);
                from += block;
            }
            assert_int_equal(from, n);
            free(cells);
        }
}

TESTS(cmocka_unit_test(kernels_stay_together),
      cmocka_unit_test(the_order_is_random),
      cmocka_unit_test(blocks_end_between_kernels),
      cmocka_unit_test(every_cell_is_in_a_block))
