#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernels/check.h"

static void every_kernel_has_the_required_hooks(void **unused)
{
    (void)unused;
    for (int i = 0; kernel_list[i] != NULL; i++) {
        const struct kernel_ops *k = kernel_list[i];
        assert_non_null(k->name);
        assert_non_null(k->summary);
        assert_non_null(k->citation);
        assert_non_null(k->params);
        assert_non_null(k->create);
        assert_non_null(k->destroy);
        assert_non_null(k->iterations);
        assert_non_null(k->output_bytes);
        assert_non_null(k->run);
        assert_true((k->reference != NULL) != (k->check_tally != NULL));
        assert_true(strlen(k->name) < SPEC_NAME_MAX);
        int keys = 0;
        while (k->params[keys].key != NULL)
            assert_non_null(k->params[keys++].help);
        assert_true(keys <= SPEC_VALUES_MAX);
    }
}

static void loops_with_dependences_have_theirs(void **unused)
{
    (void)unused;
    for (int i = 0; kernel_list[i] != NULL; i++) {
        const struct kernel_dependence *d = kernel_list[i]->dependence;
        if (d == NULL)
            continue;
        assert_non_null(kernel_list[i]->reference);
        assert_non_null(d->grid);
        assert_non_null(d->begin);
        assert_non_null(d->run_block);
        assert_non_null(d->boundary);
    }
}

static void loops_with_steps_have_theirs(void **unused)
{
    (void)unused;
    for (int i = 0; kernel_list[i] != NULL; i++) {
        const struct kernel_steps *s = kernel_list[i]->steps;
        if (s == NULL)
            continue;
        assert_null(kernel_list[i]->dependence);
        assert_null(kernel_list[i]->input);
        assert_non_null(kernel_list[i]->reference);
        assert_true(s->count && s->state_bytes && s->begin);
        assert_true(s->run && s->advance && s->advance_operations);
    }
}

static void names_are_unique(void **unused)
{
    (void)unused;
    for (int i = 0; kernel_list[i] != NULL; i++)
        for (int j = 0; j < i; j++)
            assert_string_not_equal(kernel_list[i]->name, kernel_list[j]->name);
}

static void wrong_names_and_keys_are_refused(void **unused)
{
    (void)unused;
    check_refused("mandelbort:size=3", EINVAL, "did you mean 'mandelbrot'?");
    check_refused("xyz", EINVAL, "'dlsbench list kernels' lists");
    check_refused("", EINVAL, "the name is missing");
    check_refused("null:sise=3", EINVAL, "did you mean 'size'?");
    check_refused("null:size=0", EINVAL, "out of range");
    check_refused("adjoint:size=1.5", EINVAL, "whole number");
    check_refused("mandelbrot:axis=x", EINVAL, "re|im");
}

static void a_spec_is_written_with_its_defaults(void **unused)
{
    (void)unused;
    const struct kernel_ops *ops;
    struct spec spec;
    assert_int_equal(kernel_parse("mandelbrot", &ops, &spec, NULL), 0);
    assert_string_equal(ops->name, "mandelbrot");
    assert_string_equal(spec.canonical,
                        "mandelbrot:size=2048,maxiter=1000,axis=re,xmin=-2,"
                        "xmax=2,ymin=-2,ymax=2,escape=2");
}

/* Sizes that do not fit are an error before anything is allocated. */
static void what_does_not_fit_is_refused(void **unused)
{
    (void)unused;
    check_refused("adjoint:size=1048576", ENOMEM, "available are");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_has_the_required_hooks),
        cmocka_unit_test(loops_with_dependences_have_theirs),
        cmocka_unit_test(loops_with_steps_have_theirs),
        cmocka_unit_test(names_are_unique),
        cmocka_unit_test(wrong_names_and_keys_are_refused),
        cmocka_unit_test(a_spec_is_written_with_its_defaults),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
