/* Rows that move in simulation: a question to each owner and the rows back. */
#include "harness/engine/sim/world_testing.h"

#include "harness/protocol/pipeline/migrate.h"

enum { ROWS = 30, ROW_BYTES = 4000, QUESTION = 64, RANGES = 3 };

struct seen {
    struct comm comm;
    struct migrate migrate;
    int64_t start, size;
    int bringing;
    double took_s, announced_s[PLACES];
};

/* The first rank holds rows 0 to 9, the rank of place 2 rows 10 to 19, and the
 * rank of place 4 the rest. */
static void open_migrate(struct seen *seen, int lanes)
{
    struct error err;
    seen->comm = (struct comm){.all = MPI_COMM_WORLD,
                               .ranks = (PLACES + lanes - 1) / lanes,
                               .lanes = lanes};
    assert_int_equal(migrate_open(&seen->migrate, &seen->comm, NULL, ROWS,
                                  ROW_BYTES, NULL, 0, NULL, 0, &err),
                     0);
    seen->migrate.owners = RANGES;
    for (int i = 0; i < RANGES; i++)
        seen->migrate.owner[i] =
            (struct migrate_rows){10 * i, 10, 2 * i / lanes};
}

static void bring(int place, void *arg)
{
    struct seen *seen = arg;
    double start = engine_now();
    if (place != seen->bringing)
        return;
    migrate_bring(&seen->migrate, NULL, NULL, 1, seen->start, seen->size);
    seen->took_s = engine_now() - start;
}

static double rows_s(int rows)
{
    return testing_way_s(QUESTION) + testing_way_s(rows * ROW_BYTES);
}

static void check_brought(const struct seen *seen, int messages, int rows)
{
    assert_int_equal(seen->migrate.messages, messages);
    assert_int_equal(seen->migrate.moved_bytes, rows * ROW_BYTES);
}

/* Its rows and the one below. */
static void rows_come_from_their_owner(void **unused)
{
    (void)unused;
    struct seen seen = {.start = 5, .size = 10};
    open_migrate(&seen, 1);
    testing_together(bring, &seen);
    assert_seconds(seen.took_s, rows_s(6));
    check_brought(&seen, 1, 6);
    migrate_close(&seen.migrate);
}

/* Rank 4's host is kept busy by what it takes in and sends. */
static void each_owner_is_asked(void **unused)
{
    (void)unused;
    struct seen seen = {.start = 10, .size = 20};
    open_migrate(&seen, 1);
    testing_together(bring, &seen);
    assert_seconds(seen.took_s, rows_s(10) + rows_s(10) + (5e-6 + 64e-9) +
                                    (3e-6 + 10 * ROW_BYTES * 2e-9));
    check_brought(&seen, 2, 20);
    migrate_close(&seen.migrate);
}

static void what_the_rank_has_does_not_move(void **unused)
{
    (void)unused;
    struct seen seen = {.start = 10, .size = 9, .bringing = 3};
    open_migrate(&seen, 2);
    testing_together(bring, &seen);
    assert_seconds(seen.took_s, 0);
    check_brought(&seen, 0, 0);
    migrate_close(&seen.migrate);
}

static void announce(int place, void *arg)
{
    struct seen *seen = arg;
    double start = engine_now();
    migrate_announce(&seen->migrate, seen->migrate.owner, place % 2 == 0);
    seen->announced_s[place] = engine_now() - start;
}

/* The list has come to all no earlier than their own has gone to rank 0. */
static void the_list_stays_and_takes_its_way(void **unused)
{
    (void)unused;
    struct seen seen = {.bringing = -1};
    open_migrate(&seen, 1);
    testing_together(announce, &seen);
    for (int i = 0; i < RANGES; i++) {
        assert_int_equal(seen.migrate.owner[i].start, 10 * i);
        assert_int_equal(seen.migrate.owner[i].rank, 2 * i);
    }
    assert_true(seen.announced_s[2] > 2 * LATENCY_S);
    assert_true(seen.announced_s[4] > 2 * LATENCY_S);
    migrate_close(&seen.migrate);
}

static int run_all(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_from_their_owner),
        cmocka_unit_test(each_owner_is_asked),
        cmocka_unit_test(what_the_rank_has_does_not_move),
        cmocka_unit_test(the_list_stays_and_takes_its_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    return testing_simulate(argc, argv, run_all);
}
