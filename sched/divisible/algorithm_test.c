/* Algorithms as specs. */
#include "sched/divisible/divisible_testing.h"

#include "sched/divisible/algorithm.h"

#include <errno.h>

static void specs_say_what_is_to_be_planned(void **state)
{
    static const struct {
        const char *text, *canonical;
        struct divisible_choice choice;
    } rows[] = {
        {"single-round", "single-round", {.algorithm = DIVISIBLE_SINGLE_ROUND}},
        {"lp-fixed",
         "lp-fixed:tail=cut,period=2000",
         {.algorithm = DIVISIBLE_LP_FIXED, .period = 2000}},
        {"lp-fixed:period=0.5",
         "lp-fixed:tail=cut,period=0.5",
         {.algorithm = DIVISIBLE_LP_FIXED, .period = 0.5}},
        {"lp-sqrt:unit=1/1000",
         "lp-sqrt:tail=cut,unit=0.001",
         {.algorithm = DIVISIBLE_LP_SQRT, .unit = 0.001}},
        {"lp-adaptive:tail=share",
         "lp-adaptive:tail=share,unit=1",
         {.algorithm = DIVISIBLE_LP_ADAPTIVE,
          .tail = DIVISIBLE_TAIL_SHARE,
          .unit = 1}},
        {"multi-installment:installments=3",
         "multi-installment:installments=3",
         {.algorithm = DIVISIBLE_MULTI_INSTALLMENT, .installments = 3}},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct divisible_choice got;
        struct error err = {""};
        struct spec spec;
        if (divisible_parse(rows[i].text, &got, &spec, &err) != 0)
            fail_msg("%s: %s", rows[i].text, err.text);
        const struct divisible_choice *want = &rows[i].choice;
        assert_string_equal(spec.canonical, rows[i].canonical);
        assert_int_equal(got.algorithm, want->algorithm);
        assert_int_equal(got.tail, want->tail);
        assert_int_equal(got.installments, want->installments);
        assert_true(got.period == want->period && got.unit == want->unit);
        assert_true(divisible_named(rows[i].text));
        assert_true(divisible_named(spec.canonical));
    }
}

static void wrong_specs_are_errors(void **state)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"lp-adaptiv", "did you mean 'lp-adaptive'"},
        {"gss", "unknown plan 'gss', allowed: single-round"},
        {"single-round:tail=cut", "tail"},
        {"lp-sqrt:tail=long", "cut|share"},
        {"lp-fixed:period=0", "out of range"},
        {"multi-installment:installments=9", "out of range"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct divisible_choice got;
        struct error err = {""};
        struct spec spec;
        assert_int_equal(divisible_parse(rows[i].text, &got, &spec, &err),
                         -EINVAL);
        if (strstr(err.text, rows[i].says) == NULL)
            fail_msg("%s: %s", rows[i].text, err.text);
    }
    assert_false(divisible_named("gss"));
    assert_false(divisible_named("lp-fixedx"));
    assert_false(divisible_named(""));
}

/* T_p = unit sqrt(T / unit): the same plan when all times are a thousandth. */
static void a_unit_scales_the_period(void **state)
{
    static const double scale = 1e-3;
    uint64_t seed = testing_seed();
    for (int round = 0; round < 200; round++) {
        struct testing_case c;
        struct divisible_plan slow = {0}, fast = {0};
        testing_case_make(&c, testing_random(&seed), 8, TESTING_LATENCY);
        struct divisible_choice choice = {.algorithm = DIVISIBLE_LP_ADAPTIVE};
        assert_int_equal(divisible_make(&choice, &c.platform, 100, &slow, NULL),
                         0);
        for (int w = 0; w < c.platform.workers; w++) {
            c.worker[w].g *= scale;
            c.worker[w].G *= scale;
            c.worker[w].w *= scale;
        }
        choice.unit = scale;
        assert_int_equal(divisible_make(&choice, &c.platform, 100, &fast, NULL),
                         0);
        assert_true(fabs(fast.makespan / slow.makespan / scale - 1) < 1e-6);
        divisible_plan_free(&slow);
        divisible_plan_free(&fast);
    }
}

TESTS(cmocka_unit_test(specs_say_what_is_to_be_planned),
      cmocka_unit_test(wrong_specs_are_errors),
      cmocka_unit_test(a_unit_scales_the_period))
