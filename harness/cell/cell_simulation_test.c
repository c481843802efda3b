/* How cells are simulated: what of it makes them other cells. */
#include "harness/check/setup.h"

#include "harness/testing.h"

#include <stdio.h>
#include <string.h>

/* "field=value ..." */
static void make(struct cell *cell, const char *fields)
{
    char text[256], *rest = text;
    struct error err = {""};
    cell_defaults(cell, testing_texts());
    snprintf(text, sizeof(text), "kernel=null:size=10 scheme=ss %s", fields);
    for (char *word; (word = strtok_r(rest, " ", &rest)) != NULL;) {
        char *value = strchr(word, '=');
        *value = '\0';
        if (cell_set(cell, word, value + 1, &err) != 0)
            fail_msg("%s", err.text);
    }
    if (cell_check(cell, &err) != 0)
        fail_msg("%s", err.text);
}

static bool same(const char *a, const char *b)
{
    struct cell x, y;
    make(&x, a);
    make(&y, b);
    return strcmp(x.hash, y.hash) == 0;
}

/* Results of earlier versions stay those of the same cells. */
static void native_cells_keep_their_hash(void **unused)
{
    struct cell cell;
    make(&cell, "prefetch=off");
    assert_string_equal(cell.hash, "42999f8213880ab4");
    assert_true(same("", "cp=1e-9 request_cost=1 result_bytes=7"));
}

static void what_changes_the_result_is_another_cell(void **unused)
{
    assert_false(same("", "platform=a.xml"));
    assert_false(same("platform=a.xml", "platform=b.xml"));
    assert_false(same("platform=a.xml", "platform=a.xml cp=1e-9"));
    assert_false(same("platform=a.xml", "platform=a.xml request_cost=0"));
    assert_false(same("platform=a.xml", "platform=a.xml result_bytes=1"));
    assert_false(same("platform=a.xml", "platform=a.xml boundary_bytes=1"));
    assert_true(same("platform=a.xml", "platform=a.xml request_cost=2e-7"));
    assert_true(same("platform=a.xml cp=1e-9", "platform=a.xml cp=0.001e-6"));
}

static void wrong_numbers_are_refused(void **unused)
{
    static const char *const bad[][2] = {
        {"cp", "0"},   {"cp", "x"},          {"cp", "1e-9s"},
        {"cp", "nan"}, {"cp", ""},           {"request_cost", "-1"},
        {"cp", "1e9"}, {"request_cost", ""}, {"result_bytes", "0"},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct cell cell;
        struct error err = {""};
        cell_defaults(&cell, testing_texts());
        if (cell_set(&cell, bad[i][0], bad[i][1], &err) == 0)
            fail_msg("%s=%s was taken", bad[i][0], bad[i][1]);
        assert_non_null(strstr(err.text, bad[i][0]));
    }
}

static void json_keeps_it(void **unused)
{
    struct cell cell, read;
    struct error err = {""};
    make(&cell, "platform=x/a.xml cp=1.7e-9 result_bytes=800000");
    json_t *object = cell_to_json(&cell);
    if (cell_read(object, testing_texts(), &read, &err) != 0)
        fail_msg("%s", err.text);
    assert_string_equal(read.hash, cell.hash);
    assert_int_equal(cell_simulation_compare(&read, &cell), 0);
    json_decref(object);
    make(&cell, "");
    object = cell_to_json(&cell);
    assert_null(json_object_get(object, "platform"));
    assert_null(json_object_get(object, "cp"));
    json_decref(object);
}

static void words_say_what_is_not_as_usual(void **unused)
{
    struct cell cell;
    char words[128];
    make(&cell, "");
    cell_simulation_words(&cell, words, sizeof(words));
    assert_string_equal(words, "");
    make(&cell, "platform=x/a.xml");
    cell_simulation_words(&cell, words, sizeof(words));
    assert_string_equal(words, "a");
    make(&cell, "platform=a.xml cp=1e-9 request_cost=0");
    cell_simulation_words(&cell, words, sizeof(words));
    assert_string_equal(words, "a, cp 1e-09, request_cost 0");
    make(&cell, "");
    cell.platform = "replayed, latency 622.5 ns, near 1 ns";
    cell_simulation_words(&cell, words, sizeof(words));
    assert_string_equal(words, cell.platform);
    cell.platform = "replayed, /x y/b.xml"; /* and no simulation */
    cell_simulation_words(&cell, words, sizeof(words));
    assert_string_equal(words, "replayed, b");
}

TESTS(cmocka_unit_test(native_cells_keep_their_hash),
      cmocka_unit_test(what_changes_the_result_is_another_cell),
      cmocka_unit_test(wrong_numbers_are_refused),
      cmocka_unit_test(json_keeps_it),
      cmocka_unit_test(words_say_what_is_not_as_usual))
