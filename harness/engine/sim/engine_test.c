/* The simulated engine and its world: every charge, wait and way takes exactly
 * the time that its formula says. */
#include "harness/engine/sim/world_testing.h"

/* The observations of each rank, and the data that they share. */
struct seen {
    double at[PLACES];
    int order[PLACES], begun; /* places, as they began */
    struct engine_progress progress;
    struct engine_event event;
    struct engine_lock lock;
    bool ready;
    int inside, most_inside;
};

/* ---- one rank alone ---- */

static void a_charge_takes_its_cost(void **unused)
{
    double *cost = world_here()->cost_s, start = engine_now();
    cost[ENGINE_REQUEST] = 3e-6;
    cost[ENGINE_COUNT] = 0;
    engine_charge(ENGINE_REQUEST);
    assert_seconds(engine_now() - start, 3e-6);
    engine_charge_times(ENGINE_REQUEST, 2.5);
    assert_seconds(engine_now() - start, 10.5e-6);
    engine_charge(ENGINE_COUNT);
    engine_charge_times(ENGINE_REQUEST, 0);
    assert_seconds(engine_now() - start, 10.5e-6);
}

static void a_tick_is_a_picosecond(void **unused)
{
    uint64_t start = engine_ticks();
    assert_true(engine_simulated);
    assert_true(engine_tick_since(engine_moment()) == 1e-12);
    assert_true(engine_measure_clock() == 0);
    engine_sleep(0.25);
    engine_sleep(0);
    engine_sleep(-1);
    assert_true(llabs((int64_t)(engine_ticks() - start) - 250000000000) <= 1);
}

/* A rank that serves others looks every 20 us, or 50,000 times. */
static void naps_cost_few_looks(void **unused)
{
    assert_true(engine_nap(3, false) == 3);
    assert_true(engine_nap(1, true) == 20e-6);
    assert_true(engine_nap(1e-6, true) == 1e-6);
    assert_seconds(engine_nap(5, true), 1e-4);
}

/* Without an event: 20 ns, and twice as long each time, ten times. */
static void who_looks_waits_longer_each_time(void **unused)
{
    struct engine_idle idle = {0};
    for (int i = 1; i <= 14; i++) {
        double start = engine_now();
        engine_idle(&idle, NULL, NULL);
        assert_seconds(engine_now() - start,
                       20e-9 * (double)(1 << (i < 10 ? i : 10)));
    }
}

static int use_stack(void *arg)
{
    volatile char room[1 << 20];
    memset((char *)room, *(char *)arg, sizeof(room));
    return room[sizeof(room) - 1];
}

static void a_stack_of_ones_own_has_room(void **unused)
{
    char byte = 7;
    assert_int_equal(world_on_stack(1 << 21, use_stack, &byte), 7);
}

/* ---- several ranks ---- */

static void compute_together(int place, void *arg)
{
    struct seen *seen = arg;
    double start = engine_now();
    world_compute(1e6 * (place + 1));
    seen->at[place] = engine_now() - start;
}

static void cores_do_not_share(void **unused)
{
    struct seen seen = {0};
    testing_together(compute_together, &seen);
    for (int i = 0; i < PLACES; i++)
        assert_seconds(seen.at[i], 1e6 * (i + 1) / FLOPS);
}

/* Rank 0 publishes 1 to 3, a millisecond after each other. */
static void publish_or_wait(int place, void *arg)
{
    struct seen *seen = arg;
    double start = engine_now();
    for (int i = 1; place == 0 && i <= 3; i++) {
        engine_sleep(1e-3);
        engine_publish(&seen->progress, i);
    }
    struct engine_idle idle = {0};
    while (engine_reached(&seen->progress) < place - 1)
        engine_idle(&idle, NULL, &seen->progress.moved);
    if (place > 0)
        seen->at[place] = engine_now() - start;
}

static void who_waits_wakes_when_it_is_there(void **unused)
{
    struct seen seen = {0};
    testing_together(publish_or_wait, &seen);
    for (int i = 1; i < PLACES; i++)
        assert_seconds(seen.at[i], 1e-3 * (i - 1));
    assert_int_equal(seen.progress.moved.sleepers, 0);
}

static bool is_ready(void *arg)
{
    return ((struct seen *)arg)->ready;
}

/* The event is woken before and after what is waited for becomes true; one
 * wake-up comes between a rank's looks. */
static void wake_or_wait(int place, void *arg)
{
    struct seen *seen = arg;
    double start = engine_now();
    for (int i = 0; place == 0 && i < 4; i++) {
        engine_sleep(1e-3);
        seen->ready = i == 3;
        engine_wake(&seen->event);
    }
    if (place > 0 && place < 4)
        engine_wait(NULL, &seen->event, is_ready, seen);
    if (place == 4) {
        struct engine_idle idle = {.seen = 0};
        engine_sleep(1.5e-3); /* and the first wake-up is missed */
        engine_idle(&idle, NULL, &seen->event);
    }
    seen->at[place] = engine_now() - start;
}

static void no_wake_up_is_lost(void **unused)
{
    struct seen seen = {0};
    testing_together(wake_or_wait, &seen);
    for (int i = 1; i < 4; i++)
        assert_seconds(seen.at[i], 4e-3);
    assert_seconds(seen.at[4], 1.5e-3);
}

static void hold_lock(int place, void *arg)
{
    struct seen *seen = arg;
    double start = engine_now();
    engine_lock(&seen->lock);
    seen->inside++;
    if (seen->inside > seen->most_inside)
        seen->most_inside = seen->inside;
    engine_sleep(1e-6);
    seen->inside--;
    engine_unlock(&seen->lock);
    seen->at[place] = engine_now() - start;
}

/* One after the other; a rank that finds it held looks every 20 ns. */
static void a_lock_lets_one_in_at_a_time(void **unused)
{
    struct seen seen = {0};
    double last = 0;
    testing_together(hold_lock, &seen);
    for (int i = 0; i < PLACES; i++)
        last = fmax(last, seen.at[i]);
    assert_int_equal(seen.most_inside, 1);
    assert_true(last >= PLACES * 1e-6 - 1e-12);
    assert_true(last <= PLACES * (1e-6 + 20e-9));
    assert_true(engine_trylock(&seen.lock));
    assert_false(engine_trylock(&seen.lock));
    engine_unlock(&seen.lock);
}

static void meet(int place, void *arg)
{
    struct seen *seen = arg;
    double start = engine_now();
    engine_sleep(1e-3 * place);
    engine_team_barrier(world_here()->team, NULL);
    seen->at[place] = engine_now() - start;
}

static void begin_and_leave(int place, void *arg)
{
    struct seen *seen = arg;
    seen->order[seen->begun++] = place;
    engine_sleep(1e-3 * (PLACES - place));
}

/* The last rank to leave does not start last the next time. */
static void all_begin_in_the_same_order(void **unused)
{
    struct seen first = {0}, second = {0};
    testing_together(begin_and_leave, &first);
    testing_together(begin_and_leave, &second);
    assert_int_equal(first.begun, PLACES);
    assert_memory_equal(first.order, second.order, sizeof(first.order));
    assert_true(first.order[0] < first.order[1]);
}

static void a_barrier_waits_for_the_last(void **unused)
{
    struct seen seen = {0};
    testing_together(meet, &seen);
    for (int i = 0; i < PLACES; i++)
        assert_seconds(seen.at[i], 1e-3 * (PLACES - 1));
}

/* ---- ways ---- */

static void hosts_say_what_messages_cost(void **unused)
{
    const struct world_place *place = world_here()->place;
    assert_ptr_equal(place[0].host, place[1].host);
    assert_ptr_equal(place[2].host, place[3].host);
    assert_ptr_not_equal(place[0].host, place[2].host);
    assert_true(place[0].cores == 2 && place[4].cores == 1);
    assert_true(place[4].speed == FLOPS);
    assert_true(place[0].send_s[0] == 0 && place[0].receive_s[1] == 0);
    assert_true(place[4].send_s[0] == 3e-6 && place[4].send_s[1] == 2e-9);
    assert_true(place[4].receive_s[0] == 5e-6 && place[4].receive_s[1] == 1e-9);
    assert_false(world_charges_receivers()); /* by place 0 */
}

static void bytes_are_carried_in_their_time(void **unused)
{
    double start = engine_now(), latency, bandwidth;
    world_carry(0, 2, 5000);
    assert_seconds(engine_now() - start, testing_way_s(5000));
    start = engine_now();
    world_carry(2, 4, 1000); /* whoever the two are; and the receiver pays */
    assert_seconds(engine_now() - start, testing_way_s(1000) + 5e-6 + 1000e-9);
    start = engine_now();
    world_carry(4, 2, 1000);
    assert_seconds(engine_now() - start, testing_way_s(1000) + 3e-6 + 2000e-9);
    const struct world_place *place = world_here()->place;
    world_route(&place[0], &place[2], &latency, &bandwidth);
    assert_seconds(latency, LATENCY_S);
    assert_seconds(1 / bandwidth, BYTE_S);
}

/* Rank 4 pays for what it sends and for what comes back, the other not. */
static void reach_and_answer(int place, void *arg)
{
    struct seen *seen = arg;
    double start = engine_now();
    if (place == 4)
        world_reach(2, 8);
    else if (place == 3)
        world_reach(4, 8);
    seen->at[place] = engine_now() - start;
    engine_team_barrier(world_here()->team, NULL);
    start = engine_now();
    if (place == 4)
        world_answer(2, 8);
    if (place == 4)
        seen->at[0] = engine_now() - start;
}

static void remote_memory_keeps_the_caller_busy(void **unused)
{
    struct seen seen = {0};
    testing_together(reach_and_answer, &seen);
    assert_seconds(seen.at[4], testing_way_s(8) + 3e-6 + 16e-9);
    assert_seconds(seen.at[3], testing_way_s(8));
    assert_seconds(seen.at[0], testing_way_s(8) + 5e-6 + 8e-9);
}

static void links_get_worse_and_well_again(void **unused)
{
    double *before = world_scale_links(10, 0.5), start = engine_now();
    assert_non_null(before);
    world_carry(0, 2, 5000);
    assert_seconds(engine_now() - start, 10 * LATENCY_S + 5000 * BYTE_S / 0.5);
    world_restore_links(before);
    start = engine_now();
    world_carry(0, 2, 5000);
    assert_seconds(engine_now() - start, testing_way_s(5000));
}

static int run_all(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_charge_takes_its_cost),
        cmocka_unit_test(a_tick_is_a_picosecond),
        cmocka_unit_test(naps_cost_few_looks),
        cmocka_unit_test(who_looks_waits_longer_each_time),
        cmocka_unit_test(a_stack_of_ones_own_has_room),
        cmocka_unit_test(cores_do_not_share),
        cmocka_unit_test(who_waits_wakes_when_it_is_there),
        cmocka_unit_test(no_wake_up_is_lost),
        cmocka_unit_test(a_lock_lets_one_in_at_a_time),
        cmocka_unit_test(all_begin_in_the_same_order),
        cmocka_unit_test(a_barrier_waits_for_the_last),
        cmocka_unit_test(hosts_say_what_messages_cost),
        cmocka_unit_test(bytes_are_carried_in_their_time),
        cmocka_unit_test(remote_memory_keeps_the_caller_busy),
        cmocka_unit_test(links_get_worse_and_well_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    return testing_simulate(argc, argv, run_all);
}
