/* The fit against lines whose answer is known. */
#include "harness/testing.h"

#include "harness/measure/fitted_line.h"
#include "harness/measure/measure_work.h"

#include <math.h>

static void assert_near(double value, double expected, double relative)
{
    if (!(fabs(value - expected) <= relative * fabs(expected)))
        fail_msg("%.12g, not %.12g", value, expected);
}

static void points_on_a_line_give_it_back(void **unused)
{
    const double x[] = {8, 256, 1024, 8192};
    double y[4];
    struct fit fit;
    for (int i = 0; i < 4; i++)
        y[i] = 99e-6 + 0.69e-6 * x[i];
    assert_true(line_fit(x, y, 4, &fit));
    assert_near(fit.start, 99e-6, 1e-9);
    assert_near(fit.slope, 0.69e-6, 1e-9);
    assert_near(fit.r2, 1, 1e-12);
}

/* By hand, with weights 1, 1/4, 1/4: x = 0, 1, 2, y = 1, 2, 2.
 * W = 3/2, Sx = 3/4, Sy = 2, Sxx = 5/4, Sxy = 3/2:
 * slope = (3/2 3/2 - 3/4 2) / (3/2 5/4 - 9/16) = 4/7, start = 22/21;
 * residuals -1/21, 8/21, -4/21 over y: left = (1 + 16 + 4) / 441 = 1/21;
 * about the mean 4/3: all = 1/9 + 1/9 + 1/9 = 1/3, R^2 = 1 - 1/7. */
static void weights_and_r2_by_hand(void **unused)
{
    const double x[] = {0, 1, 2}, y[] = {1, 2, 2};
    struct fit fit;
    assert_true(line_fit(x, y, 3, &fit));
    assert_near(fit.slope, 4.0 / 7, 1e-12);
    assert_near(fit.start, 22.0 / 21, 1e-12);
    assert_near(fit.r2, 6.0 / 7, 1e-12);
}

static void small_messages_set_the_start(void **unused)
{
    /* 5 % off at the large end must not move a start-up cost of 100 ns. */
    const double x[] = {8, 16, 4096, 8192};
    const double y[] = {100.8e-9, 101.6e-9, 509.6e-9, 1.05 * 919.2e-9};
    struct fit fit;
    assert_true(line_fit(x, y, 4, &fit));
    assert_near(fit.start, 100e-9, 0.01);
}

static void costs_are_never_negative(void **unused)
{
    const double x[] = {1, 2, 4};
    const double falling[] = {3, 2, 1}, steep[] = {1, 4, 16};
    struct fit fit;
    assert_true(line_fit(x, falling, 3, &fit));
    assert_true(fit.slope == 0 && fit.start > 1 && fit.start < 2);
    assert_true(fabs(fit.r2) < 1e-12);
    assert_true(line_fit(x, steep, 3, &fit));
    assert_true(fit.start == 0);
    /* sum of x / y over sum of (x / y)^2 */
    assert_near(fit.slope, (1 + 0.5 + 0.25) / (1 + 0.25 + 0.0625), 1e-12);
}

static void what_is_no_line_is_refused(void **unused)
{
    const double x[] = {1, 1, 2}, y[] = {1, 2, 0}, bad[] = {1, 2, NAN};
    struct fit fit = {7, 7, 7};
    assert_false(line_fit(x, y, 1, &fit));
    assert_false(line_fit(x, y, 2, &fit));
    assert_false(line_fit(x, y, 3, &fit));
    assert_false(line_fit(x, bad, 3, &fit));
    assert_true(fit.start == 7 && fit.slope == 7 && fit.r2 == 7);
}

/* Row k does the columns [from - k skew, to - k skew) that are in the grid. */
static double count_starts(int64_t rows, int64_t columns, int skew, int64_t h)
{
    int64_t extent = columns + (rows - 1) * skew, count = 0;
    for (int64_t from = 0; from < extent; from += h) {
        for (int64_t k = 0; k < rows; k++) {
            int64_t a = from - k * skew, b = a + h;
            a = a > 0 ? a : 0;
            b = b < columns ? b : columns;
            count += a < b;
        }
    }
    return (double)count;
}

static void row_starts_are_those_of_the_blocks(void **unused)
{
    for (int64_t rows = 1; rows < 40; rows += 6)
        for (int64_t columns = 1; columns < 60; columns += 7)
            for (int skew = 0; skew < 3; skew++)
                for (int64_t h = 1; h < 70; h += 4)
                    assert_true(work_row_starts(rows, columns, skew, h) ==
                                count_starts(rows, columns, skew, h));
}

TESTS(cmocka_unit_test(points_on_a_line_give_it_back),
      cmocka_unit_test(weights_and_r2_by_hand),
      cmocka_unit_test(small_messages_set_the_start),
      cmocka_unit_test(costs_are_never_negative),
      cmocka_unit_test(what_is_no_line_is_refused),
      cmocka_unit_test(row_starts_are_those_of_the_blocks))
