#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "bench/foretell/divisible_load/plan_command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- options and platforms ---- */

enum { ARGUMENTS = 24 };

/* Splits a line at blanks, as "dlsbench plan" would get it. */
static int read_request(const char *line, struct plan_request *request,
                        struct error *err)
{
    char copy[512], *argv[ARGUMENTS] = {"dlsbench plan"}, *rest = NULL;
    int argc = 1;
    snprintf(copy, sizeof(copy), "%s", line);
    for (char *word = strtok_r(copy, " ", &rest); word != NULL;
         word = strtok_r(NULL, " ", &rest))
        argv[argc++] = word;
    return plan_request_read(argc, argv, request, err);
}

static void lists_give_one_value_for_each_worker_or_for_all(void **state)
{
    struct plan_request r;
    (void)state;
    assert_int_equal(
        read_request("--algorithm lp-fixed --period 5 --tail share --load 1/2 "
                     "--workers 3 --G 2:1,4 --w 7 --z 0,1,2 --overlap",
                     &r, NULL),
        0);
    assert_int_equal(r.choice.algorithm, DIVISIBLE_LP_FIXED);
    assert_int_equal(r.choice.tail, DIVISIBLE_TAIL_SHARE);
    assert_true(r.choice.period == 5 && r.load == 0.5);
    assert_int_equal(r.platform.platform.workers, 3);
    assert_true(r.platform.platform.overlap);
    const struct divisible_worker *w = r.platform.worker;
    assert_true(w[0].G == 1 && w[1].G == 1 && w[2].G == 4);
    assert_true(w[0].w == 7 && w[2].w == 7 && w[1].z == 1 && w[2].g == 0);
    plan_request_free(&r);
}

static void wrong_options_are_errors(void **state)
{
    static const char *const rows[][2] = {
        {"", "--algorithm is missing"},
        {"--algorithm lp-sqrt", "--load is missing"},
        {"--algorithm lp --load 1", "allowed: single-round, lp-fixed"},
        {"--algorithm lp-sqrt --load 1 --G 1 --w 1", "--workers is missing"},
        {"--algorithm lp-sqrt --load 1 --workers 1 --w 1", "--G is missing"},
        {"--algorithm lp-sqrt --load 1 --workers 0 --G 1 --w 1",
         "--workers: 0 is out of range"},
        {"--algorithm lp-sqrt --load 0 --workers 1 --G 1 --w 1",
         "the load is 0, it must be above 0"},
        {"--algorithm lp-sqrt --load 1 --workers 2 --G 1 --w 1,0",
         "w of worker 1 is 0 s, it must be above 0"},
        {"--algorithm lp-sqrt --load 1 --workers 2 --G -1 --w 1",
         "--G: -1 is out of range"},
        {"--algorithm lp-sqrt --load 1 --workers 2 --G 1,2,3 --w 1",
         "--G: 3 values for 2 workers"},
        {"--algorithm lp-sqrt --load 1 --workers 1 --G 1 --w 1 --period 3",
         "--period does not go with --algorithm lp-sqrt"},
        {"--algorithm lp-fixed --load 1 --workers 1 --G 1 --w 1 --period 0",
         "--period: it must be above 0"},
        {"--algorithm lp-sqrt --load 1 --workers 1 --G 1 --w 1 --order 0",
         "--order does not go with"},
        {"--algorithm single-round --load 1 --workers 2 --G 1 --w 1 --order "
         "1,1",
         "--order: worker 1 is there twice"},
        {"--algorithm multi-installment --load 1 --workers 2 --G 1 --w 1 "
         "--installments 9",
         "--installments: 9 is out of range, allowed is 1 to 8"},
        {"--algorithm lp-sqrt --load 1 --platform x --w 1",
         "--platform does not go with"},
        {"--algorithm lp-sqrt --load 1 --workers 1 --kernel matmul --w 1",
         "--kernel does not go with"},
        {"--algorithm lp-sqrt --load 1 --workers 1 --G 1 --w 1 --unit-bytes 8",
         "--unit-bytes and --calibration need --kernel"},
        {"--algorithm lp-sqrt --load 1 --workers 1 --kernel adjoint",
         "--kernel adjoint:size=100,seed=1 needs --unit-bytes"},
        {"--algorithm lp-fixed --load 1 --workers 1 --G 1 --w 1 --unit 1",
         "--unit does not go with --algorithm lp-fixed"},
        {"--algorithm lp-sqrt --load 1 --workers 1 --G 1 --w 1 --unit 0",
         "--unit: 0 is out of range"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct plan_request request;
        struct error err = {""};
        assert_int_equal(read_request(rows[i][0], &request, &err), -EINVAL);
        if (strstr(err.text, rows[i][1]) == NULL)
            fail_msg("%s: %s", rows[i][0], err.text);
    }
}

/* A platform from a file of this text. */
static int read_text(const char *text, struct plan_platform *out,
                     struct error *err)
{
    char path[] = "/tmp/plan_test-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
    struct plan_source source = {.file = path};
    int code = plan_platform_read(&source, false, 1, out, err);
    unlink(path);
    return code;
}

static void a_file_names_its_columns(void **state)
{
    struct plan_platform p;
    (void)state;
    assert_int_equal(read_text("# of two workers\n\n w , G,z\r\n"
                               "9,0.5,1  # the fast one\n20,0.25,0",
                               &p, NULL),
                     0);
    assert_int_equal(p.platform.workers, 2);
    assert_ptr_equal(p.platform.worker, p.worker);
    assert_true(p.worker[0].w == 9 && p.worker[0].G == 0.5);
    assert_true(p.worker[0].z == 1 && p.worker[0].g == 0);
    assert_true(p.worker[1].w == 20 && p.worker[1].G == 0.25);
    plan_platform_free(&p);
}

static void broken_files_are_errors_with_their_line(void **state)
{
    static const char *const rows[][2] = {
        {"", "there are no workers in it"},
        {"G,w\n", "there are no workers in it"},
        {"G,w,speed\n", ":1: column 'speed' is unknown"},
        {"G,w,G\n", ":1: column G is there twice"},
        {"g,w\n1,1\n", ":1: column G is missing"},
        {"g,G\n1,1\n", ":1: column w is missing"},
        {"G,w\n1,2\n\n1\n", ":4: 1 values for 2 columns"},
        {"G,w\n1,2,3\n", ":2: more values than columns"},
        {"G,w\n1,x\n", ":2: w: 'x' is not a number"},
        {"G,w\n1,-2\n", ":2: w: -2 is out of range"},
        {"G,w\n1,0\n", "w of worker 0 is 0 s"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct plan_platform p;
        struct error err = {""};
        assert_int_equal(read_text(rows[i][0], &p, &err), -EINVAL);
        if (strstr(err.text, rows[i][1]) == NULL)
            fail_msg("row %zu: %s", i, err.text);
    }
}

/* ---- what is shown ---- */

static const struct divisible_worker two[] = {{.G = 1, .w = 3},
                                              {.G = 1, .w = 3}};

struct shown {
    struct divisible_platform platform;
    struct divisible_plan plan;
    struct divisible_choice choice;
    struct plan_view view;
    char *text;
    size_t size;
    FILE *out;
};

/* Two workers, load 2.8: 1.6 and 1.2, all done after 6.4 s. */
static void show_open(struct shown *s)
{
    *s = (struct shown){.platform = {.workers = 2, .worker = two},
                        .choice = {.algorithm = DIVISIBLE_SINGLE_ROUND}};
    s->view = (struct plan_view){.platform = &s->platform,
                                 .plan = &s->plan,
                                 .choice = &s->choice,
                                 .load = 2.8,
                                 .bound = 4};
    assert_int_equal(
        divisible_make(&s->choice, &s->platform, 2.8, &s->plan, NULL), 0);
    s->out = open_memstream(&s->text, &s->size);
    assert_non_null(s->out);
}

static void show_close(struct shown *s)
{
    divisible_plan_free(&s->plan);
    free(s->text);
}

static void csv_has_a_row_for_each_chunk(void **state)
{
    struct shown s;
    (void)state;
    show_open(&s);
    plan_table(&s.view, true, s.out);
    fclose(s.out);
    assert_string_equal(s.text, "worker,round,load,send_start_s,send_end_s,"
                                "compute_start_s,compute_end_s,makespan_s\n"
                                "0,1,1.6,0,1.6,1.6,6.4,6.4\n"
                                "1,1,1.2,1.6,2.8,2.8,6.4,6.4\n");
    show_close(&s);
}

static void the_head_says_what_it_rests_on(void **state)
{
    struct shown s;
    (void)state;
    show_open(&s);
    plan_head(&s.view, s.out);
    fclose(s.out);
    assert_non_null(strstr(s.text, "single-round, 1 round "));
    assert_non_null(strstr(s.text, "optimal (theorem 1)"));
    assert_non_null(strstr(s.text, "2 of 2 get load, in 2 chunks"));
    assert_non_null(strstr(s.text, "6.4 s, 1.6000 times the lower bound"));
    show_close(&s);
}

static void the_chart_shows_messages_and_computing(void **state)
{
    struct shown s;
    (void)state;
    show_open(&s);
    plan_gantt(&s.view, 42, s.out);
    fclose(s.out);
    assert_non_null(strstr(s.text, "port      "
                                   "==============..................\n"
                                   "worker 0  "
                                   "========111111111111111111111111\n"
                                   "worker 1  "
                                   "........======111111111111111111\n"));
    show_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_give_one_value_for_each_worker_or_for_all),
        cmocka_unit_test(wrong_options_are_errors),
        cmocka_unit_test(a_file_names_its_columns),
        cmocka_unit_test(broken_files_are_errors_with_their_line),
        cmocka_unit_test(csv_has_a_row_for_each_chunk),
        cmocka_unit_test(the_head_says_what_it_rests_on),
        cmocka_unit_test(the_chart_shows_messages_and_computing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
