/* Blocks of grids: visits' medians, and what is charged for a width. */
#include "harness/testing.h"

#include "harness/costs/calibration.h"

#include <math.h>

/* The first of them was made while another program ran. */
static void the_middle_visit_is_kept(void **unused)
{
    struct calibration_cost cost[3][2] = {
        {{.c_p = 4e-9}, {.c_p = 6e-9}},
        {{.c_p = 3e-9, .c_b = 2e-8}, {.c_p = 1e-9, .c_b = 6e-8}},
        {{.c_p = 2e-9}, {.c_p = 4e-9}}};
    struct calibration_kernel visit[3] = {
        {.blocks = 1, .block = {{9, 3e-9, 1e-9, NAN}}, .cost = cost[0]},
        {.blocks = 1, .block = {{9, 1e-9, 2e-9, 5e-9}}, .cost = cost[1]},
        {.blocks = 1, .block = {{9, 2e-9, 9e-9, 7e-9}}, .cost = cost[2]}};
    assert_float_equal(calibration_keep_middle(visit, 3, 2), 10 / 4.8, 1e-12);
    assert_ptr_equal(visit[0].cost, cost[2]);
    assert_ptr_equal(visit[2].cost, cost[0]);
    assert_float_equal(visit[0].block[0].row, 2e-9, 1e-20);
    assert_float_equal(visit[0].block[0].shared, 2e-9, 1e-20);
    assert_float_equal(visit[0].block[0].wait, 6e-9, 1e-20);
    visit[1].block[0].wait = NAN;
    visit[0].block[0].wait = NAN;
    calibration_keep_middle(visit, 3, 2);
    assert_true(isnan(visit[0].block[0].wait));
}

static void measured_widths_cost_what_they_did(void **unused)
{
    struct calibration_cost cost[2] = {{.c_p = 1e-9, .c_b = 1e-8},
                                       {.c_p = 3e-9, .c_b = 3e-8}};
    struct calibration_kernel kernel = {.cost = cost,
                                        .blocks = 3,
                                        .block = {{10, 80e-9, 2e-6, 1e-6},
                                                  {20, 60e-9, 3e-6, NAN},
                                                  {40, 50e-9, 5e-6, 4e-6}}};
    /* The line says 40, 60 and 100 ns for a row. */
    struct calibration_charged c = calibration_charged(&kernel, 2, 10);
    assert_float_equal(c.factor, 2, 1e-12);
    assert_float_equal(c.shared, 2e-6, 1e-18);
    assert_float_equal(c.wait, 1e-6, 1e-18);
    c = calibration_charged(&kernel, 2, 30);
    assert_float_equal(c.factor, 0.75, 1e-12);
    assert_float_equal(c.shared, 4e-6, 1e-12);
    assert_float_equal(c.wait, 3e-6, 1e-12);
    assert_float_equal(calibration_charged(&kernel, 2, 20).wait, 2e-6, 1e-12);
    assert_float_equal(calibration_charged(&kernel, 2, 5).factor, 2, 1e-12);
    c = calibration_charged(&kernel, 2, 80);
    assert_float_equal(c.factor, 0.5, 1e-12);
    assert_float_equal(c.shared, 9e-6, 1e-12);
    /* No cost is below 0. */
    kernel.block[0].shared = -1e-6;
    assert_true(calibration_charged(&kernel, 2, 10).shared == 0);
    assert_true(calibration_charged(&kernel, 2, 1).shared >= 0);
    kernel.blocks = 0;
    c = calibration_charged(&kernel, 2, 10);
    assert_true(c.factor == 1 && c.shared == 0 && isnan(c.wait));
}

/* Between ranks the ends of a message are charged apart. */
static void nothing_is_charged_twice_or_below_0(void **unused)
{
    struct calibration_cost cost = {.c_p = 1e-9};
    struct calibration_kernel kernel = {
        .cost = &cost,
        .blocks = 2,
        .block = {{10, 20e-9, 5e-6, 3e-6}, {20, 20e-9, 1e-6, NAN}}};
    struct calibration_charge ends = {.send = 2e-6, .receive = 1e-6};
    struct calibration_charged c =
        calibration_charged_beside(&kernel, 1, NULL, 10);
    assert_float_equal(c.factor, 2, 1e-12);
    assert_float_equal(c.shared, 5e-6, 1e-12);
    assert_true(c.wait == 0);
    c = calibration_charged_beside(&kernel, 1, &ends, 10);
    assert_float_equal(c.shared, 3e-6, 1e-12);
    assert_float_equal(c.wait, 2e-6, 1e-12);
    c = calibration_charged_beside(&kernel, 1, &ends, 20);
    assert_true(c.shared == 0);
    kernel.blocks = 0;
    c = calibration_charged_beside(&kernel, 1, &ends, 10);
    assert_true(c.factor == 1 && c.shared == 0 && c.wait == 0);
}

TESTS(cmocka_unit_test(the_middle_visit_is_kept),
      cmocka_unit_test(measured_widths_cost_what_they_did),
      cmocka_unit_test(nothing_is_charged_twice_or_below_0))
