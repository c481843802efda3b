/* Two schemes in one text. */
#include "sched/sched_testing.h"
#include "sched/schemes/pair.h"

#include <errno.h>

static void one_scheme_stays_one(void **state)
{
    struct sched_pair pair;
    assert_int_equal(sched_pair_parse("fac2", &pair, NULL), 0);
    assert_string_equal(pair.outer->name, "fss");
    assert_null(pair.inner);
    assert_string_equal(pair.canonical, "fss:alpha=2");
}

static void two_are_parsed_each(void **state)
{
    struct sched_pair pair;
    assert_int_equal(sched_pair_parse("css:chunk=7/tss", &pair, NULL), 0);
    assert_string_equal(pair.outer->name, "css");
    assert_string_equal(pair.inner->name, "tss");
    assert_string_equal(pair.canonical, "css:chunk=7/tss:last=1");
    /* Its own canonical form is read the same. */
    struct sched_pair again;
    assert_int_equal(sched_pair_parse(pair.canonical, &again, NULL), 0);
    assert_string_equal(again.canonical, pair.canonical);
}

/* Errors are named; the pair keeps its value. */
static void wrong_texts_are_errors(void **state)
{
    static const char *const wrong[][2] = {
        {"gss/", "outer/inner"},    {"/gss", "outer/inner"},
        {"a/b/c", "outer/inner"},   {"gss/ss/ss", "outer/inner"},
        {"gss/gssx", "did you"},    {"gss:min=x/ss", "min"},
        {"gssx/ss", "ss, outer: "}, {"gss/ssx", "gss/ssx, inner: "},
        {"dtss-acp/ss", "as dtss"}, {"awf-b/dtss-acp", "dtss-acp"}};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct error err = {""};
        struct sched_pair pair = {.canonical = "kept"};
        if (sched_pair_parse(wrong[i][0], &pair, &err) != -EINVAL ||
            strstr(err.text, wrong[i][1]) == NULL)
            fail_msg("%s: '%s'", wrong[i][0], err.text);
        assert_string_equal(pair.canonical, "kept");
    }
}

TESTS(cmocka_unit_test(one_scheme_stays_one),
      cmocka_unit_test(two_are_parsed_each),
      cmocka_unit_test(wrong_texts_are_errors))
