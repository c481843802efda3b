/* The exact form against a pipeline run event by event; a separate program
 * printed these numbers. */
#include "sched/interval/interval_testing.h"

enum { WORKERS_MAX = 4 };

/* Chunks of 4 rows and 24 columns; c_d 10, c_p 1. */
struct line {
    struct interval_model model;
    struct interval_group group[WORKERS_MAX];
};

static void open_line(struct line *l, int workers, const double *slow,
                      double c_c, int64_t k)
{
    l->model = (struct interval_model){.chunk_dim = (double)(4 * k * workers),
                                       .sync_dim = 24,
                                       .groups = slow == NULL ? 1 : workers,
                                       .group = l->group,
                                       .last = slow == NULL ? 0 : workers - 1,
                                       .c_d = 10,
                                       .c_c = c_c,
                                       .k = k};
    l->group[0] =
        (struct interval_group){.workers = workers, .power = 1, .c_p = 1};
    for (int j = 0; slow != NULL && j < workers; j++)
        l->group[j] =
            (struct interval_group){.workers = 1, .power = 1, .c_p = slow[j]};
    assert_int_equal(interval_check(&l->model, NULL), 0);
}

static void assert_times(const struct line *l, const double *expected)
{
    static const double h[] = {3, 4, 6, 8, 12};
    for (size_t i = 0; i < COUNT(h); i++)
        assert_near("T", interval_time(&l->model, h[i], INTERVAL_TWA_PRINTED),
                    expected[i], 1e-12);
}

/* c_c: rows of a boundary. */
static void equal_workers(void **unused)
{
    static const struct {
        int workers, c_c;
        int64_t k;
        double expected[5];
    } rows[] = {{2, 2, 1, {252, 238, 230, 232, 246}},
                {3, 2, 1, {408, 380, 364, 368, 396}},
                {4, 2, 1, {452, 432, 432, 452, 512}},
                {3, 2, 2, {932, 876, 844, 852, 908}},
                {3, 1, 1, {354, 324, 304, 304, 324}},
                {4, 3, 1, {512, 496, 504, 532, 608}}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct line l;
        open_line(&l, rows[i].workers, NULL, rows[i].c_c, rows[i].k);
        assert_times(&l, rows[i].expected);
    }
}

static void loaded_workers(void **unused)
{
    static const struct {
        int workers;
        double slow[WORKERS_MAX], expected[5];
    } rows[] = {{2, {2, 1}, {348, 334, 326, 328, 342}},
                {2, {1, 2}, {348, 334, 326, 328, 342}},
                {4, {1, 2, 1, 1}, {548, 528, 528, 548, 608}},
                {4, {1, 1, 1, 3}, {532, 534, 558, 592, 670}},
                {4, {2, 2, 1, 1}, {560, 544, 552, 580, 656}}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct line l;
        open_line(&l, rows[i].workers, rows[i].slow, 2, 1);
        assert_times(&l, rows[i].expected);
    }
}

/* Chunks of 30 rows and 960 columns. */
static void the_best_interval(void **unused)
{
    static const struct {
        int workers;
        double c_c, best, divisor, time;
    } rows[] = {{3, 2, 74.4208, 80, 23118},   {10, 2, 34.0341, 32, 30573.6},
                {3, 1, 75.9638, 80, 21682.8}, {10, 1, 35.2401, 32, 28895.52},
                {3, 3, 72.9683, 80, 24553.2}, {10, 3, 32.9439, 32, 32251.68}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct line l;
        open_line(&l, 1, NULL, .69 * rows[i].c_c, 1);
        l.group[0].workers = rows[i].workers;
        l.group[0].c_p = .526;
        l.model.chunk_dim = 30 * rows[i].workers;
        l.model.sync_dim = 960;
        l.model.c_d = 99;
        assert_near("h", interval_optimum(&l.model), rows[i].best, 1e-5);
        assert_near(
            "T", interval_time(&l.model, rows[i].divisor, INTERVAL_TWA_PRINTED),
            rows[i].time, 1e-9);
    }
}

/* The worker with the longest step decides. */
static void the_best_interval_of_a_loaded_line(void **unused)
{
    static const double slow[] = {1, 3, 1, 1};
    struct line l;
    open_line(&l, 4, slow, 2, 1);
    l.model.sync_dim = 2400;
    /* sum V c_p 24, (2 NP - 2 - 2) c_c 8, V c_p of the slow one 12 */
    assert_near("h", interval_optimum(&l.model),
                sqrt(2 * 10 * 2400 / (24 + 8 - 12.0)), 1e-6);
    assert_minimum(&l.model);
}

/* The toy's own numbers: the events take less at h = 2 than the formula says,
 * which ends above the lead. */
static void no_interval_up_to_the_lead_is_chosen(void **unused)
{
    struct line l;
    (void)unused;
    open_line(&l, 4, NULL, 2, 1);
    l.model.c_d = 1;
    double h = interval_optimum(&l.model);
    assert_true(h < 3);
    l.model.lead = 2;
    assert_near("h", interval_optimum(&l.model), 3, 1e-12);
    assert_int_equal(interval_whole(&l.model, h), 3);
    l.model.lead = 24;
    assert_near("h", interval_optimum(&l.model), 24, 1e-12);
}

/* Ciorba et al., H = 150 and 100, chunks of 20 rows, c_d and c_c of the same
 * laboratory. */
static void computing_takes_as_long_as_messages(void **unused)
{
    struct line l;
    (void)unused;
    open_line(&l, 3, NULL, .69, 1);
    l.model.c_d = 99;
    l.model.chunk_dim = 60;
    l.group[0].c_p = .138;
    assert_near("ratio", interval_ratio(&l.model, 150),
                150 * 20 * .138 / (2 * (99 + 150 * .69)), 1e-12);
    assert_true(interval_ratio(&l.model, 150) > 1);
    assert_true(interval_ratio(&l.model, 100) < 1);
    struct interval_piece piece[] = {{8, .138, 0, 0}, {4, .138, 0, 1}};
    l.model.piece = piece;
    l.model.pieces = 2;
    assert_near("ratio", interval_ratio(&l.model, 150),
                150 * 4 * .138 / (2 * (99 + 150 * .69)), 1e-12);
}

static void the_last_worker_must_be_there(void **unused)
{
    static const double slow[] = {1, 2};
    struct error err = {""};
    struct line l;
    open_line(&l, 2, slow, 1, 1);
    l.model.last = 0;
    assert_int_equal(interval_check(&l.model, &err), -EINVAL);
    l.model.last = 2;
    assert_int_equal(interval_check(&l.model, &err), -EINVAL);
}

TESTS(cmocka_unit_test(equal_workers), cmocka_unit_test(loaded_workers),
      cmocka_unit_test(the_best_interval),
      cmocka_unit_test(the_best_interval_of_a_loaded_line),
      cmocka_unit_test(no_interval_up_to_the_lead_is_chosen),
      cmocka_unit_test(computing_takes_as_long_as_messages),
      cmocka_unit_test(the_last_worker_must_be_there))
