/* Looks for messages: costly ones are rare, and none is delayed for long. */
#include "harness/testing.h"

#include "harness/repetition/native/looks.h"

#include <math.h>

static const double tick_s = 0.5e-9;

static uint64_t ticks(double us)
{
    return (uint64_t)(us * 1e-6 / tick_s + 0.5);
}

/* The pause in us after a look that took so long. */
static double pause_of(double look_us)
{
    struct looks looks = {0};
    uint64_t begin = ticks(1000), end = begin + ticks(look_us);
    looks_pause(&looks, begin, end, tick_s);
    assert_true(looks_due(&looks, looks.next));
    assert_true(looks.next == end || !looks_due(&looks, looks.next - 1));
    return (double)(looks.next - end) * tick_s * 1e6;
}

static void the_first_look_is_at_once(void **unused)
{
    const struct looks looks = {0};
    assert_true(looks_due(&looks, 0));
}

static void cheap_looks_are_at_every_poll(void **unused)
{
    assert_true(pause_of(0) == 0);
    assert_true(pause_of(0.05) == 0);
    assert_true(pause_of(0.9) == 0);
}

static void dear_looks_are_all_timed(void **unused)
{
    struct looks looks = {0};
    assert_true(looks_timed(&looks));
    looks_pause(&looks, 0, ticks(0.1), tick_s);
    int timed = 0;
    for (int i = 0; i < 320; i++)
        timed += looks_timed(&looks);
    assert_int_equal(timed, 10);
    looks_pause(&looks, 0, ticks(3), tick_s);
    assert_true(looks_timed(&looks) && looks_timed(&looks));
}

static void dear_looks_take_a_tenth(void **unused)
{
    assert_true(fabs(pause_of(2) - 20) < 1e-3);
    assert_true(fabs(pause_of(9) - 90) < 1e-3);
}

static void a_lost_core_delays_nobody(void **unused)
{
    assert_true(fabs(pause_of(20) - 100) < 1e-3);
    assert_true(fabs(pause_of(1e6) - 100) < 1e-3);
}

TESTS(cmocka_unit_test(the_first_look_is_at_once),
      cmocka_unit_test(cheap_looks_are_at_every_poll),
      cmocka_unit_test(dear_looks_are_all_timed),
      cmocka_unit_test(dear_looks_take_a_tenth),
      cmocka_unit_test(a_lost_core_delays_nobody))
