/* Cells with plans and with sent input data: how they are resolved, what is
 * refused, and the plans themselves. */
#include "harness/cell/cell_testing.h"

#include "harness/repetition/planned.h"

#include <errno.h>

/* Two ranks over a kernel with input data, unless the cell says otherwise. */
#define PUSH(...)                                                              \
    WORDS("ranks=2", "kernel=matmul:tasks=10,min=4,max=4", __VA_ARGS__)

static void the_scheme_decides_the_protocol(void **state)
{
    struct cell plan = good(PUSH("scheme=lp-adaptive"));
    assert_string_equal(plan.protocol, "push");
    assert_string_equal(plan.data, "sent");
    assert_string_equal(plan.scheme, "lp-adaptive:tail=cut,unit=1");
    struct cell self = good(PUSH("scheme=gss"));
    assert_string_equal(self.protocol, "parallel");
    assert_string_equal(self.data, "none");
    struct cell bare = good(PUSH("scheme=single-round", "kernel=adjoint"));
    assert_string_equal(bare.protocol, "push");
    assert_string_equal(bare.data, "none");
}

static void what_is_sent_makes_another_cell(void **state)
{
    struct cell none = good(PUSH("scheme=gss"));
    struct cell sent = good(PUSH("scheme=gss", "data=sent"));
    assert_string_not_equal(none.hash, sent.hash);
    struct cell back;
    struct error err = {""};
    json_t *object = cell_to_json(&sent);
    if (cell_read(object, testing_texts(), &back, &err) != 0)
        fail_msg("%s", err.text);
    json_decref(object);
    assert_string_equal(back.hash, sent.hash);
    assert_string_equal(back.data, "sent");
}

static void what_does_not_go_together_is_skipped(void **state)
{
    bad(PUSH("scheme=gss", "protocol=push"), -ENOTSUP, "push is for plans");
    bad(PUSH("scheme=lp-sqrt", "protocol=parallel"), -ENOTSUP,
        "push is for plans");
    bad(PUSH("scheme=lp-sqrt", "kernel=heat"), -ENOTSUP,
        "its load cannot be divided by plan");
    bad(PUSH("scheme=lp-sqrt", "kernel=heat", "protocol=dmps"), -ENOTSUP,
        "its load cannot be divided by plan");
    bad(PUSH("scheme=gss", "kernel=heat", "protocol=push"), -ENOTSUP,
        "use dmps or subproblem");
    bad(PUSH("scheme=single-round", "layout=1x2"), -ENOTSUP,
        "two ranks or more have");
    bad(PUSH("scheme=single-round", "transport=window"), -ENOTSUP,
        "transport window has no master");
    bad(PUSH("scheme=single-round", "layout=2x2"), -ENOTSUP,
        "sends to ranks of one thread");
    bad(PUSH("scheme=single-round", "hierarchy=2"), -ENOTSUP, "use flat");
    bad(PUSH("scheme=single-round", "hierarchy=node"), -ENOTSUP, "use flat");
    bad(PUSH("scheme=single-round", "min_chunk=2"), -ENOTSUP, "min_chunk");
    bad(PUSH("scheme=single-round", "data=none"), -ENOTSUP,
        "the input data of kernel matmul are sent");
    bad(PUSH("scheme=multi-installment"), -ENOTSUP, "use prefetch off");
    good(PUSH("scheme=multi-installment", "prefetch=off"));
    bad(PUSH("scheme=gss", "data=sent", "kernel=mandelbrot"), -ENOTSUP,
        "kernel mandelbrot has no input data");
    bad(PUSH("scheme=gss", "data=sent", "layout=1x2"), -ENOTSUP,
        "data sent: transport shared has no master");
    bad(PUSH("scheme=gss", "data=sent", "hierarchy=2"), -ENOTSUP, "use flat");
}

static void wrong_words_are_errors(void **state)
{
    bad(PUSH("scheme=lp-adaptiv"), -EINVAL, "did you mean 'lp-adaptive'");
    bad(PUSH("scheme=gsss"), -EINVAL, "did you mean 'gss'");
    bad(PUSH("scheme=gss:x=1"), -EINVAL, "gss");
    bad(PUSH("scheme=lp-fixed:period=-1"), -EINVAL, "out of range");
    bad(PUSH("scheme=multi-installment:installments=0"), -EINVAL,
        "out of range");
}

static void a_plan_hands_out_every_iteration_once(void **state)
{
    static const char *const schemes[] = {"single-round", "lp-fixed:period=3",
                                          "lp-sqrt", "lp-adaptive",
                                          "lp-adaptive:unit=0.01"};
    static const struct divisible_worker worker[] = {
        {.w = 1}, {.g = 0.1, .G = 0.2, .w = 0.5}, {.g = 0.3, .G = 0.1, .w = 2}};
    const struct divisible_platform platform = {
        .workers = 3, .worker = worker, .overlap = true, .own = true};
    for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
        struct planned planned;
        struct error err = {""};
        int64_t next = 0;
        struct scheme scheme;
        assert_int_equal(scheme_parse(schemes[i], &scheme, &err), 0);
        if (planned_make(&planned, &scheme.plan, 100, &platform, &err) != 0)
            fail_msg("%s: %s", schemes[i], err.text);
        for (int64_t n = 0; n < planned.count; n++) {
            const struct chunk *c = &planned.list[n].chunk;
            assert_int_equal(c->start, next);
            assert_int_equal(c->step, n);
            assert_true(c->size > 0);
            assert_in_range(planned.list[n].worker, 0, 2);
            next += c->size;
        }
        assert_int_equal(next, 100);
        assert_true(planned.predicted_s > 100 / (1 + 2 + 0.5));
        planned_free(&planned);
    }
}

TESTS(cmocka_unit_test(the_scheme_decides_the_protocol),
      cmocka_unit_test(what_is_sent_makes_another_cell),
      cmocka_unit_test(what_does_not_go_together_is_skipped),
      cmocka_unit_test(wrong_words_are_errors),
      cmocka_unit_test(a_plan_hands_out_every_iteration_once))
