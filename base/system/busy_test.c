#include "base/unit_testing.h"

#include "base/system/busy.h"
#include "base/system/root_testing.h"

#include <math.h>
#include <unistd.h>

static void the_processors_of_the_set_count(void **unused)
{
    struct tree tree;
    struct busy busy;
    const struct allowed_set set = {{1 << 1 | 1 << 3}};
    const double tick = 1 / (double)sysconf(_SC_CLK_TCK);
    tree_make(&tree);
    tree_write(&tree, "/proc/stat",
               "cpu  9 9 9 9 9 9 9 9 0 0\n"
               "cpu0 7 7 7 7 7 7 7 7 0 0\n"
               "cpu1 100 20 3 9999 9999 400 50 6 5 5\n"
               "cpu3 1 0 0 5\n"
               "intr 1 2 3\n");
    busy_read(tree.path, &set, &busy);
    assert_int_equal(busy.processors, 2);
    assert_true(fabs(busy.seconds - 580 * tick) < 1e-9);
    busy_read("/no/where", &set, &busy);
    assert_int_equal(busy.processors, 0);
    tree_remove(&tree);
}

TESTS(cmocka_unit_test(the_processors_of_the_set_count))
