/* An rma window in simulation: a step takes the way there, its turn at the
 * counter, and the way back. */
#include "harness/engine/sim/world_testing.h"

#include "harness/messages/source_rma.h"

#include <errno.h>

static const double REQUEST_S = 7e-6;

struct seen {
    struct window window[PLACES];
    struct comm comm[PLACES];
    double at[PLACES];
    int64_t step[PLACES];
    int asking; /* the first of the ranks that ask */
};

static void open_window(struct seen *seen)
{
    struct error err;
    world_here()->cost_s[ENGINE_REQUEST] = REQUEST_S;
    for (int i = 0; i < PLACES; i++) {
        seen->comm[i] = (struct comm){
            .all = MPI_COMM_WORLD, .rank = i, .ranks = PLACES, .lanes = 1};
        assert_int_equal(
            window_open(&seen->window[i], &seen->comm[i], false, 8, &err), 0);
    }
    window_set_counter(&seen->window[0], 40);
}

static void close_window(struct seen *seen)
{
    for (int i = PLACES; i-- > 0;)
        window_close(&seen->window[i]);
}

static void fetch(int place, void *arg)
{
    struct seen *seen = arg;
    double start = engine_now();
    if (place < seen->asking || place == 4)
        return;
    seen->step[place] = window_fetch_step(&seen->window[place]);
    seen->at[place] = engine_now() - start;
}

static void a_step_goes_there_and_back(void **unused)
{
    struct seen seen = {.asking = 3};
    open_window(&seen);
    for (int i = 0; i < 3; i++) {
        testing_together(fetch, &seen);
        assert_int_equal(seen.step[3], 40 + i);
        assert_seconds(seen.at[3], 2 * testing_way_s(8) + REQUEST_S);
    }
    close_window(&seen);
}

/* Rank 4's host charges messages: there and back keep it busy. */
static void fetch_at_4(int place, void *arg)
{
    struct seen *seen = arg;
    double start = engine_now();
    if (place == 4)
        seen->step[4] = window_fetch_step(&seen->window[4]);
    seen->at[place] = engine_now() - start;
}

static void what_messages_cost_the_caller_is_charged(void **unused)
{
    struct seen seen = {0};
    open_window(&seen);
    testing_together(fetch_at_4, &seen);
    assert_int_equal(seen.step[4], 40);
    assert_seconds(seen.at[4], 2 * testing_way_s(8) + REQUEST_S +
                                   (3e-6 + 8 * 2e-9) + (5e-6 + 8 * 1e-9));
    close_window(&seen);
}

/* Both words share the link: they arrive when both have passed. */
static void the_counter_takes_one_at_a_time(void **unused)
{
    struct seen seen = {.asking = 2};
    open_window(&seen);
    testing_together(fetch, &seen);
    double first = fmin(seen.at[2], seen.at[3]);
    double second = fmax(seen.at[2], seen.at[3]);
    assert_int_equal(seen.step[2] + seen.step[3], 40 + 41);
    assert_seconds(first,
                   LATENCY_S + 2 * 8 * BYTE_S + REQUEST_S + testing_way_s(8));
    assert_seconds(second - first, REQUEST_S);
    close_window(&seen);
}

static void shared_memory_needs_no_window(void **unused)
{
    struct window window;
    struct comm comm = {.ranks = 2};
    struct error err = {""};
    assert_int_equal(window_open(&window, &comm, true, 8, &err), -ENOTSUP);
    assert_non_null(strstr(err.text, "window=rma"));
}

static int run_all(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_goes_there_and_back),
        cmocka_unit_test(what_messages_cost_the_caller_is_charged),
        cmocka_unit_test(the_counter_takes_one_at_a_time),
        cmocka_unit_test(shared_memory_needs_no_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    return testing_simulate(argc, argv, run_all);
}
