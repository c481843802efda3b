#include "bench/programs/code/imports.h"

#include "base/unit_testing.h"

#include <stdlib.h>
#include <string.h>

static struct imports of_three(void)
{
    struct imports all = {NULL, 0, 0};
    assert_int_equal(imports_add(&all, 0x30, "free"), 0);
    assert_int_equal(imports_add(&all, 0x10, "sqrt"), 0);
    assert_int_equal(imports_add(&all, 0x20, "malloc"), 0);
    return all;
}

static void a_name_is_found_by_its_place_alone(void **unused)
{
    struct imports all = of_three();
    imports_sort(&all, false);
    assert_string_equal(imports_at(&all, 0x10), "sqrt");
    assert_string_equal(imports_at(&all, 0x20), "malloc");
    assert_string_equal(imports_at(&all, 0x30), "free");
    assert_null(imports_at(&all, 0x11));
    assert_null(imports_at(&all, 0));
    free(all.one);
}

static void a_whole_name_is_found_in_order(void **unused)
{
    struct imports all = of_three();
    imports_sort(&all, true);
    assert_true(imports_have(&all, "free"));
    assert_true(imports_have(&all, "sqrt"));
    assert_false(imports_have(&all, "sqr"));
    assert_false(imports_have(&all, "sqrtf"));
    free(all.one);
}

static void nothing_is_found_among_none(void **unused)
{
    struct imports none = {NULL, 0, 0};
    imports_sort(&none, false);
    assert_null(imports_at(&none, 0));
    assert_false(imports_have(&none, ""));
}

static void places_above_2_to_63_come_last(void **unused)
{
    uint64_t place[] = {UINT64_MAX, 1, UINT64_C(1) << 63, 0};
    const uint64_t sorted[] = {0, 1, UINT64_C(1) << 63, UINT64_MAX};
    qsort(place, 4, sizeof(*place), imports_by_place);
    assert_memory_equal(place, sorted, sizeof(sorted));
}

TESTS(cmocka_unit_test(a_name_is_found_by_its_place_alone),
      cmocka_unit_test(a_whole_name_is_found_in_order),
      cmocka_unit_test(nothing_is_found_among_none),
      cmocka_unit_test(places_above_2_to_63_come_last))
