/* Lines of records are JSON, whatever the program's texts hold. */
#include "base/unit_testing.h"

#include "harness/record/line/json_line.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    line_whole(&members, "least", INT64_MIN);
    line_flag(&members, "yes", true);
    line_begin(&line);
    line_real(&line, "third", 1.0 / 3);
    line_real(&line, "infinite", INFINITY);
    line_members(&line, NULL, members.text);
    line_open(&line, "list", '[');
    line_open(&line, NULL, '{');
    line_text(&line, "none", NULL);
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

/* All lines of a file have the same form, whoever writes them. */
static void reals_are_as_jansson_writes_them(void **unused)
{
    static const double real[] = {0,     1,      -1,   0.1,    1e-5,  -2.5e-7,
                                  1e20,  1.5e16, 1e12, 123456, 1e100, 1e-100,
                                  1e300, 5e-324, 1e11, 1 / 3.0};
    for (size_t i = 0; i < sizeof(real) / sizeof(*real); i++) {
        struct line line = {0};
        line_real(&line, NULL, real[i]);
        json_t *value = json_real(real[i]);
        char *text =
            json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(12));
        assert_string_equal(line.text, text);
        json_decref(value);
        free(text);
        free(line.text);
    }
}

TESTS(cmocka_unit_test(texts_are_quoted),
      cmocka_unit_test(values_are_read_back),
      cmocka_unit_test(reals_are_as_jansson_writes_them))
