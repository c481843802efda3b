#include "base/unit_testing.h"

#include "bench/commands/run/run_options.h"
#include "bench/launching/launcher.h"
#include "bench/options/numbers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void the_template_is_filled_in(void **state)
{
    const char *const tail[] = {"prog", "launch", "a b", NULL};
    static const char *const expected[] = {"mpiexec", "-n", "3", "-env",
                                           "X=a b",   "t4", "",  "prog",
                                           "launch",  "a b"};
    struct error err;
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
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_not_equal(launcher_check(rows[i].template, &err), 0);
        assert_non_null(strstr(err.text, rows[i].expected));
    }
}

/* The variable comes first, then the file; the rest depends on the place. */
static void a_launcher_is_given_once(void **state)
{
    char folder[] = "/tmp/launcher-XXXXXX", text[LAUNCHER_SIZE], path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/dlsbench", folder);
    setenv("XDG_CONFIG_HOME", folder, 1);
    unsetenv("SLURM_JOB_ID");
    unsetenv("DLSBENCH_LAUNCHER");
    const char *built = launcher_default(text);
    assert_true(launcher_is_local(built));
    assert_int_equal(mkdir(path, 0777), 0);
    strcat(path, "/launcher");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(" \tmine -n {ranks} \nsecond\n", file);
    fclose(file);
    assert_string_equal(launcher_default(text), "mine -n {ranks}");
    assert_false(launcher_is_local("mine -n {ranks}"));
    setenv("DLSBENCH_LAUNCHER", "yours -n {ranks}", 1);
    assert_string_equal(launcher_default(text), "yours -n {ranks}");
    setenv("DLSBENCH_LAUNCHER", "", 1);
    assert_string_equal(launcher_default(text), "mine -n {ranks}");
    unlink(path);
    *strrchr(path, '/') = '\0';
    rmdir(path);
    rmdir(folder);
}

static void a_job_of_any_batch_system_is_not_local(void **state)
{
    static const char *const jobs[] = {"SLURM_JOB_ID", "PBS_JOBID",
                                       "PALS_APID",    "LSB_JOBID",
                                       "FLUX_JOB_ID",  "COBALT_JOBID"};
    char text[LAUNCHER_SIZE];
    unsetenv("DLSBENCH_LAUNCHER");
    const char *built = launcher_default(text);
    for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
        assert_true(launcher_is_local(built));
        setenv(jobs[i], "1", 1);
        assert_false(launcher_is_local(built));
        unsetenv(jobs[i]);
    }
}

static void powers_are_one_for_each_worker(void **state)
{
    double *power = NULL;
    int *order = NULL, count = 0;
    struct error err;
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
    char *line = run_command_line(8, argv, "results/c/x");
    assert_non_null(strstr(line, " run 'c d.yaml' --set 'scheme=[ss]' "
                                 "--shard=1/2 --out results/c/x --resume"));
    free(line);
    line = run_command_line(8, argv, NULL);
    assert_non_null(strstr(line, "--out x --set"));
    free(line);
}

TESTS(cmocka_unit_test(the_template_is_filled_in),
      cmocka_unit_test(parts_of_a_job_need_no_ranks),
      cmocka_unit_test(wrong_templates_are_errors),
      cmocka_unit_test(a_launcher_is_given_once),
      cmocka_unit_test(a_job_of_any_batch_system_is_not_local),
      cmocka_unit_test(powers_are_one_for_each_worker),
      cmocka_unit_test(the_resume_command_can_be_typed))
