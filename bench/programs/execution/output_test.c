#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "bench/programs/execution/output.h"

#include <math.h>
#include <string.h>

/* In pieces of so many bytes. */
static struct output *of(const char *text, size_t piece, char *digest)
{
    struct output *output = output_open();
    size_t left = strlen(text);
    while (left > 0) {
        size_t size = piece < left ? piece : left;
        output_add(output, text, size);
        text += size;
        left -= size;
    }
    output_end(output, digest);
    return output;
}

static enum output_match match(const char *a, const char *b)
{
    char first[OUTPUT_DIGEST], second[OUTPUT_DIGEST];
    output_close(of(a, 3, first));
    output_close(of(b, 1000, second));
    return output_match(first, second);
}

static double differ(const char *a, const char *b)
{
    char digest[OUTPUT_DIGEST];
    struct output *x = of(a, 1, digest), *y = of(b, 7, digest);
    double most = output_differ(x, y);
    output_close(x);
    output_close(y);
    return most;
}

static void outputs_are_the_same_by_text_or_lines(void **unused)
{
    (void)unused;
    char digest[OUTPUT_DIGEST];
    assert_int_equal(match("", ""), OUTPUT_SAME);
    assert_int_equal(match("a\nb\n", "a\nb\n"), OUTPUT_SAME);
    assert_int_equal(match("a\nb\nb\n", "b\na\nb\n"), OUTPUT_LINES);
    assert_int_equal(match("a\nb\n", "a\nb\nb\n"), OUTPUT_OTHER);
    assert_int_equal(match("a\na\n", "b\nb\n"), OUTPUT_OTHER);
    assert_int_equal(match("ab\n", "ba\n"), OUTPUT_OTHER);
    assert_int_equal(match("a\n", "a"), OUTPUT_OTHER);
    output_close(of("", 1, digest));
    assert_true(output_is_empty(digest));
    output_close(of("\n", 1, digest));
    assert_false(output_is_empty(digest));
}

static void numbers_may_differ_in_last_digits(void **unused)
{
    (void)unused;
    assert_true(differ("sum 1.0000000001 of 3\n", "sum 1 of 3\n") < 1e-9);
    assert_true(differ("x=-2e-3,", "x=-4e-3,") == 0.5);
    assert_true(differ("5\n", "5\n") == 0);
    assert_true(isnan(differ("3 of 5\n", "3 in 5\n")));
    assert_true(isnan(differ("a1\n", "a2\n"))); /* a name */
    assert_true(isnan(differ("1 2\n", "1\n")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_are_the_same_by_text_or_lines),
        cmocka_unit_test(numbers_may_differ_in_last_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
