/* Properties of the model for any numbers. */
#include "sched/interval/interval_testing.h"

#include "sched/interval/interval_pipeline.h"

static void the_optimum_is_a_minimum(void **state)
{
    for (int number = 1; number <= 3; number++)
        for (int i = 0; i < 16; i++) {
            struct experiment e;
            open_experiment(&e, number);
            e.model.k = (int64_t[]){1, 4, 8, 50}[i % 4];
            e.model.stream = i & 4;
            e.model.skew = i & 8 ? 1 : 0;
            assert_minimum(&e.model);
        }
}

/* As the text defines it, T_wa grows with h: the minimum moves down a little.
 */
static void the_other_reading_moves_the_minimum(void **state)
{
    struct experiment e;
    open_printed(&e, 1);
    double h = interval_optimum(&e.model);
    double slope = (10000 - 1000) * 0.526e-6 + 16 * 0.69e-6;
    assert_near("D", 2 * 99e-6 * 20000 / (h * h), slope, 1e-9);
    double moved = h * (1 - 0.69e-6 / slope);
    double best = interval_time(&e.model, moved, INTERVAL_TWA_TEXT);
    double beyond = 2 * moved - h;
    assert_true(best < interval_time(&e.model, h, INTERVAL_TWA_TEXT));
    assert_true(best < interval_time(&e.model, beyond, INTERVAL_TWA_TEXT));
}

/* (5) and (10) from (3) and (8) of one subproblem; k = 1 changes nothing. */
static void subproblems_add_up(void **state)
{
    for (int number = 1; number <= 3; number++)
        for (int64_t k = 1; k <= 16; k *= 2) {
            struct experiment e, one;
            open_printed(&e, number);
            open_printed(&one, number);
            e.model.k = k;
            one.model.chunk_dim /= (double)k;
            double t_np = interval_time(&one.model, 70, INTERVAL_TWA_TEXT);
            double t_wa = 2 * (e.model.c_d + 70 * e.model.c_c) + e.model.c_sch;
            double t_tr = 2 * (e.model.c_d + e.model.sync_dim * e.model.c_c);
            assert_near("T_N", interval_time(&e.model, 70, INTERVAL_TWA_TEXT),
                        (double)k * t_np + (double)(k - 1) * (t_tr - t_wa),
                        1e-12);
            assert_near("h_N", interval_optimum(&e.model),
                        interval_optimum(&one.model), 1e-12);
        }
}

/* (3) by hand: two workers, so that nothing is between first and last. */
static void two_workers_by_hand(void **state)
{
    const struct interval_group group = {.workers = 2, .power = 1, .c_p = 3};
    struct interval_model model = {.chunk_dim = 10,
                                   .sync_dim = 100,
                                   .groups = 1,
                                   .group = &group,
                                   .c_d = 7,
                                   .c_c = 0.5,
                                   .c_sch = 11,
                                   .t_ms = 13,
                                   .k = 1,
                                   .printed = true};
    /* h = 20, V = 5: t_s = 17, t_p = 300 */
    double rest = (300 + 17) + 5 * (17 + 300) + 4 * 17;
    assert_near("text", interval_time(&model, 20, INTERVAL_TWA_TEXT),
                rest + 34 + 11, 1e-12);
    assert_near("printed", interval_time(&model, 20, INTERVAL_TWA_PRINTED),
                rest + 26, 1e-12);
    assert_near("h", interval_formula(&model), sqrt(2 * 7 * 100 / 15.0), 1e-12);
    /* one worker sends, the other one receives */
    model.printed = false;
    assert_near("exact", interval_time(&model, 20, INTERVAL_TWA_PRINTED),
                2 * 317 + 4 * 317 + 26, 1e-12);
    assert_near("h", interval_optimum(&model), sqrt(7 * 100 / 15.5), 1e-6);
}

/* (8), (9), (10), (12) for equal powers are (3), (4), (5), (7). */
static void different_workers_reduce_to_equal_ones(void **state)
{
    for (int i = 0; i < 12; i++) {
        struct experiment e;
        open_printed(&e, 1 + i % 2);
        e.model.k = 1 + i / 2;
        struct interval_group part[3] = {e.group[0], e.group[0], e.group[0]};
        part[0].workers = 1;
        part[1].workers = 2;
        part[2].workers = e.group[0].workers - 3;
        struct interval_model parts = e.model;
        parts.groups = 3;
        parts.group = part;
        parts.last = 2;
        assert_near("T", interval_time(&parts, 41, INTERVAL_TWA_TEXT),
                    interval_time(&e.model, 41, INTERVAL_TWA_TEXT), 1e-12);
        assert_near("h", interval_formula(&parts), interval_formula(&e.model),
                    1e-12);
        parts.printed = e.model.printed = false;
        assert_near("T", interval_time(&parts, 41, INTERVAL_TWA_TEXT),
                    interval_time(&e.model, 41, INTERVAL_TWA_TEXT), 1e-12);
    }
}

static void the_order_of_the_groups_does_not_matter(void **state)
{
    struct experiment e;
    open_printed(&e, 3);
    const struct interval_group turned[] = {e.group[1], e.group[0]};
    struct interval_model other = e.model;
    other.group = turned;
    assert_int_equal(interval_slowest(&e.model), 1);
    assert_int_equal(interval_slowest(&other), 0);
    assert_near("T", interval_time(&other, 30, INTERVAL_TWA_TEXT),
                interval_time(&e.model, 30, INTERVAL_TWA_TEXT), 1e-12);
    assert_near("h", interval_optimum(&other), interval_optimum(&e.model),
                1e-12);
}

/* The extension without what it adds is the paper. */
static void skew_0_is_the_paper(void **state)
{
    for (int number = 1; number <= 3; number++) {
        struct experiment e;
        open_printed(&e, number);
        for (double h = 1; h <= e.model.sync_dim; h *= 1.5) {
            double t_wa = interval_assignment(&e.model, h, INTERVAL_TWA_TEXT);
            double time = interval_time(&e.model, h, INTERVAL_TWA_TEXT);
            assert_near("T", interval_pipeline_time(&e.model, h) + t_wa, time,
                        1e-12);
            e.model.printed = false;
            assert_near("T", interval_time(&e.model, h, INTERVAL_TWA_TEXT),
                        time, 1e-12);
            e.model.skew = 1e-12;
            assert_near("T", interval_time(&e.model, h, INTERVAL_TWA_TEXT),
                        time, 1e-9);
            e.model.skew = 0;
            e.model.stream = true; /* with k = 1 it is nothing either */
            assert_near("T", interval_time(&e.model, h, INTERVAL_TWA_TEXT),
                        time, 1e-12);
            e.model.stream = false;
            e.model.printed = true;
        }
        assert_near("h", interval_pipeline_minimum(&e.model),
                    interval_formula(&e.model), 1e-6);
    }
}

/* While 2 W + h <= U_s there is a formula for the best h. */
static void skew_moves_the_optimum_as_derived(void **state)
{
    for (int number = 1; number <= 3; number++) {
        struct experiment e;
        open_experiment(&e, number);
        e.model.skew = 2;
        double lags = 0; /* half of an exchange at each end of the line */
        for (int j = 0; j < e.model.groups; j++)
            lags += 2 * (interval_chunk(&e.model, j) - 1) *
                    ((double)(e.group[j].workers -
                              (j == interval_slowest(&e.model))) -
                     0.5 * (j == 0) - 0.5 * (j == e.model.last));
        assert_near("h", interval_optimum(&e.model),
                    interval_formula(&e.model) *
                        sqrt(1 + lags / e.model.sync_dim),
                    1e-6);
    }
}

/* h = U_s is the serial loop, whatever the skew. */
static void one_block_is_serial(void **state)
{
    struct experiment e;
    open_experiment(&e, 1);
    e.model.c_d = e.model.c_c = e.model.c_sch = 0;
    for (double skew = 0; skew < 100; skew = 2 * skew + 1) {
        e.model.skew = skew;
        assert_near("T", interval_time(&e.model, 20000, INTERVAL_TWA_TEXT),
                    10000 * 20000 * 0.526e-6, 1e-12);
    }
}

static void streaming_fills_once(void **state)
{
    struct experiment e;
    open_experiment(&e, 1);
    e.model.k = 8;
    double apart = interval_optimum(&e.model);
    e.model.stream = true;
    double slope = 9 * (125 * 0.526e-6 + 2 * 0.69e-6) - 2 * 0.69e-6;
    assert_near("h", interval_optimum(&e.model),
                sqrt(2 * 99e-6 * 8 * 20000 / slope), 1e-6);
    assert_true(interval_optimum(&e.model) > 2.5 * apart);
}

static void starting_rows_counts_as_derived(void **state)
{
    struct experiment e;
    open_experiment(&e, 1);
    const struct interval_model paper = e.model;
    double h = 50, t_p = interval_time(&paper, h, INTERVAL_TWA_TEXT);
    double chunk = interval_chunk(&e.model, 0), c_b = 0.7e-6;
    double chunks = paper.chunk_dim / chunk, syncs = paper.sync_dim / h;
    e.group[0].c_b = c_b;
    assert_near("T", interval_time(&e.model, h, INTERVAL_TWA_TEXT),
                t_p + (chunks - 1 + syncs) * chunk * c_b, 1e-12);
    double ratio = (2 * paper.c_d + chunk * c_b) / (2 * paper.c_d);
    assert_true(ratio > 2);
    assert_near("h", interval_optimum(&e.model),
                interval_formula(&paper) * sqrt(ratio), 1e-5);
    assert_minimum(&e.model);
    /* It is part of a point's cost wherever points are counted. */
    e.model.stream = true;
    e.model.skew = 1;
    double with = interval_time(&e.model, h, INTERVAL_TWA_TEXT);
    e.group[0].c_p += c_b / h;
    e.group[0].c_b = 0;
    assert_near("T", with, interval_time(&e.model, h, INTERVAL_TWA_TEXT),
                1e-12);
}

static void one_worker_never_waits(void **state)
{
    const struct interval_group group = {.workers = 1, .power = 1, .c_p = 2};
    struct interval_model model = {.chunk_dim = 10,
                                   .sync_dim = 100,
                                   .groups = 1,
                                   .group = &group,
                                   .c_d = 7,
                                   .k = 2};
    for (int skew = 0; skew < 2; skew++) {
        model.skew = skew;
        double h = interval_optimum(&model);
        assert_near("h", h, 100, 1e-12);
        assert_int_equal(interval_whole(&model, h), 100);
        assert_near("T", interval_time(&model, h, INTERVAL_TWA_PRINTED), 2000,
                    1e-12);
    }
}

static void the_optimum_stays_inside(void **state)
{
    struct experiment e;
    for (int skew = 0; skew < 2; skew++) {
        open_experiment(&e, 1);
        e.model.skew = skew;
        e.model.c_d = 0;
        assert_true(interval_optimum(&e.model) == 1);
        e.model.c_d = 1e6;
        assert_true(interval_optimum(&e.model) == 20000);
        assert_int_equal(interval_whole(&e.model, 20000), 20000);
    }
    open_experiment(&e, 1);
    assert_int_equal(interval_whole(&e.model, interval_optimum(&e.model)), 29);
}

static void what_cannot_be_is_refused(void **state)
{
    static const struct {
        struct interval_group group;
        double chunk_dim, sync_dim, c_d;
        int64_t k;
        double skew;
        const char *expected;
    } rows[] = {
        {{0, 1, 1, 0, 0}, 10, 10, 0, 1, 0, "has 0 workers"},
        {{2, 0, 1, 0, 0}, 10, 10, 0, 1, 0, "the power of group 0 is 0"},
        {{2, 1, 0, 0, 0}, 10, 10, 0, 1, 0, "c_p of group 0 is 0"},
        {{2, 1, NAN, 0, 0}, 10, 10, 0, 1, 0, "c_p of group 0"},
        {{2, 1, 1, 0, 0}, 0, 10, 0, 1, 0, "U_c is 0, it must be at least 1"},
        {{2, 1, 1, 0, 0}, 10, INFINITY, 0, 1, 0, "U_s is inf"},
        {{2, 1, 1, 0, 0}, 10, 10, -1, 1, 0, "c_d is -1"},
        {{2, 1, 1, 0, 0}, 10, 10, 0, 0, 0, "k is 0"},
        {{2, 1, 1, 0, -1}, 10, 10, 0, 1, 0, "c_b of group 0 is -1"},
        {{2, 1, 1, 0, 0}, 10, 10, 0, 1, -1, "the skew is -1"},
        {{2, 1, 1, 0, 0}, 10, 10, 0, 6, 0, "chunks of 0.833 iterations"},
        {{2, 1, 1, 0.5, 0}, 10, 10, 0, 1, 0, "chunks of 0.5 iterations"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct error err = {""};
        const struct interval_model model = {.chunk_dim = rows[i].chunk_dim,
                                             .sync_dim = rows[i].sync_dim,
                                             .groups = 1,
                                             .group = &rows[i].group,
                                             .c_d = rows[i].c_d,
                                             .k = rows[i].k,
                                             .skew = rows[i].skew};
        assert_int_equal(interval_check(&model, &err), -EINVAL);
        if (strstr(err.text, rows[i].expected) == NULL)
            fail_msg("'%s' does not hold '%s'", err.text, rows[i].expected);
    }
}

TESTS(cmocka_unit_test(the_optimum_is_a_minimum),
      cmocka_unit_test(the_other_reading_moves_the_minimum),
      cmocka_unit_test(subproblems_add_up),
      cmocka_unit_test(two_workers_by_hand),
      cmocka_unit_test(different_workers_reduce_to_equal_ones),
      cmocka_unit_test(the_order_of_the_groups_does_not_matter),
      cmocka_unit_test(skew_0_is_the_paper),
      cmocka_unit_test(skew_moves_the_optimum_as_derived),
      cmocka_unit_test(one_block_is_serial),
      cmocka_unit_test(streaming_fills_once),
      cmocka_unit_test(starting_rows_counts_as_derived),
      cmocka_unit_test(one_worker_never_waits),
      cmocka_unit_test(the_optimum_stays_inside),
      cmocka_unit_test(what_cannot_be_is_refused))
