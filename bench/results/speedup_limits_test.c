/* Impossible speedups, and false winners. */
#include "harness/testing.h"

#include "bench/results/ranking.h"
#include "bench/results/speedup_limits.h"

#include <math.h>

enum { SAMPLES = 10, ROWS = 3 };

struct compared {
    struct result_sample samples[ROWS][SAMPLES];
    struct result result[ROWS];
    struct summary_row row[ROWS];
};

/* Rows of 2 equal workers: times around these, all with the serial passes
 * around serial_s, of which others had this share. */
static void make(struct compared *t, const double *time_s, double serial_s,
                 double pass, double others)
{
    *t = (struct compared){.row = {{.result = NULL}}};
    for (int r = 0; r < ROWS; r++) {
        for (int i = 0; i < SAMPLES; i++)
            t->samples[r][i] = (struct result_sample){
                .time_s = time_s[r] * (1 + 0.002 * (i - 4.5)),
                .serial_s = serial_s * (1 + 0.01 * (i - 4.5)),
                .serial_pass = isnan(pass) ? pass : pass + i,
                .serial_others = others};
        t->result[r] = (struct result){.status = RESULT_OK,
                                       .reason = "",
                                       .count = SAMPLES,
                                       .samples = t->samples[r]};
        cell_defaults(&t->result[r].cell, NULL);
        t->result[r].cell.threads = 2;
        t->row[r] = (struct summary_row){
            .result = &t->result[r],
            .time = result_interval(&t->result[r],
                                    offsetof(struct result_sample, time_s)),
            .bound_s = 0.95 * time_s[r],
            .others = NAN,
            .others_max_s = NAN,
            .shape = "",
            .conditions = ""};
    }
}

static char *print(const struct speedup_limits *limits,
                   const struct compared *t)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    speedup_limits_print(out, limits, t->row);
    fclose(out);
    for (char *c = text; *c != '\0'; c++)
        *c = *c == '\n' ? ' ' : *c;
    return text;
}

static const double apart[ROWS] = {0.22, 0.25, 0.4};

static void speedups_above_the_powers_are_refused(void **state)
{
    struct compared t;
    make(&t, apart, 1, 1, 0.48);
    struct speedup_limits limits = speedup_limits_find(t.row, 0, ROWS);
    assert_int_equal(limits.passes, SAMPLES);
    assert_int_equal(limits.refused, ROWS);
    assert_true(t.row[0].refused && limits.worst == 0);
    char *text = print(&limits, &t);
    assert_non_null(strstr(text, "3 speedups are refused"));
    assert_non_null(strstr(text, "4.55 times as fast"));
    assert_non_null(strstr(text, "at most;"));
    assert_non_null(strstr(text, "48 % of the core of the serial loop"));
    free(text);
    bool wins[ROWS];
    int fastest;
    assert_int_equal(ranking_winners(t.row, 0, ROWS, NULL, wins, &fastest), 0);
    assert_false(wins[0] || wins[1] || wins[2]);
}

/* The median may be above 2, the interval of both times holds 2. */
static void the_serial_loop_has_an_interval_too(void **state)
{
    struct compared t;
    make(&t, apart, 0.22 * 2.01, 1, 0);
    struct speedup_limits limits = speedup_limits_find(t.row, 0, ROWS);
    assert_true(t.row[0].speedup.median > 2);
    assert_true(t.row[0].speedup.low < 1.98);
    assert_int_equal(limits.refused, 0);
    char *text = print(&limits, &t);
    assert_string_equal(text, "");
    free(text);
}

static void powers_that_were_given_count(void **state)
{
    struct compared t;
    make(&t, apart, 0.7, 1, 0);
    t.result[0].cell.power = "1,3";
    struct speedup_limits limits = speedup_limits_find(t.row, 0, ROWS);
    assert_false(t.row[0].refused);
    assert_true(t.row[1].refused);
    char *text = print(&limits, &t);
    assert_non_null(strstr(text, "no other process ran"));
    free(text);
}

/* As files of earlier versions: one serial time, before the cells. */
static void times_below_their_bound_are_refused(void **state)
{
    struct compared t;
    make(&t, apart, 0.4, NAN, NAN);
    t.row[2].bound_s = 0.4 / 0.29;
    struct speedup_limits limits = speedup_limits_find(t.row, 0, ROWS);
    assert_int_equal(limits.refused, 1);
    assert_true(t.row[2].refused);
    char *text = print(&limits, &t);
    assert_non_null(strstr(text, "takes 0.29 of the least time"));
    assert_non_null(strstr(text, "timed before the cells"));
    free(text);
}

static void ties_win_together(void **state)
{
    const double close[ROWS] = {0.4, 0.4005, 0.45};
    struct compared t;
    bool wins[ROWS];
    int fastest;
    make(&t, close, 0.7, 1, 0);
    speedup_limits_find(t.row, 0, ROWS);
    assert_int_equal(ranking_winners(t.row, 0, ROWS, NULL, wins, &fastest), 2);
    assert_int_equal(fastest, 0);
    assert_true(wins[0] && wins[1] && !wins[2]);
    /* The last one lost as much to others as it is slower. */
    t.row[2].others = 0.1;
    t.row[2].others_max_s = 0.06;
    assert_int_equal(ranking_winners(t.row, 0, ROWS, NULL, wins, &fastest), 3);
    assert_true(wins[2]);
    struct speedup_limits limits = speedup_limits_find(t.row, 0, ROWS);
    char *text = print(&limits, &t);
    assert_non_null(strstr(text, "other processes had 10 % of the cores"));
    free(text);
}

TESTS(cmocka_unit_test(speedups_above_the_powers_are_refused),
      cmocka_unit_test(the_serial_loop_has_an_interval_too),
      cmocka_unit_test(powers_that_were_given_count),
      cmocka_unit_test(times_below_their_bound_are_refused),
      cmocka_unit_test(ties_win_together))
