#include "base/unit_testing.h"

#include "base/nearest.h"

static const char *const names[] = {"static", "ss", "css", "mandelbrot", NULL};

static void a_typo_finds_its_name(void **unused)
{
    assert_string_equal(nearest_name("statik", names), "static");
    assert_string_equal(nearest_name("staitc", names), "static");
    assert_string_equal(nearest_name("mandlebrodt", names), "mandelbrot");
    assert_string_equal(nearest_name("cs", names), "css");
    assert_string_equal(nearest_name("csss", names), "css");
    assert_string_equal(nearest_name("SS", names), "ss");
    assert_string_equal(nearest_name("css", names), "css");
}

static void far_words_find_nothing(void **unused)
{
    static const char *const none[] = {NULL};
    assert_null(nearest_name("convolution", names));
    assert_null(nearest_name("", names));
    assert_null(nearest_name("xy", names));
    assert_null(nearest_name("s", names));
    assert_null(nearest_name("foo", names));
    assert_null(nearest_name("magnet", names));
    assert_null(nearest_name("ss", none));
}

static void long_words_do_not_overrun(void **unused)
{
    char word[200];
    const char *const longer[] = {word, "ss", NULL};
    for (size_t length = 60; length < sizeof(word); length++) {
        for (size_t i = 0; i < length; i++)
            word[i] = 'a';
        word[length] = '\0';
        assert_null(nearest_name(word, names));
        assert_string_equal(nearest_name("sss", longer), "ss");
    }
}

static void the_nearest_is_said_first(void **unused)
{
    struct error err;
    nearest_unknown(&err, "statik", names, "", "unknown '%s'", "statik");
    assert_string_equal(err.text, "unknown 'statik'; did you mean 'static'? "
                                  "allowed: static, ss, css, mandelbrot");
    nearest_unknown(&err, "statik", names, "list", "unknown");
    assert_string_equal(err.text, "unknown; did you mean 'static'? 'list' "
                                  "lists what there is");
    nearest_unknown(&err, "foo", names, "list", "unknown");
    assert_string_equal(err.text, "unknown; 'list' lists what there is");
    nearest_unknown(&err, "foo", names, "", "unknown");
    assert_string_equal(err.text,
                        "unknown, allowed: static, ss, css, mandelbrot");
    static const char *const many[] = {"aaa", "bbb", "ccc", "ddd", "eee",
                                       "fff", "ggg", "hhh", "iii", NULL};
    nearest_unknown(&err, "aab", many, "", "unknown");
    assert_string_equal(err.text, "unknown; did you mean 'aaa'?");
}

TESTS(cmocka_unit_test(a_typo_finds_its_name),
      cmocka_unit_test(far_words_find_nothing),
      cmocka_unit_test(the_nearest_is_said_first),
      cmocka_unit_test(long_words_do_not_overrun))
