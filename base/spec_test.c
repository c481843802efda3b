#include "base/unit_testing.h"

#include "base/spec.h"

#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <string.h>

enum { SIZE, RATIO, AXIS, FILE_NAME };

static const struct spec_param params[] = {
    [SIZE] = {.key = "size",
              .type = SPEC_INTEGER,
              .fallback = "100",
              .min = 1,
              .max = 0x1p53},
    [RATIO] = {.key = "ratio", .type = SPEC_REAL, .min = 0, .max = 10},
    [AXIS] = {.key = "axis",
              .type = SPEC_CHOICE,
              .fallback = "re",
              .choices = "re|im"},
    [FILE_NAME] = {.key = "file", .type = SPEC_TEXT},
    {0},
};

static const struct spec_param needed[] = {
    {.key = "file",
     .type = SPEC_TEXT,
     .required = true,
     .help = "where the costs are"},
    {0},
};

static int parse(const char *text, struct spec *spec, struct error *err)
{
    return spec_parse("kernel", text, "loop", params, spec, err);
}

static void defaults_are_filled_in(void **unused)
{
    struct spec spec;
    assert_int_equal(parse("loop", &spec, NULL), 0);
    assert_true(spec.value[SIZE].given && spec.value[AXIS].given);
    assert_false(spec.value[RATIO].given || spec.value[FILE_NAME].given);
    assert_int_equal(spec.value[SIZE].integer, 100);
    assert_string_equal(spec.value[AXIS].text, "re");
    assert_string_equal(spec.name, "loop");
    assert_string_equal(spec.canonical, "loop:size=100,axis=re");
}

static void values_are_read(void **unused)
{
    struct spec spec;
    assert_int_equal(
        parse("loop:file=a/b=c:d,axis=im,ratio=1/3,size=9007199254740992",
              &spec, NULL),
        0);
    assert_true(spec.value[SIZE].integer == (int64_t)1 << 53);
    assert_true(spec.value[RATIO].real == 1.0 / 3);
    assert_string_equal(spec.value[FILE_NAME].text, "a/b=c:d");
    assert_string_equal(spec.canonical,
                        "loop:size=9007199254740992,"
                        "ratio=0.3333333333333333,axis=im,file=a/b=c:d");
}

/* One cell has one name, however its numbers are written, and the name reads
 * back as itself. */
static void canonical_is_a_fixed_point(void **unused)
{
    static const char *const same[] = {"loop:size=7,ratio=0.5",
                                       "loop:ratio=1/2,size=007",
                                       "loop:size=+7,ratio=5e-1"};
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
        struct spec spec, again;
        assert_int_equal(parse(same[i], &spec, NULL), 0);
        assert_string_equal(spec.canonical, "loop:size=7,ratio=0.5,axis=re");
        assert_int_equal(parse(spec.canonical, &again, NULL), 0);
        assert_string_equal(again.canonical, spec.canonical);
    }
}

static void errors_say_what_and_where(void **unused)
{
    static const char *const bad[][2] = {
        {"loop:", "key=value must follow"},
        {"loop:size", "must be written size=value"},
        {"loop:size=", "size= has no value"},
        {"loop:=3", "unknown key ''"},
        {"loop:size=3,", "unknown key ''"},
        {"loop:sise=3", "did you mean 'size'?"},
        {"loop:zzzzzz=3", "allowed: size, ratio, axis, file"},
        {"loop:size=3,size=3", "size is given twice"},
        {"loop:size=3 ", "not a whole number"},
        {"loop:size= 3", "not a whole number"},
        {"loop:size=0x10", "not a whole number"},
        {"loop:size=1e3", "not a whole number"},
        {"loop:size=0", "out of range, allowed is 1 to"},
        {"loop:size=9223372036854775808", "out of range"},
        {"loop:ratio=1/0", "out of range"},
        {"loop:ratio=inf", "out of range"},
        {"loop:ratio=nan", "out of range"},
        {"loop:ratio=1e999", "out of range"},
        {"loop:ratio=1/", "not a number"},
        {"loop:ratio=1/2/3", "not a number"},
        {"loop:ratio=11", "allowed is 0 to 10"},
        {"loop:axis=r", "allowed is re|im"},
        {"loop:file=a,b.txt", "unknown key 'b.txt'; a value that has a comma "
                              "is written in quotes, as file=\"a,b\""},
        {"loop:file=a,b=c", "file=\"a,b\""},
        {"loop:file=a,sise=3", "did you mean 'size'?"},
        {"loop:file=\"a,b", "must begin and end with a quote"},
        {"loop:file=\"a\"b,size=3", "must begin and end with a quote"},
        {"loop:file=\"", "must begin and end with a quote"},
        {"loop:file=\"\"", "file= has no value"},
        {"loop:axis=re|im", "allowed is re|im"},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct spec spec = {.name = "untouched"};
        struct error err = {""};
        int code = parse(bad[i][0], &spec, &err);
        if (code != -EINVAL || strstr(err.text, bad[i][1]) == NULL)
            fail_msg("'%s': %d, '%s', not '%s'", bad[i][0], code, err.text,
                     bad[i][1]);
        assert_string_equal(spec.name, "untouched");
        assert_memory_equal(err.text, "kernel loop: ", 13);
    }
}

/* Any text comes back, alone and in a list. */
static void texts_are_quoted_where_they_need_it(void **unused)
{
    static const struct {
        const char *text, *canonical;
    } rows[] = {
        {"a.txt", "file=a.txt"},
        {"a,b.txt", "file=\"a,b.txt\""},
        {"\"a", "file=\"\"\"a\""},
        {"a\"b", "file=a\"b"},
        {"\"", "file=\"\"\"\""},
        {",", "file=\",\""},
        {"a\",\"b", "file=\"a\"\",\"\"b\""},
        {"x=1,y=2", "file=\"x=1,y=2\""},
        {"a:b'c d", "file=a:b'c d"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[100] = "loop:", list[SPEC_CANONICAL_MAX + 20];
        struct spec spec, again;
        assert_true(spec_append(text, sizeof(text), "file", rows[i].text));
        assert_string_equal(text + 5, rows[i].canonical);
        assert_int_equal(parse(text, &spec, NULL), 0);
        assert_string_equal(spec.value[FILE_NAME].text, rows[i].text);
        assert_int_equal(parse(spec.canonical, &again, NULL), 0);
        assert_string_equal(again.value[FILE_NAME].text, rows[i].text);
        assert_string_equal(again.canonical, spec.canonical);
        snprintf(list, sizeof(list), "%s,other:a=b", spec.canonical);
        assert_int_equal(spec_length(list), strlen(spec.canonical));
        for (size_t size = 6; size <= strlen(text); size++) {
            snprintf(list, sizeof(list), "loop:");
            assert_false(spec_append(list, size, "file", rows[i].text));
        }
    }
    struct spec spec;
    assert_int_equal(parse("loop:size=\"7\",file=\"a\"", &spec, NULL), 0);
    assert_string_equal(spec.canonical, "loop:size=7,axis=re,file=a");
}

static void lists_end_specs(void **unused)
{
    assert_int_equal(spec_length("ss,gss"), 2);
    assert_int_equal(spec_length("css:chunk=16,gss"), 12);
    assert_int_equal(spec_length("a:b=1,c=2,d/e:f=3"), 9);
    assert_int_equal(spec_length("a:b=1,c:d=2"), 5);
    assert_int_equal(spec_length(",a"), 0);
    assert_int_equal(spec_length(""), 0);
}

static void required_keys_are_missed(void **unused)
{
    struct spec spec;
    struct error err = {""};
    assert_int_equal(
        spec_parse("kernel", "trace", "trace", needed, &spec, &err), -EINVAL);
    assert_non_null(strstr(err.text, "file= is missing (where the costs are)"));
    assert_int_equal(
        spec_parse("kernel", "trace:file=a", "trace", needed, &spec, &err), 0);
}

static void long_specs_are_refused(void **unused)
{
    struct spec spec;
    struct error err = {""};
    char text[2 * SPEC_CANONICAL_MAX];
    for (size_t length = 20; length < sizeof(text); length++) {
        memset(text, 'x', length);
        memcpy(text, "loop:file=", 10);
        text[length] = '\0';
        int code = parse(text, &spec, &err);
        assert_int_equal(code, length - 10 < SPEC_TEXT_MAX ? 0 : -EINVAL);
    }
}

static void numbers(void **unused)
{
    int64_t whole = 5;
    double real = 5;
    assert_int_equal(spec_integer("-12", &whole), 0);
    assert_true(whole == -12);
    assert_int_equal(spec_integer("9223372036854775807", &whole), 0);
    assert_true(whole == INT64_MAX);
    assert_int_equal(spec_integer("9223372036854775808", &whole), -ERANGE);
    assert_int_equal(spec_integer("", &whole), -EINVAL);
    assert_true(whole == INT64_MAX);
    assert_int_equal(spec_real("-1/4", &real), 0);
    assert_true(real == -0.25);
    assert_int_equal(spec_real("", &real), -EINVAL);
    assert_int_equal(spec_real("0/0", &real), -ERANGE);
    assert_true(real == -0.25);
}

static void names(void **unused)
{
    char name[SPEC_NAME_MAX] = "";
    assert_int_equal(spec_name("kernel", "heat:rows=3", name, NULL), 0);
    assert_string_equal(name, "heat");
    assert_int_equal(spec_name("kernel", ":rows=3", name, NULL), -EINVAL);
    assert_int_equal(
        spec_name("kernel", "a-name-of-exactly-31-characters", name, NULL), 0);
    assert_int_equal(
        spec_name("kernel", "a-name-of-even-32-characters-now", name, NULL),
        -EINVAL);
}

static void lists_count_what_is_repeated(void **unused)
{
    double value[4] = {-1, -1, -1, -1};
    struct spec_list found;
    assert_int_equal(spec_list("1/2,2:3", 9, value, 4, &found), 0);
    assert_int_equal(found.count, 3);
    assert_true(value[0] == 0.5 && value[1] == 3 && value[2] == 3);
    assert_true(value[3] == -1);
    assert_true(found.smallest == 0.5 && found.largest == 3);
    assert_int_equal(spec_list("9:0,7", 9, value, 4, &found), 0);
    assert_int_equal(found.count, 10);
    assert_true(value[3] == 0 && found.largest == 7);
}

static void lists_name_what_is_wrong(void **unused)
{
    static const struct {
        const char *text, *wrong;
        bool times;
    } bad[] = {
        {"", "", false},         {"1,", "", false},       {",1", "", false},
        {"1,x:2,3", "x", true},  {"0:2", "0", true},      {"10:2", "10", true},
        {"2:", "", false},       {"2:1:1", "1:1", false}, {"1,-2", "-2", false},
        {"3:inf", "inf", false}, {"1 ", "1 ", false},
    };
    struct spec_list found;
    char text[200] = "0.";
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(spec_list(bad[i].text, 9, NULL, 0, &found), -EINVAL);
        assert_string_equal(found.wrong, bad[i].wrong);
        assert_int_equal(found.wrong_times, bad[i].times);
    }
    memset(text + 2, '0', 100);
    assert_int_equal(spec_list(text, 9, NULL, 0, &found), -EINVAL);
    assert_memory_equal(found.wrong, "0.00", 4);
    assert_non_null(strstr(found.wrong, "..."));
}

TESTS(cmocka_unit_test(defaults_are_filled_in),
      cmocka_unit_test(values_are_read),
      cmocka_unit_test(canonical_is_a_fixed_point),
      cmocka_unit_test(errors_say_what_and_where),
      cmocka_unit_test(required_keys_are_missed),
      cmocka_unit_test(texts_are_quoted_where_they_need_it),
      cmocka_unit_test(lists_end_specs),
      cmocka_unit_test(long_specs_are_refused), cmocka_unit_test(numbers),
      cmocka_unit_test(lists_count_what_is_repeated),
      cmocka_unit_test(lists_name_what_is_wrong), cmocka_unit_test(names))
