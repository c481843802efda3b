/* Loops with dependence vectors.  A separate program computed the numbers by
 * brute force: for every sub-chunk the points of other chunks that it reads,
 * and every v(x, y) by its definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernels/check_blocks.h"

#define TOY "deps:rows=8,cols=24,vectors=2:2+3:1"

static const char *const sets[] = {"2:2+3:1", "1:0+0:1+1:1", "1:0+0:3+5:1",
                                   "1:0+5:2", "2:2+1:3"};
enum { SETS = sizeof(sets) / sizeof(sets[0]) };

static struct check_kernel make(const char *vectors, int rows, int cols)
{
    char text[128];
    snprintf(text, sizeof(text), "deps:rows=%d,cols=%d,vectors=%s", rows, cols,
             vectors);
    return check_make(text);
}

/* ---- golden values ---- */

static void values_are_those_of_the_definition(void **unused)
{
    static const uint32_t last[SETS] = {201616, 1492326278, 108107759, 1041644,
                                        13868};
    static const uint32_t sum[SETS] = {2801472, 3670090903, 637159536, 12458944,
                                       482472};
    (void)unused;
    for (int i = 0; i < SETS; i++) {
        struct check_kernel k = make(sets[i], 8, 24);
        uint32_t run[8 * 24], reference[8 * 24], all = 0;
        k.ops->run(k.instance, k.scratch, 0, 8, run, NULL);
        k.ops->reference(k.instance, 0, 8, reference);
        assert_memory_equal(run, reference, sizeof(run));
        for (int p = 0; p < 8 * 24; p++)
            all += run[p];
        assert_int_equal(run[8 * 24 - 1], last[i]);
        assert_int_equal(all, sum[i]);
        check_free(&k);
    }
}

/* The second of two chunks of 4 rows: what it receives at each step, and the
 * last block of the first that a step needs. */
static void a_block_needs_what_its_vectors_reach(void **unused)
{
    static const struct {
        int set, depth, h;
        int elements[7], block[7]; /* -1 ends */
    } cases[] = {
        {0, 2, 4, {4, 8, 8, 8, 8, 8, -1}, {1, 2, 3, 4, 5, 6}},
        {0, 2, 5, {6, 10, 10, 10, 8, -1}, {1, 2, 3, 4, 5}},
        {1, 1, 4, {4, 4, 4, 4, 4, 4, -1}, {1, 2, 3, 4, 5, 6}},
        {2, 3, 4, {12, 12, 12, 12, 12, 12, -1}, {1, 2, 3, 4, 5, 6}},
        {2, 3, 5, {15, 15, 15, 15, 12, -1}, {1, 2, 3, 4, 5}},
        {3, 2, 4, {0, 6, 8, 8, 8, 8, -1}, {0, 1, 2, 3, 4, 5}},
        {3, 2, 5, {0, 10, 10, 10, 8, -1}, {0, 1, 2, 3, 4}},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct check_kernel k = make(sets[cases[i].set], 8, 24);
        struct kernel_grid grid;
        int64_t had = 0, step = 0, h = cases[i].h;
        k.ops->dependence->grid(k.instance, &grid);
        assert_int_equal(grid.depth, cases[i].depth);
        assert_int_equal(grid.boundary_bytes, 4 * cases[i].depth);
        for (; cases[i].elements[step] >= 0; step++) {
            int64_t to = check_least((step + 1) * h, 24);
            int64_t need = kernel_columns_needed(&grid, to);
            assert_int_equal((need - had) * grid.depth,
                             cases[i].elements[step]);
            assert_int_equal((need + h - 1) / h, cases[i].block[step]);
            had = need;
        }
        assert_int_equal(had, kernel_boundary_columns(&grid));
        check_free(&k);
    }
}

/* The text of the paper: (9,5) is in sub-chunk 9 and reads (7,3) and (6,4). */
static void the_toy_reads_what_the_paper_says(void **unused)
{
    (void)unused;
    struct check_kernel k = check_make(TOY);
    uint32_t v[8 * 24];
    k.ops->run(k.instance, k.scratch, 0, 8, v, NULL);
    uint32_t own = 31 * 9 + 17 * 5 + 1;
    assert_int_equal(v[4 * 24 + 8], own + v[2 * 24 + 6] + 2 * v[3 * 24 + 5]);
    check_free(&k);
}

/* ---- chunks and blocks ---- */

static void run_has_the_bits_of_the_reference(void **unused)
{
    (void)unused;
    uint64_t seed = check_seed();
    for (int i = 0; i < SETS; i++) {
        char text[128];
        for (int cols = 1; cols <= 40; cols += 3) {
            snprintf(text, sizeof(text), "deps:rows=%d,cols=%d,vectors=%s",
                     1 + cols % 17, cols, sets[i]);
            check_passes(text, seed++);
        }
        snprintf(text, sizeof(text), "deps:rows=5,cols=9001,vectors=%s,work=%d",
                 sets[i], 1 + 6 * i);
        check_passes(text, seed++);
    }
}

/* Chunks of fewer rows than the depth are among them. */
static void blocks_in_any_legal_order_have_the_same_bits(void **unused)
{
    static const char *const more[] = {
        "3:0", "0:7", "9:4+0:1", "40:2", "2:40", "6:1+4:2+2:3+0:5", "25:3+7:1"};
    (void)unused;
    uint64_t seed = check_seed();
    char text[128];
    for (int i = 0; i < SETS + 7; i++) {
        const char *vectors = i < SETS ? sets[i] : more[i - SETS];
        for (int rows = 1; rows <= 19; rows += 3)
            for (int cols = 1; cols <= 31; cols += 5) {
                snprintf(text, sizeof(text), "deps:rows=%d,cols=%d,vectors=%s",
                         rows, cols, vectors);
                check_blocks(text, seed++, 8);
            }
        snprintf(text, sizeof(text), "deps:rows=33,cols=83,vectors=%s,work=3",
                 vectors);
        check_blocks(text, seed++, 60);
    }
}

static void a_costly_point_polls_in_time(void **unused)
{
    (void)unused;
    struct check_kernel k =
        check_make("deps:rows=2,cols=100,vectors=1:1,work=10000");
    int64_t polls = 0;
    const struct kernel_poll poll = {check_count_poll, &polls};
    uint32_t output[200];
    k.ops->run(k.instance, k.scratch, 0, 2, output, &poll);
    assert_in_range(polls, 100, 200);
    check_free(&k);
}

/* ---- specs ---- */

static void bad_vectors_are_refused(void **unused)
{
    (void)unused;
    check_refused("deps:rows=8,cols=24", EINVAL, "vectors");
    check_refused("deps:vectors=1:-1", EINVAL, "component is negative");
    check_refused("deps:vectors=2:2+-1:3", EINVAL, "component is negative");
    check_refused("deps:vectors=0:0", EINVAL, "cannot depend on itself");
    check_refused("deps:vectors=2:2+", EINVAL, "expected S:C+S:C");
    check_refused("deps:vectors=2", EINVAL, "expected S:C+S:C");
    check_refused("deps:vectors=2:2;3:1", EINVAL, "expected S:C+S:C");
    check_refused("deps:vectors=2:2:2", EINVAL, "expected S:C+S:C");
    check_refused("deps:vectors=1:99999999999999999999", EINVAL, "expected");
    check_refused("deps:vectors=1:1025", EINVAL, "C at most 1024");
    check_refused("deps:vectors=1:1+1:1+1:1+1:1+1:1+1:1+1:1+1:1+1:1+1:1+1:1+1:1"
                  "+1:1+1:1+1:1+1:1+1:1",
                  EINVAL, "at most 16 vectors");
    check_refused("deps:vectors=1:1,work=0", EINVAL, "out of range");
    check_refused("deps:rows=16777216,cols=16777216,vectors=1:9", ENOMEM,
                  "available are");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_the_definition),
        cmocka_unit_test(a_block_needs_what_its_vectors_reach),
        cmocka_unit_test(the_toy_reads_what_the_paper_says),
        cmocka_unit_test(run_has_the_bits_of_the_reference),
        cmocka_unit_test(blocks_in_any_legal_order_have_the_same_bits),
        cmocka_unit_test(a_costly_point_polls_in_time),
        cmocka_unit_test(bad_vectors_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
