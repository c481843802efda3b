#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernels/check_blocks.h"
#include "kernels/support/heat_wave.h"

/* The paper's loop with two grids, A and A'; its own start values and edges. */
static void paper_loop(int64_t rows, int64_t cols, int steps, uint64_t seed,
                       double *result)
{
    int64_t stride = cols + 2;
    size_t bytes = (size_t)((rows + 2) * stride) * sizeof(double);
    double *a = check_memory(bytes), *old = check_memory(bytes);
    for (int64_t i = -1; i <= rows; i++) {
        uint64_t state = random_stream(seed, (uint64_t)i);
        for (int64_t j = -1; j <= cols; j++) {
            double *at = &a[(i + 1) * stride + j + 1];
            *at = i < 0       ? 2
                  : i == rows ? 1
                  : j < 0     ? 1.5
                  : j == cols ? 1.25
                              : 1 + random_real(&state);
        }
    }
    for (int step = 0; step < steps; step++) {
        memcpy(old, a, bytes);
        for (int64_t i = 1; i <= rows; i++)
            for (int64_t j = 1; j <= cols; j++) {
                int64_t at = i * stride + j;
                a[at] = (old[at + stride] + old[at + 1] + a[at - stride] +
                         a[at - 1]) *
                        0.25;
            }
    }
    for (int64_t i = 0; i < rows; i++)
        memcpy(result + i * cols, a + (i + 1) * stride + 1,
               (size_t)cols * sizeof(double));
    free(a);
    free(old);
}

static void check_paper_loop(int rows, int cols, int steps)
{
    char text[80];
    snprintf(text, sizeof(text), "heat:rows=%d,cols=%d,steps=%d,seed=7", rows,
             cols, steps);
    struct check_kernel k = check_make(text);
    size_t bytes = (size_t)k.iterations * k.bytes;
    double *want = check_memory(bytes), *got = check_memory(bytes);
    assert_int_equal(bytes, rows * cols * (int)sizeof(double));
    paper_loop(rows, cols, steps, 7, want);
    k.ops->reference(k.instance, 0, rows, got);
    if (memcmp(want, got, bytes) != 0)
        fail_msg("%s: the reference is not the paper's loop", text);
    for (int i = 0; i < rows * cols; i++)
        assert_true(got[i] >= 1 && got[i] <= 2);
    free(want);
    free(got);
    check_free(&k);
}

static void the_reference_is_the_loop_of_the_paper(void **unused)
{
    (void)unused;
    check_paper_loop(1, 1, 1);
    check_paper_loop(1, 9, 4);
    check_paper_loop(9, 1, 4);
    check_paper_loop(13, 17, 1);
    check_paper_loop(13, 17, 20);
}

static void run_has_the_bits_of_the_reference(void **unused)
{
    (void)unused;
    uint64_t seed = check_seed();
    static const int steps[] = {1, 2, 3, 9};
    for (int rows = 1; rows <= 12; rows++)
        for (int cols = 1; cols <= 12; cols += 1 + rows % 3) {
            char text[64];
            snprintf(text, sizeof(text), "heat:rows=%d,cols=%d,steps=%d", rows,
                     cols, steps[(rows + cols) % 4]);
            check_passes(text, seed++);
        }
    check_passes("heat:rows=37,cols=301", seed);
    check_passes("heat:rows=5,cols=20001,steps=2", seed);
}

static void blocks_in_any_legal_order_have_the_same_bits(void **unused)
{
    (void)unused;
    uint64_t seed = check_seed();
    for (int rows = 1; rows <= 9; rows++)
        for (int cols = 1; cols <= 11; cols += 2) {
            char text[64];
            snprintf(text, sizeof(text), "heat:rows=%d,cols=%d,steps=%d", rows,
                     cols, 1 + (rows * cols) % 4);
            check_blocks(text, seed++, 8);
        }
    check_blocks("heat:rows=23,cols=61", seed, 60);
    check_blocks("heat:rows=17,cols=33,steps=5", seed, 60);
    check_blocks("heat:rows=11,cols=9000", seed, 6);
}

/* The version for machines without the fused operation. */
static void every_machine_has_the_same_waves(void **unused)
{
    (void)unused;
    enum { COLS = 21, CELLS = (HEAT_WAVE + 2) * COLS };
    uint64_t seed = check_seed();
    for (int round = 0; round < 1000; round++) {
        double old[CELLS], now[2][CELLS];
        int rows = 1 + round % HEAT_WAVE;
        int64_t from = check_below(&seed, COLS - rows + 1);
        int64_t to = from + rows + check_below(&seed, COLS - rows - from + 1);
        for (int i = 0; i < CELLS; i++) {
            old[i] = 1 + random_real(&seed);
            now[0][i] = now[1][i] = 1 + random_real(&seed);
        }
        for (int i = 0; i < 2; i++) {
            const struct heat_strip s = {.old = old + COLS,
                                         .now = now[i] + COLS,
                                         .up = now[i],
                                         .down = old + (rows + 1) * COLS,
                                         .cols = COLS,
                                         .from = from,
                                         .to = to};
            heat_wave_fn *const *waves =
                i == 0 ? heat_wave_plain() : heat_wave_choose();
            heat_wave_turn(waves, check_below(&seed, 100))(&s, rows);
        }
        assert_memory_equal(now[0], now[1], sizeof(now[0]));
    }
}

static void values_are_the_same_everywhere(void **unused)
{
    (void)unused;
    struct check_kernel k = check_make("heat:rows=5,cols=6,steps=3");
    double result[30];
    k.ops->run(k.instance, NULL, 0, 5, result, NULL);
    assert_true(result[0] == 0x1.b9600f2780779p+0);
    assert_true(result[14] == 0x1.929db90df39a3p+0);
    assert_true(result[29] == 0x1.2ef0ae7579fap+0);
    check_free(&k);
}

static void the_grid_is_that_of_the_spec(void **unused)
{
    (void)unused;
    struct check_kernel k = check_make("heat:rows=5,cols=6,steps=3");
    struct kernel_grid grid;
    k.ops->dependence->grid(k.instance, &grid);
    assert_int_equal(k.iterations, 5);
    assert_int_equal(grid.columns, 6);
    assert_int_equal(grid.boundary_bytes, sizeof(double));
    assert_int_equal(grid.skew, 0);
    assert_int_equal(grid.reach, 0);
    assert_int_equal(grid.steps, 3);
    check_free(&k);
}

static void a_long_row_polls_in_time(void **unused)
{
    (void)unused;
    struct check_kernel k = check_make("heat:rows=4,cols=100000");
    int64_t polls = 0;
    const struct kernel_poll poll = {check_count_poll, &polls};
    char *output = check_memory(4 * k.bytes);
    k.ops->run(k.instance, NULL, 0, 4, output, &poll);
    assert_in_range(polls, 12, 100);
    free(output);
    check_free(&k);
}

static void bad_specs_are_refused(void **unused)
{
    (void)unused;
    check_refused("heat:rows=0", EINVAL, "out of range");
    check_refused("heat:cols=-3", EINVAL, "out of range");
    check_refused("heat:steps=0", EINVAL, "out of range");
    check_refused("heat:columns=3", EINVAL, "allowed: rows, cols, steps");
    check_refused("heat:rows=16777216,cols=16777216", ENOMEM, "available are");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_is_the_loop_of_the_paper),
        cmocka_unit_test(run_has_the_bits_of_the_reference),
        cmocka_unit_test(blocks_in_any_legal_order_have_the_same_bits),
        cmocka_unit_test(every_machine_has_the_same_waves),
        cmocka_unit_test(values_are_the_same_everywhere),
        cmocka_unit_test(the_grid_is_that_of_the_spec),
        cmocka_unit_test(a_long_row_polls_in_time),
        cmocka_unit_test(bad_specs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
