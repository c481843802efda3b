/* The total memory of the ranks of a host. */
#include "harness/testing.h"

#include "harness/problem/fit.h"

static void one_rank_collects_nothing(void **unused)
{
    assert_true(fit_need(10, 4, 1) == 10);
    assert_true(fit_need(10, 4, 2) == 24);
    assert_true(fit_need(10, 4, 64) == 644);
}

/* heat has two grids with a row above and below each. */
static void kernels_tell_from_the_spec(void **unused)
{
    static const struct {
        const char *spec;
        double bytes;
    } row[] = {
        {"heat:rows=98,cols=1000", 2 * 8 * 100 * 1000.0},
        {"heat:rows=16777216,cols=16777216", 2 * 8 * 16777218 * 16777216.0},
        {"adjoint:size=100", 2 * 8 * 10000.0},
    };
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        const struct kernel_ops *kernel;
        struct spec spec;
        assert_int_equal(kernel_parse(row[i].spec, &kernel, &spec, NULL), 0);
        assert_true(kernel->memory(&spec) == row[i].bytes);
    }
}

TESTS(cmocka_unit_test(one_rank_collects_nothing),
      cmocka_unit_test(kernels_tell_from_the_spec))
