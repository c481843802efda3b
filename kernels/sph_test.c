#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernels/check_steps.h"

static void run_has_the_bits_of_the_reference(void **unused)
{
    (void)unused;
    uint64_t seed = check_seed();
    check_bits("sph:size=2,steps=1", seed);
    check_bits("sph:size=3,steps=1", seed);
    check_bits("sph:size=9,steps=1,seed=3", seed);
}

static void steps_have_the_bits_of_the_reference(void **unused)
{
    (void)unused;
    uint64_t seed = check_seed();
    check_steps("sph:size=4,steps=2", seed);
    check_steps("sph:size=8,steps=30,seed=5", seed);
}

/* The sum over all particles of the pairs examined in a step. */
static double pairs(const struct check_kernel *k, const void *state)
{
    double sum = 0;
    for (int64_t i = 0; i < k->iterations; i++)
        sum += k->ops->steps->operations(k->instance, state, i);
    return sum;
}

/* In step 0 the model of the loop is that of the step; at the end of the usual
 * steps there are several times as many pairs. */
static void costs_drift(void **unused)
{
    (void)unused;
    struct check_kernel k = check_make("sph:size=12");
    const struct kernel_steps *steps = k.ops->steps;
    char *state = check_memory(steps->state_bytes(k.instance));
    char *out = check_memory((size_t)k.iterations * k.bytes);
    double first = 0;
    steps->begin(k.instance, state);
    for (int64_t i = 0; i < k.iterations; i++)
        first += k.ops->cost->operations(k.instance, i);
    assert_true(first == pairs(&k, state));
    for (int step = 1; step < steps->count(k.instance); step++) {
        steps->run(k.instance, state, 0, k.iterations, out, NULL);
        steps->advance(k.instance, state, out);
    }
    print_message("pairs: %g, then %g\n", first, pairs(&k, state));
    assert_true(pairs(&k, state) > 2 * first);
    free(state);
    free(out);
    check_free(&k);
}

static void many_particles_poll(void **unused)
{
    (void)unused;
    struct check_kernel k = check_make("sph:size=16");
    char *out = check_memory((size_t)k.iterations * k.bytes);
    int64_t polls = 0;
    const struct kernel_poll poll = {check_count_poll, &polls};
    k.ops->run(k.instance, NULL, 0, k.iterations, out, &poll);
    assert_true(polls > 50);
    free(out);
    check_free(&k);
}

static void bad_specs_are_refused(void **unused)
{
    (void)unused;
    check_refused("sph:size=1", EINVAL, "out of range");
    check_refused("sph:steps=0", EINVAL, "out of range");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_has_the_bits_of_the_reference),
        cmocka_unit_test(steps_have_the_bits_of_the_reference),
        cmocka_unit_test(costs_drift),
        cmocka_unit_test(many_particles_poll),
        cmocka_unit_test(bad_specs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
