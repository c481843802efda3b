#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "bench/cli/numbers.h"
#include "bench/driver/run.h"
#include "bench/start/child.h"
#include "bench/start/launcher.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void the_template_is_filled_in(void **state)
{
    const char *const tail[] = {"prog", "launch", "a b", NULL};
    static const char *const expected[] = {"mpiexec", "-n", "3", "-env",
                                           "X=a b",   "t4", "",  "prog",
                                           "launch",  "a b"};
    struct error err;
    (void)state;
    char **argv = launcher_argv("mpiexec  -n {ranks} -env 'X=a b' t{threads} "
                                "\"\"",
                                3, 4, tail, &err);
    assert_non_null(argv);
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
        assert_string_equal(argv[i], expected[i]);
    assert_null(argv[10]);
    launcher_free(argv);
}

/* The parts of a heterogeneous job have as many ranks as they asked for. */
static void parts_of_a_job_need_no_ranks(void **state)
{
    const char *const tail[] = {"prog", NULL};
    struct error err;
    (void)state;
    char **argv =
        launcher_argv("srun --het-group=0,1 -c {threads}", 3, 2, tail, &err);
    assert_non_null(argv);
    assert_string_equal(argv[3], "2");
    launcher_free(argv);
}

static void wrong_templates_are_errors(void **state)
{
    static const struct {
        const char *template, *expected;
    } rows[] = {
        {"", "it is empty"},
        {"mpiexec -n 2", "{ranks} is missing"},
        {"mpiexec -n {rank}", "unknown '{rank}'"},
        {"mpiexec '-n {ranks}", "' is not closed"},
        {"no-such-launcher -n {ranks}", "'no-such-launcher' is not found"},
    };
    struct error err;
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_not_equal(launcher_check(rows[i].template, &err), 0);
        assert_non_null(strstr(err.text, rows[i].expected));
    }
}

/* What a watched child said, and when it is to be stopped. */
struct heard {
    char out[256], err[256];
    double deadline;
};

static void hear_out(void *arg, const char *line)
{
    struct heard *heard = arg;
    strncat(heard->out, line, 100);
    strcat(heard->out, "|");
}

static void hear_err(void *arg, const char *line)
{
    struct heard *heard = arg;
    strncat(heard->err, line, 100);
    strcat(heard->err, "|");
}

static double left(void *arg)
{
    return ((struct heard *)arg)->deadline - child_now();
}

static void run_shell(const char *command, double seconds, struct heard *heard,
                      struct child_end *end)
{
    struct error err;
    char *const argv[] = {"/bin/sh", "-c", (char *)command, NULL};
    const struct child_watcher watcher = {hear_out, hear_err, left, heard};
    int signals = child_signals(&err);
    assert_true(signals >= 0);
    *heard = (struct heard){.deadline = child_now() + seconds};
    assert_int_equal(child_run(argv, signals, &watcher, end, &err), 0);
}

static void output_comes_in_lines_with_the_end(void **state)
{
    struct heard heard;
    struct child_end end;
    char text[64];
    (void)state;
    run_shell("echo a; printf b; sleep 0.1; echo c; echo e >&2; exit 3", 60,
              &heard, &end);
    assert_string_equal(heard.out, "a|bc|");
    assert_string_equal(heard.err, "e|");
    assert_false(end.timed_out || end.interrupted);
    child_describe(end.status, text, sizeof(text));
    assert_string_equal(text, "exit code 3");
    run_shell("kill -9 $$", 60, &heard, &end);
    child_describe(end.status, text, sizeof(text));
    assert_string_equal(text, "signal 9 (Killed)");
}

static void a_child_that_takes_too_long_leaves_nothing(void **state)
{
    struct heard heard;
    struct child_end end;
    double start = child_now();
    (void)state;
    run_shell("sleep 50 & sleep 50", 0.3, &heard, &end);
    assert_true(end.timed_out);
    assert_true(child_now() - start < 5);
}

static void a_missing_program_is_an_error(void **state)
{
    struct heard heard = {.deadline = 0};
    struct child_end end;
    struct error err;
    char *const argv[] = {"/none/such", NULL};
    const struct child_watcher watcher = {hear_out, hear_err, left, &heard};
    (void)state;
    int signals = child_signals(&err);
    assert_int_not_equal(child_run(argv, signals, &watcher, &end, &err), 0);
    assert_string_equal(err.text,
                        "cannot start /none/such: No such file or directory");
}

static void powers_are_one_for_each_worker(void **state)
{
    double *power = NULL;
    int *order = NULL, count = 0;
    struct error err;
    (void)state;
    assert_int_equal(number_powers("--power", "2:1,1/2", 3, &power, &err), 0);
    assert_true(power[0] == 1 && power[1] == 1 && power[2] == 0.5);
    free(power);
    assert_int_not_equal(number_powers("--power", "1,2", 3, &power, &err), 0);
    assert_non_null(strstr(err.text, "--power: 2 powers for 3 workers"));
    assert_int_not_equal(number_powers("--power", "1,0,1", 3, &power, &err), 0);
    assert_int_not_equal(number_powers("--power", "1,,1", 3, &power, &err), 0);
    assert_int_equal(number_order("--order", "2,0", 3, &order, &count, &err),
                     0);
    assert_int_equal(count, 2);
    assert_int_equal(order[0], 2);
    free(order);
    assert_int_not_equal(number_order("--order", "3", 3, &order, &count, &err),
                         0);
}

static void the_resume_command_can_be_typed(void **state)
{
    char *argv[] = {"dlsbench run", "c d.yaml", "--out",       "x", "--set",
                    "scheme=[ss]",  "--resume", "--shard=1/2", NULL};
    (void)state;
    char *line = run_command_line(8, argv, "results/c/x");
    assert_non_null(strstr(line, " run 'c d.yaml' --set 'scheme=[ss]' "
                                 "--shard=1/2 --out results/c/x --resume"));
    free(line);
    line = run_command_line(8, argv, NULL);
    assert_non_null(strstr(line, "--out x --set"));
    free(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_template_is_filled_in),
        cmocka_unit_test(parts_of_a_job_need_no_ranks),
        cmocka_unit_test(wrong_templates_are_errors),
        cmocka_unit_test(output_comes_in_lines_with_the_end),
        cmocka_unit_test(a_child_that_takes_too_long_leaves_nothing),
        cmocka_unit_test(a_missing_program_is_an_error),
        cmocka_unit_test(powers_are_one_for_each_worker),
        cmocka_unit_test(the_resume_command_can_be_typed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
