#include "base/unit_testing.h"

#include "bench/foretell/sync_interval/predict.h"
#include "bench/options/command.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void groups_with_and_without_powers(void **state)
{
    struct interval_group *group;
    int count;
    assert_int_equal(predict_groups("10", "2e-6", &group, &count, NULL), 0);
    assert_int_equal(count, 1);
    assert_int_equal(group[0].workers, 10);
    assert_true(group[0].power == 1 && group[0].c_p == 2e-6);
    free(group);
    assert_int_equal(
        predict_groups("5:1,4:0.63,3", "1,2,1/2", &group, &count, NULL), 0);
    assert_int_equal(count, 3);
    assert_int_equal(group[1].workers, 4);
    assert_true(group[1].power == 0.63 && group[1].c_p == 2);
    assert_true(group[2].power == 1 && group[2].c_p == 0.5);
    assert_true(group[2].chunk == 0);
    free(group);
}

static void wrong_groups_are_errors(void **state)
{
    static const struct {
        const char *workers, *c_p, *expected;
    } rows[] = {
        {"", "1", "--workers: '' is not a whole number"},
        {"0", "1", "--workers: 0 is out of range"},
        {"2,", "1,1", "--workers: '' is not a whole number"},
        {"2:0", "1", "a power must be above 0"},
        {"2:-1", "1", "--workers: -1 is out of range"},
        {"2:x", "1", "--workers: 'x' is not a number"},
        {"1048576,1", "1,1", "more than 1048576 workers"},
        {"2,2", "1", "--cp: 1 given for 2 groups of --workers"},
        {"2", "1,1", "--cp: 2 given for 1 group of --workers"},
        {"2", "0", "--cp: 0 s for an iteration, it must be above 0"},
        {"2", "nan", "--cp: nan is out of range"},
        {"2", "", "--cp: '' is not a number"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct interval_group *group;
        struct error err = {""};
        int count;
        assert_int_equal(
            predict_groups(rows[i].workers, rows[i].c_p, &group, &count, &err),
            -EINVAL);
        if (strstr(err.text, rows[i].expected) == NULL)
            fail_msg("'%s' does not hold '%s'", err.text, rows[i].expected);
    }
}

static void assert_intervals(const char *text, double optimum, double max,
                             const double *expected, int expected_count)
{
    double *h;
    int count;
    assert_int_equal(predict_intervals(text, optimum, max, &h, &count, NULL),
                     0);
    assert_int_equal(count, expected_count);
    for (int i = 0; i < count; i++)
        assert_true(h[i] == expected[i]);
    free(h);
}

static void the_optimum_stands_in_its_place(void **state)
{
    assert_intervals("80,20,40,20", 30.5, 100, (double[]){20, 30.5, 40, 80}, 4);
    assert_intervals("20,40", 40, 100, (double[]){20, 40}, 2);
    assert_intervals("100", 7, 100, (double[]){7, 100}, 2);
    /* as it is printed, to ten digits */
    assert_intervals("28.88867706", 28.888677060982232, 100,
                     (double[]){28.888677060982232}, 1);
}

static void the_sweep_is_whole_and_inside(void **state)
{
    assert_intervals(
        NULL, 28.89, 20000,
        (double[]){4, 5, 7, 10, 14, 20, 28.89, 29, 41, 58, 82, 116, 163, 231},
        14);
    assert_intervals(NULL, 1, 4, (double[]){1, 2, 3, 4}, 4);
    assert_intervals(NULL, 1, 1, (double[]){1}, 1);
}

static void wrong_intervals_are_errors(void **state)
{
    static const struct {
        const char *text, *expected;
    } rows[] = {
        {"0", "an interval of 0 is not one, it must be at least 1"},
        {"5,-3", "an interval of -3 is not one"},
        {"0.5", "an interval of 0.5 is not one"},
        {"nan", "--h: nan is out of range"},
        {"5,,6", "--h: '' is not a number"},
        {"5x", "--h: '5x' is not a number"},
        {"101", "101 is longer than the sync dimension, 100"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        double *h;
        struct error err = {""};
        int count;
        assert_int_equal(
            predict_intervals(rows[i].text, 10, 100, &h, &count, &err),
            -EINVAL);
        if (strstr(err.text, rows[i].expected) == NULL)
            fail_msg("'%s' does not hold '%s'", err.text, rows[i].expected);
    }
}

/* Runs the command on experiment 1 with three more words and gives what it
 * wrote to `stream` (1 or 2). */
static int command(bool csv, const char *more[3], FILE *stream, char *text,
                   size_t size)
{
    char *argv[20] = {
        "dlsbench predict", "--chunk-dim=10000", "--sync-dim=20000",
        "--workers=10",     "--cp=0.526e-6",     "--cd=99e-6",
        "--cc=0.69e-6",     "--csched=500e-6",   "--format=csv"};
    int argc = csv ? 9 : 8;
    for (int i = 0; i < 3 && more[i] != NULL; i++)
        argv[argc++] = (char *)more[i];
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stream);
    int kept = dup(fileno(stream));
    assert_true(kept >= 0 && dup2(fileno(file), fileno(stream)) >= 0);
    int code = predict_command(argc, argv);
    fflush(stream);
    dup2(kept, fileno(stream));
    close(kept);
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
    return code;
}

static void csv_of_the_first_experiment(void **state)
{
    char text[512];
    const char *printed[] = {"--h=30,20", "--tms=1.253e-3",
                             "--model=andronikos"};
    assert_int_equal(command(true, printed, stdout, text, sizeof(text)),
                     COMMAND_OK);
    assert_string_equal(text, "h,time_s,optimal\n"
                              "20,10.8546148,0\n"
                              "28.88867706,10.83586986,1\n"
                              "30,10.8360652,0\n");
    const char *by_text[] = {"--h=30", "--model=andronikos", NULL};
    assert_int_equal(command(true, by_text, stdout, text, sizeof(text)),
                     COMMAND_OK);
    assert_string_equal(text, "h,time_s,optimal\n"
                              "28.88867706,10.82407772,1\n"
                              "30,10.8242746,0\n");
}

static void the_table_says_which_reading_is_which(void **state)
{
    char text[4096];
    const char *more[] = {"--tms=1.253e-3", NULL, NULL};
    assert_int_equal(command(false, more, stdout, text, sizeof(text)),
                     COMMAND_OK);
    assert_non_null(strstr(text, "exact, ours after Andronikos et al. 2010"));
    assert_non_null(strstr(text, "h = 28.8887, as a whole number 29"));
    assert_non_null(strstr(text, "T_wa = 2 (c_d + h c_c) + c_sch"));
    assert_non_null(strstr(text, "T_wa = NP t_(m-s)"));
    assert_non_null(strstr(text, "10.82408       10.83587        optimum"));
    more[1] = "--model=andronikos";
    assert_int_equal(command(false, more, stdout, text, sizeof(text)),
                     COMMAND_OK);
    assert_non_null(strstr(text, "formula (3), the best h by (4)"));
}

/* The excess of the printed formulas for two workers. */
static void two_workers_are_faster_than_printed(void **state)
{
    char text[2][512];
    const char *more[] = {"--workers=2", "--h=20", NULL};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(command(true, more, stdout, text[i], 512), COMMAND_OK);
        more[2] = "--model=andronikos";
    }
    /* c_d + h c_c for each of the steps but the first */
    double at[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(sscanf(strstr(text[i], "\n20,"), "\n20,%lf", &at[i]),
                         1);
    double gap = at[1] - at[0] - 999 * (99e-6 + 20 * 0.69e-6);
    assert_true(gap > -1e-6 && gap < 1e-6);
}

static void wrong_use_is_one_line_and_2(void **state)
{
    static const struct {
        const char *more[3], *expected;
    } rows[] = {
        {{"--h=0"}, "--h: an interval of 0"},
        {{"--model=andronicos"}, "did you mean 'andronikos'?"},
        {{"--format=cvs"}, "did you mean 'csv'?"},
        {{"--intervals=3"}, "unknown option --intervals"},
        {{"--csch=3x"}, "--csched: '3x' is not a number"},
        {{"--k=2000"}, "chunks of 0.5 iterations"},
        {{"--k=0"}, "--k: 0 is out of range"},
        {{"--model=chen-xue", "--k=2"}, "--k does not go with it"},
        {{"--model=chen-xue", "--stream"}, "has no stream"},
        {{"--model=andronikos", "--skew=1"}, "has no skew"},
        {{"--model=chen-xue", "--workers=1"}, "at least 2 workers"},
        {{"more"}, "'more' is not an option"},
    };
    char text[1024];
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *more[3] = {rows[i].more[0], rows[i].more[1], NULL};
        assert_int_equal(command(false, more, stderr, text, sizeof(text)),
                         COMMAND_USAGE);
        if (strstr(text, rows[i].expected) == NULL)
            fail_msg("'%s' does not hold '%s'", text, rows[i].expected);
        assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    }
}

TESTS(cmocka_unit_test(groups_with_and_without_powers),
      cmocka_unit_test(wrong_groups_are_errors),
      cmocka_unit_test(the_optimum_stands_in_its_place),
      cmocka_unit_test(the_sweep_is_whole_and_inside),
      cmocka_unit_test(wrong_intervals_are_errors),
      cmocka_unit_test(csv_of_the_first_experiment),
      cmocka_unit_test(the_table_says_which_reading_is_which),
      cmocka_unit_test(two_workers_are_faster_than_printed),
      cmocka_unit_test(wrong_use_is_one_line_and_2))
