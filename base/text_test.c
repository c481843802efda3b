#include "base/unit_testing.h"

#include "base/error.h"
#include "base/text.h"

#include <errno.h>
#include <string.h>

static void characters_are_those_that_json_allows(void **state)
{
    static const struct {
        const char *text;
        size_t length;
    } rows[] = {
        {"", 0},
        {"a", 1},
        {"\n", 1},
        {"\x7f", 1},
        {"\xc3\xa9", 2},
        {"\xc3", 0},
        {"\xc3z", 0},
        {"\xa9", 0},
        {"\xc0\x80", 0},
        {"\xc1\xbf", 0},
        {"\xe2\x82\xac", 3},
        {"\xe2\x82", 0},
        {"\xe0\x80\x80", 0},
        {"\xed\x9f\xbf", 3},
        {"\xed\xa0\x80", 0},
        {"\xf0\x9f\x98\x80", 4},
        {"\xf0\x80\x80\x80", 0},
        {"\xf4\x8f\xbf\xbf", 4},
        {"\xf4\x90\x80\x80", 0},
        {"\xff", 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (text_character(rows[i].text) != rows[i].length)
            fail_msg("row %zu: %zu", i, text_character(rows[i].text));
}

static void the_first_wrong_byte_is_found(void **state)
{
    assert_int_equal(text_wrong_byte(""), -1);
    assert_int_equal(text_wrong_byte("r\xc3\xa9sum\xc3\xa9 1"), -1);
    assert_int_equal(text_wrong_byte("r\xe9sum\xe9"), 1);
    assert_int_equal(text_wrong_byte("ab\ncd"), 2);
    assert_int_equal(text_wrong_byte("\x7f"), 0);
}

static void lines_have_no_control_characters(void **state)
{
    char out[8];
    struct error err;
    text_line(out, sizeof(out), "a\nb\xff");
    assert_string_equal(out, "a\\nb");
    text_line(out, sizeof(out), "abcdef\xc3\xa9");
    assert_string_equal(out, "abcdef");
    error_set(&err, EINVAL, "'%s' is wrong", "a\n\tb\x1b[2J\xe9\xc3\xa9\\");
    assert_string_equal(err.text, "'a\\n\\tb\\x1b[2J\\xe9\xc3\xa9\\' is wrong");
    error_prefix(&err, -EINVAL, "%s", "c\r");
    assert_string_equal(err.text, "c\\r: 'a\\n\\tb\\x1b[2J\\xe9\xc3\xa9\\' is "
                                  "wrong");
}

/* Characters that turn a terminal's line, or end it, are shown escaped. */
static void lines_show_what_turns(void **state)
{
    static const struct {
        const char *text, *line;
    } rows[] = {
        {"a\xc2\x9b"
         "2J",
         "a\\u009b2J"},
        {"\xc2\x80|\xc2\xa0", "\\u0080|\xc2\xa0"},
        {"a\xe2\x80\xae"
         "b",
         "a\\u202eb"},
        {"\xe2\x80\xaa", "\\u202a"},
        {"\xe2\x81\xa6", "\\u2066"},
        {"\xe2\x81\xa9", "\\u2069"},
        {"\xe2\x80\x8e\xe2\x80\x8f", "\\u200e\\u200f"},
        {"\xd8\x9c", "\\u061c"},
        {"\xe2\x80\xa8", "\\u2028"},
        {"\xe2\x80\x93", "\xe2\x80\x93"},
        {"\x9b", "\\x9b"},
        {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
        {"\xff\xfe", "\\xff\\xfe"},
    };
    char out[64];
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        text_line(out, sizeof(out), rows[i].text);
        assert_string_equal(out, rows[i].line);
    }
    assert_int_equal(text_wrong_byte("a\xc2\x9b"), 1);
    assert_int_equal(text_wrong_byte("a\xe2\x80\x8f"), -1);
}

static void numbers_have_exponents_of_fortran(void **state)
{
    static const struct {
        const char *text, *rest;
        double value;
    } rows[] = {
        {"1.5D+00", "", 1.5}, {"1d0,2", ",2", 1},   {"-2.5d-1 x", " x", -0.25},
        {"1d", "d", 1},       {"1d+", "d+", 1},     {"d1", "d1", 0},
        {"0x1d1", "", 465},   {"1e2d3", "d3", 100}, {".5D1", "", 5},
    };
    char *end;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_true(text_real(rows[i].text, &end) == rows[i].value);
        assert_string_equal(end, rows[i].rest);
    }
}

static void long_errors_are_cut_between_characters(void **state)
{
    char text[2 * sizeof(struct error)];
    struct error err;
    for (size_t i = 0; i + 2 < sizeof(text); i += 2)
        memcpy(text + i, "\xc3\xa9", 3);
    error_set(&err, EINVAL, "%s", text);
    assert_int_equal(text_wrong_byte(err.text), -1);
    error_prefix(&err, -EINVAL, "a");
    assert_int_equal(text_wrong_byte(err.text), -1);
    assert_int_equal(strncmp(err.text, "a: \xc3\xa9", 5), 0);
}

static void blanks_are_trimmed_at_both_ends(void **state)
{
    static const struct {
        const char *text, *trimmed;
    } rows[] = {
        {"a", "a"},      {"", ""},
        {" \t\r\n", ""}, {"  a b\t c", "a b\t c"},
        {"a\r\n", "a"},  {"\t\xc3\xa9 ", "\xc3\xa9"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[16];
        strcpy(text, rows[i].text);
        assert_string_equal(text_trim(text), rows[i].trimmed);
    }
}

static void words_come_back_and_are_not_split(void **state)
{
    static const struct {
        const char *text, *word;
    } rows[] = {
        {"/a/plan-1.json", "/a/plan-1.json"},
        {"", ""},
        {"two words\t\n", "two%20words%09%0A"},
        {"[a]*?\\", "%5Ba%5D%2A%3F%5C"},
        {"100%41", "100%2541"},
        {"\xc3\xa9'\"$", "\xc3\xa9'\"$"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char word[32];
        assert_true(text_to_word(word, sizeof(word), rows[i].text));
        assert_string_equal(word, rows[i].word);
        size_t length = strlen(word);
        assert_true(text_to_word(word, length + 1, rows[i].text));
        assert_false(text_to_word(word, length, rows[i].text));
        strcpy(word, rows[i].word);
        text_from_word(word);
        assert_string_equal(word, rows[i].text);
    }
}

/* The reader of other processes' command lines may find such words. */
static void half_an_escape_is_itself(void **state)
{
    static const char *const words[] = {"%", "%4", "%g1", "50% of", "%%"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        char word[16];
        strcpy(word, words[i]);
        text_from_word(word);
        assert_string_equal(word, words[i]);
    }
}

static void the_last_part_of_a_path_is_behind_its_last_slash(void **state)
{
    static const char *const cases[][2] = {
        {"a/b/c.c", "c.c"}, {"c.c", "c.c"}, {"/", ""}, {"a/", ""}, {"", ""}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(path_last(cases[i][0]), cases[i][1]);
}

TESTS(cmocka_unit_test(characters_are_those_that_json_allows),
      cmocka_unit_test(the_first_wrong_byte_is_found),
      cmocka_unit_test(lines_have_no_control_characters),
      cmocka_unit_test(lines_show_what_turns),
      cmocka_unit_test(numbers_have_exponents_of_fortran),
      cmocka_unit_test(long_errors_are_cut_between_characters),
      cmocka_unit_test(blanks_are_trimmed_at_both_ends),
      cmocka_unit_test(words_come_back_and_are_not_split),
      cmocka_unit_test(half_an_escape_is_itself),
      cmocka_unit_test(the_last_part_of_a_path_is_behind_its_last_slash))
