/* Links in simulation: a boundary is available exactly when its way, or its
 * hand-over between threads, is over. */
#include "harness/engine/sim/world_testing.h"

#include "harness/protocol/pipeline/sim/links_join.h"

enum { COLUMNS = 100, COLUMN_BYTES = 8, NOTE = 16 };
static const double HANDOVER_S = 3e-6, HANDOVER_BYTE_S = 5e-9;

/* One edge between two places. */
struct seen {
    struct links all, own[PLACES];
    struct comm comm[PLACES];
    int64_t edge;
    size_t column_bytes;
    int above, below;         /* where the predecessor and the successor are */
    double above_s, below_s;  /* when they register */
    double first_s, second_s; /* when half the row is complete, and all */
    double half_s, whole_s;   /* when the successor has it */
    int steps;                /* 1: nothing goes up */
    double up_s;              /* when the predecessor has the row below */
};

static void open_links(struct seen *seen, int lanes, int home)
{
    struct error err;
    double *cost = world_here()->cost_s;
    size_t bytes = seen->column_bytes > 0 ? seen->column_bytes : COLUMN_BYTES;
    cost[ENGINE_HANDOVER] = HANDOVER_S;
    cost[ENGINE_HANDOVER_BYTE] = HANDOVER_BYTE_S;
    for (int i = 0; i < PLACES; i++)
        seen->comm[i] = (struct comm){.all = MPI_COMM_WORLD,
                                      .rank = i / lanes,
                                      .ranks = PLACES / lanes,
                                      .lanes = lanes};
    assert_int_equal(links_open(&seen->all, &seen->comm[0], 100, COLUMNS, bytes,
                                seen->steps, &err),
                     0);
    for (int i = 0; i < PLACES; i++)
        links_join(&seen->own[i], &seen->all, &seen->comm[i]);
    for (seen->edge = 1; links_home(&seen->all, seen->edge) != home;)
        seen->edge++;
}

static void close_links(struct seen *seen)
{
    for (int i = 0; i < PLACES; i++)
        links_part(&seen->own[i]);
    links_close(&seen->all);
}

static void sleep_until(double start, double seconds)
{
    engine_sleep(start + seconds - engine_now());
}

static void be_above(struct seen *seen)
{
    struct links *links = &seen->own[seen->above];
    double start = engine_now();
    sleep_until(start, seen->above_s);
    links_register(links, seen->edge, LINK_PREDECESSOR);
    sleep_until(start, seen->first_s);
    links_advance(links, seen->edge, LINK_DOWN, COLUMNS / 2, NULL);
    sleep_until(start, seen->second_s);
    links_advance(links, seen->edge, LINK_DOWN, COLUMNS, NULL);
    if (seen->steps == 1)
        return;
    links_wait(links, seen->edge, LINK_UP, COLUMNS, NULL);
    seen->up_s = engine_now() - start;
    links_advance(links, seen->edge, LINK_DOWN, 2 * COLUMNS, NULL);
}

static void be_below(struct seen *seen)
{
    struct links *links = &seen->own[seen->below];
    double start = engine_now();
    sleep_until(start, seen->below_s);
    links_register(links, seen->edge, LINK_SUCCESSOR);
    links_wait(links, seen->edge, LINK_DOWN, COLUMNS / 2, NULL);
    seen->half_s = engine_now() - start;
    links_wait(links, seen->edge, LINK_DOWN, COLUMNS, NULL);
    seen->whole_s = engine_now() - start;
    if (seen->steps == 1)
        return;
    sleep_until(start, 10e-3);
    links_advance(links, seen->edge, LINK_UP, COLUMNS, NULL);
    links_wait(links, seen->edge, LINK_DOWN, 2 * COLUMNS, NULL);
}

static void pass_boundary(int place, void *arg)
{
    struct seen *seen = arg;
    if (place == seen->above)
        be_above(seen);
    if (place == seen->below && seen->below != seen->above)
        be_below(seen);
    links_finish(&seen->own[place], NULL);
}

static int64_t sent(const struct seen *seen, bool bytes)
{
    int64_t sum = 0;
    for (int i = 0; i < PLACES; i++)
        sum += bytes ? seen->own[i].bytes : seen->own[i].messages;
    return sum;
}

/* ---- threads of a rank ---- */

static void threads_hand_over(void **unused)
{
    (void)unused;
    struct seen seen = {
        .above = 0, .below = 1, .first_s = 1e-3, .second_s = 2e-3, .steps = 2};
    double half = COLUMNS / 2 * COLUMN_BYTES;
    open_links(&seen, 2, 0);
    testing_together(pass_boundary, &seen);
    assert_seconds(seen.half_s, 1e-3 + HANDOVER_S + half * HANDOVER_BYTE_S);
    assert_seconds(seen.whole_s, 2e-3 + HANDOVER_S + half * HANDOVER_BYTE_S);
    assert_seconds(seen.up_s, 10e-3 + HANDOVER_S + 2 * half * HANDOVER_BYTE_S);
    assert_int_equal(sent(&seen, false), 0);
    close_links(&seen);
}

static void keep_for_oneself(int place, void *arg)
{
    struct seen *seen = arg;
    struct links *links = &seen->own[0];
    if (place != 0)
        return;
    double start = engine_now();
    links_register(links, seen->edge, LINK_PREDECESSOR);
    links_advance(links, seen->edge, LINK_DOWN, COLUMNS, NULL);
    links_register(links, seen->edge, LINK_SUCCESSOR);
    links_wait(links, seen->edge, LINK_DOWN, COLUMNS, NULL);
    seen->whole_s = engine_now() - start;
}

static void what_a_worker_leaves_itself_costs_nothing(void **unused)
{
    (void)unused;
    struct seen seen = {.steps = 1};
    open_links(&seen, 2, 0);
    testing_together(keep_for_oneself, &seen);
    assert_seconds(seen.whole_s, 0);
    close_links(&seen);
}

/* ---- ranks ---- */

/* The successor waits before there is a predecessor: every piece is a message
 * from when it is complete. */
static void pieces_are_messages(void **unused)
{
    (void)unused;
    for (int home = 0; home <= 2; home += 2) {
        struct seen seen = {.above = 0,
                            .below = 2,
                            .above_s = 1e-3,
                            .first_s = 2e-3,
                            .second_s = 3e-3,
                            .steps = 2};
        double half = COLUMNS / 2 * COLUMN_BYTES;
        open_links(&seen, 1, home);
        testing_together(pass_boundary, &seen);
        assert_seconds(seen.half_s, 2e-3 + testing_message_s(half));
        assert_seconds(seen.whole_s, 3e-3 + testing_message_s(half));
        assert_seconds(seen.up_s, 10e-3 + testing_message_s(2 * half));
        /* Four pieces; a note to the home, and one back. */
        assert_int_equal(sent(&seen, false), 4 + 2);
        assert_int_equal(sent(&seen, true), (int)(6 * half) + 2 * NOTE);
        close_links(&seen);
    }
}

/* As long as it is not known who needs it, a boundary is kept; then notes go to
 * the home and on to the predecessor, and all comes back. */
static double notes_s(int home)
{
    double cost[] = {testing_way_s(NOTE), 2 * testing_way_s(NOTE) +
                                              (5e-6 + NOTE * 1e-9) +
                                              (3e-6 + NOTE * 2e-9)};
    return cost[home == 4];
}

static void what_was_kept_comes_when_it_is_asked_for(void **unused)
{
    (void)unused;
    for (int home = 0; home <= 4; home += 2) {
        struct seen seen = {.above = 0,
                            .below = 2,
                            .first_s = 1e-3,
                            .second_s = 4e-3,
                            .below_s = 2e-3,
                            .steps = 1};
        double half = COLUMNS / 2 * COLUMN_BYTES;
        open_links(&seen, 1, home);
        testing_together(pass_boundary, &seen);
        assert_seconds(seen.half_s, 2e-3 + notes_s(home) + testing_way_s(half));
        assert_seconds(seen.whole_s, 4e-3 + testing_message_s(half));
        close_links(&seen);
    }
}

/* Long enough for its sender to wait for the receiver. */
static void a_long_piece_takes_its_time(void **unused)
{
    (void)unused;
    struct seen seen = {.above = 0,
                        .below = 2,
                        .above_s = 1e-3,
                        .first_s = 2e-3,
                        .second_s = 8e-3,
                        .column_bytes = 10000,
                        .steps = 1};
    open_links(&seen, 1, 0);
    testing_together(pass_boundary, &seen);
    assert_seconds(seen.half_s, 2e-3 + testing_message_s(500000));
    assert_seconds(seen.whole_s, 8e-3 + testing_message_s(500000));
    close_links(&seen);
}

/* A reset forgets who was where. */
static void a_reset_edge_is_as_new(void **unused)
{
    (void)unused;
    struct seen seen = {
        .above = 0, .below = 2, .first_s = 1e-3, .second_s = 2e-3, .steps = 2};
    double up_s[2];
    open_links(&seen, 1, 0);
    for (int i = 0; i < 2; i++) {
        links_reset(&seen.all);
        seen.up_s = 0;
        testing_together(pass_boundary, &seen);
        up_s[i] = seen.up_s;
    }
    assert_seconds(up_s[1], up_s[0]);
    close_links(&seen);
}

static int run_all(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_hand_over),
        cmocka_unit_test(what_a_worker_leaves_itself_costs_nothing),
        cmocka_unit_test(pieces_are_messages),
        cmocka_unit_test(what_was_kept_comes_when_it_is_asked_for),
        cmocka_unit_test(a_long_piece_takes_its_time),
        cmocka_unit_test(a_reset_edge_is_as_new),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    return testing_simulate(argc, argv, run_all);
}
