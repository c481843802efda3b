#include "base/unit_testing.h"

#include "base/list.h"

#include <errno.h>
#include <stdlib.h>

static void what_was_in_a_list_stays(void **state)
{
    int *list = NULL;
    int64_t room = 0;
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(list_grow(&list, &room, i + 1, sizeof(*list)), 0);
        assert_true(room > i);
        list[i] = i;
    }
    for (int i = 0; i < 1000; i++)
        assert_int_equal(list[i], i);
    free(list);
}

static void a_list_moves_seldom(void **state)
{
    char *list = NULL;
    int64_t room = 0, before = 0;
    int moves = 0;
    for (int64_t i = 0; i < 1 << 20; i++, before = room) {
        assert_int_equal(list_grow(&list, &room, i + 1, 1), 0);
        moves += room != before;
    }
    assert_in_range(moves, 1, 19);
    free(list);
}

static void a_list_grows_by_many_at_once(void **state)
{
    double *list = NULL;
    int64_t room = 0;
    assert_int_equal(list_grow(&list, &room, 5000, sizeof(*list)), 0);
    assert_int_equal(room, 5000);
    list[4999] = 1;
    assert_int_equal(list_grow(&list, &room, 5000, sizeof(*list)), 0);
    assert_int_equal(room, 5000);
    free(list);
}

static void a_list_that_cannot_grow_stays(void **state)
{
    int *list = NULL, *before;
    int64_t room = 0, had;
    assert_int_equal(list_grow(&list, &room, 1, sizeof(*list)), 0);
    before = list;
    had = room;
    *list = 7;
    assert_int_equal(list_grow(&list, &room, INT64_MAX, sizeof(*list)),
                     -ENOMEM);
    assert_ptr_equal(list, before);
    assert_int_equal(room, had);
    assert_int_equal(*list, 7);
    free(list);
}

TESTS(cmocka_unit_test(what_was_in_a_list_stays),
      cmocka_unit_test(a_list_moves_seldom),
      cmocka_unit_test(a_list_grows_by_many_at_once),
      cmocka_unit_test(a_list_that_cannot_grow_stays))
