/* Schemes of programs that were compiled with another version of the library:
 * they know fewer fields, or more. */
#include "base/unit_testing.h"

#include "dls/dls.h"

#include <errno.h>
#include <string.h>

static int init(void *state, const dls_shape *shape, const double *value)
{
    (void)state, (void)shape, (void)value;
    return 0;
}

static int64_t next(void *state, int worker, int64_t remaining)
{
    (void)state, (void)worker;
    return remaining / 2;
}

/* Memory of this size alone, for the sanitizer. */
static int add_of_size(dls_context *context, const char *name, size_t size,
                       char tail)
{
    const dls_scheme scheme = {
        .size = size, .name = name, .init = init, .next = next};
    char *memory = test_calloc(1, size);
    memcpy(memory, &scheme, size < sizeof(scheme) ? size : sizeof(scheme));
    if (size > sizeof(scheme))
        memory[size - 1] = tail;
    int code = dls_context_add(context, (const dls_scheme *)(void *)memory);
    test_free(memory);
    return code;
}

static void own_schemes_of_other_versions(void **state)
{
    const size_t whole = sizeof(dls_scheme);
    const size_t first = offsetof(dls_scheme, feedback);
    dls_context *context;
    int64_t begin, end;
    dls_loop *loop;
    assert_int_equal(dls_context_open(&context), 0);
    assert_int_equal(add_of_size(context, "earlier", first, 0), 0);
    assert_int_equal(add_of_size(context, "later", whole + 16, 0), 0);
    assert_int_equal(add_of_size(context, "new", whole + 16, 1), -EINVAL);
    assert_int_equal(add_of_size(context, "cut", first - 1, 0), -EINVAL);
    const dls_options options = {.size = sizeof(options), .context = context};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(
            dls_open(&loop, i == 0 ? "earlier" : "later", 100, 1, &options), 0);
        assert_int_equal(dls_next(loop, 0, &begin, &end), 1);
        assert_true(begin == 0 && end == 50);
        assert_int_equal(dls_close(loop, NULL), -EBUSY);
    }
    dls_context_close(context);
}

static int64_t no_number(void *state, int worker, int64_t remaining)
{
    (void)state, (void)worker, (void)remaining;
    return INT64_MIN;
}

static int inits; /* a scheme's functions know no other place */

static int count_init(void *state, const dls_shape *shape, const double *value)
{
    (void)state, (void)shape, (void)value;
    inits++;
    return 0;
}

/* A size from 0/0 is raised like any other invalid size. */
static void sizes_are_raised_and_init_is_called_once(void **state)
{
    const dls_scheme scheme = {.size = sizeof(scheme),
                               .name = "nan",
                               .state_size = 8,
                               .init = count_init,
                               .next = no_number};
    dls_context *context;
    dls_loop *loop;
    int64_t begin, end;
    assert_int_equal(dls_context_open(&context), 0);
    assert_int_equal(dls_context_add(context, &scheme), 0);
    const dls_options options = {.size = sizeof(options), .context = context};
    assert_int_equal(dls_open(&loop, "nan", 3, 1, &options), 0);
    assert_int_equal(inits, 1);
    for (int64_t i = 0; i < 3; i++) {
        assert_int_equal(dls_next(loop, 0, &begin, &end), 1);
        assert_true(begin == i && end == i + 1);
    }
    assert_int_equal(dls_next(loop, 0, &begin, &end), 0);
    assert_int_equal(dls_close(loop, NULL), 0);
    dls_context_close(context);
}

/* Names that no schedule could have, and a state that no memory holds. */
static void schemes_that_could_not_be_opened_are_refused(void **state)
{
    static const char *const names[] = {"a/b", "a:b", "a b", "*",
                                        "@x",  "#",   ""};
    dls_scheme scheme = {.size = sizeof(scheme), .init = init, .next = next};
    dls_context *context;
    assert_int_equal(dls_context_open(&context), 0);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        scheme.name = names[i];
        assert_int_equal(dls_context_add(context, &scheme), -EINVAL);
    }
    scheme.name = "huge";
    scheme.state_size = SIZE_MAX - 3;
    assert_int_equal(dls_context_add(context, &scheme), -EINVAL);
    scheme.name = "fss";
    scheme.state_size = 0;
    assert_int_equal(dls_context_add(context, &scheme), -EEXIST);
    dls_context_close(context);
}

TESTS(cmocka_unit_test(own_schemes_of_other_versions),
      cmocka_unit_test(sizes_are_raised_and_init_is_called_once),
      cmocka_unit_test(schemes_that_could_not_be_opened_are_refused))
