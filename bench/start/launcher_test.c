#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "bench/cli/numbers.h"
#include "bench/driver/run.h"
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
        cmocka_unit_test(powers_are_one_for_each_worker),
        cmocka_unit_test(the_resume_command_can_be_typed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
