/* A core that is shared in slices of 4 ms: when a worker has it, to the last
 * digit of times counted by hand. */
#include "harness/engine/sim/world_testing.h"

#include "harness/repetition/sim/time_slices.h"

static const double TICK_S = 4e-3;

/* Every loop starts where 1 ms is left of the worker's slice. */
static struct slices open_slices(int others)
{
    struct calibration_slices measured = {.run = TICK_S, .gap = TICK_S};
    struct slices slices;
    for (int i = 0; i < CALIBRATION_STARTS; i++)
        measured.start[i] = 1e-3;
    slices_open(&slices, &measured, others, 0);
    return slices;
}

static double compute(struct slices *slices, double seconds)
{
    double start = engine_now();
    slices_compute(slices, seconds * FLOPS, FLOPS);
    return engine_now() - start;
}

static void a_core_alone_is_not_shared(void **unused)
{
    struct slices slices = open_slices(0);
    assert_true(slices.tick_s == 0);
    slices_open(&slices, NULL, 3, 0);
    assert_true(slices.tick_s == 0);
}

/* 1 + 4 + 4 + 1 ms, and 4 ms of the other before each but the first. */
static void slices_alternate(void **unused)
{
    struct slices slices = open_slices(1);
    assert_seconds(compute(&slices, 10e-3), 22e-3);
}

static void work_in_pieces_takes_as_long(void **unused)
{
    struct slices slices = open_slices(1);
    double sum = 0;
    for (int i = 0; i < 40; i++)
        sum += compute(&slices, 0.25e-3);
    assert_seconds(sum, 22e-3);
}

/* It is behind by 2 ms and polls for one of them; then the other process got
 * the core, and 3 ms are left until the tick. */
static void who_has_slept_has_the_core_at_once(void **unused)
{
    struct slices slices = open_slices(1);
    compute(&slices, 10e-3);
    engine_sleep(0.1);
    assert_seconds(compute(&slices, 5e-3), 9e-3);
}

/* It comes back half a millisecond before a tick and is still behind. */
static void who_is_behind_keeps_the_core(void **unused)
{
    struct slices slices = open_slices(1);
    assert_seconds(compute(&slices, 2e-3), 6e-3);
    engine_sleep(2.5e-3);
    assert_seconds(compute(&slices, 4e-3), 4e-3);
}

static void more_others_have_more(void **unused)
{
    for (int others = 1; others <= 3; others++) {
        struct slices slices = open_slices(others);
        double took_s = compute(&slices, 1.2);
        assert_true(fabs(took_s - (1 + others) * 1.2) <= (1 + others) * TICK_S);
    }
}

static int run_all(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_core_alone_is_not_shared),
        cmocka_unit_test(slices_alternate),
        cmocka_unit_test(work_in_pieces_takes_as_long),
        cmocka_unit_test(who_has_slept_has_the_core_at_once),
        cmocka_unit_test(who_is_behind_keeps_the_core),
        cmocka_unit_test(more_others_have_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    return testing_simulate(argc, argv, run_all);
}
