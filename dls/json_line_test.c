/* Lines of records are JSON, whatever the program's texts hold. */
#include "dls/json_line.h"

#include "dls/this_process.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static json_t *read_back(struct line *line)
{
    assert_false(line->failed);
    assert_int_equal(line->text[line->used - 1], '\n');
    json_t *object = json_loadb(line->text, line->used, 0, NULL);
    assert_non_null(object);
    return object;
}

static void texts_are_quoted(void **unused)
{
    static const char *const text[] = {
        "",           "plain",       "a \"b\" \\c", "end\n\ttab\x01",
        "\xC3\xA4 h", "\xFF\xC3 no", "{[,:]}"};
    (void)unused;
    for (size_t i = 0; i < sizeof(text) / sizeof(*text); i++) {
        struct line line = {0};
        line_begin(&line);
        line_text(&line, text[i], text[i]);
        line_text(&line, "after", "x");
        line_end(&line);
        json_t *object = read_back(&line);
        assert_int_equal(json_object_size(object), 2);
        const char *value =
            json_string_value(json_object_iter_value(json_object_iter(object)));
        if (i != 5)
            assert_string_equal(value, text[i]);
        json_decref(object);
        free(line.text);
    }
}

static void values_are_read_back(void **unused)
{
    struct line line = {0}, members = {0};
    (void)unused;
    line_whole(&members, "least", INT64_MIN);
    line_flag(&members, "yes", true);
    line_begin(&line);
    line_real(&line, "third", 1.0 / 3);
    line_real(&line, "infinite", INFINITY);
    line_members(&line, &members);
    line_open(&line, "list", '[');
    line_open(&line, NULL, '{');
    line_null(&line, "none");
    line_close(&line, '}');
    line_whole(&line, NULL, 7);
    line_close(&line, ']');
    line_end(&line);
    json_t *object = read_back(&line);
    assert_int_equal(json_object_size(object), 5);
    double third = json_real_value(json_object_get(object, "third"));
    assert_true(fabs(third - 1.0 / 3) < 1e-11);
    assert_true(json_is_null(json_object_get(object, "infinite")));
    assert_true(json_is_true(json_object_get(object, "yes")));
    assert_true(json_integer_value(json_object_get(object, "least")) ==
                INT64_MIN);
    const json_t *list = json_object_get(object, "list");
    assert_int_equal(json_array_size(list), 2);
    assert_int_equal(json_integer_value(json_array_get(list, 1)), 7);
    json_decref(object);
    free(line.text);
    free(members.text);
}

static void a_process_keeps_its_name(void **unused)
{
    char first[PROCESS_NAME_MAX], again[PROCESS_NAME_MAX], command[256];
    (void)unused;
    process_name(first);
    process_name(again);
    assert_string_equal(first, again);
    assert_non_null(strstr(first, "Z-"));
    assert_int_equal(strncmp(first, "19", 2) == 0, 0); /* it has a start */
    process_command(command, sizeof(command));
    assert_non_null(strstr(command, "line_test"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_quoted),
        cmocka_unit_test(values_are_read_back),
        cmocka_unit_test(a_process_keeps_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
