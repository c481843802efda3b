/* The regret of constructed results: which repetitions count, against which
 * fixed choice, its value and its interval. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "bench/tables/regret_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct folder {
    char path[64];
    FILE *runs, *choices;
};

static FILE *file_of(const struct folder *folder, const char *kind)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/%s-l1.jsonl", folder->path, kind);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    return file;
}

static int enter(void **state)
{
    struct folder *folder = calloc(1, sizeof(*folder));
    snprintf(folder->path, sizeof(folder->path), "/tmp/dlsbench-regret-XXXXXX");
    assert_non_null(mkdtemp(folder->path));
    folder->runs = file_of(folder, "runs");
    folder->choices = file_of(folder, "choices");
    *state = folder;
    return 0;
}

static int leave(void **state)
{
    struct folder *folder = *state;
    char command[96];
    snprintf(command, sizeof(command), "rm -r %s", folder->path);
    assert_int_equal(system(command), 0);
    free(folder);
    return 0;
}

#define HEAD "\"schema\":1,\"launch\":\"l1\",\"cell\":\"%s\",\"type\":\"%s\","

/* A repetition; `chosen`: more columns of the line. */
static void run_line(struct folder *folder, const char *cell,
                     const char *scheme, const char *load, double time_s,
                     const char *chosen)
{
    fprintf(folder->runs,
            "{" HEAD "\"kernel\":\"null:size=5\",\"scheme\":\"%s\","
            "\"hierarchy\":\"flat\",\"transport\":\"shared\",\"load\":\"%s\","
            "\"ranks\":1,\"threads\":2,\"time_s\":%.17g,\"verified\":true%s}\n",
            cell, "run", scheme, load, time_s, chosen);
}

static void done_line(struct folder *folder, const char *cell)
{
    fprintf(folder->runs, "{" HEAD "\"status\":\"ok\",\"reason\":null}\n", cell,
            "cell_done");
}

/* A fixed cell of the times 1, 2, ... `count` times `scale`. */
static void fixed(struct folder *folder, const char *scheme, const char *load,
                  int count, double scale)
{
    char cell[64];
    snprintf(cell, sizeof(cell), "%s %s", scheme, load);
    for (int i = count; i > 0; i--)
        run_line(folder, cell, scheme, load, i * scale, "");
    done_line(folder, cell);
}

static void candidate(struct folder *folder, const char *by, const char *scheme,
                      const char *interval, bool chosen)
{
    fprintf(folder->choices,
            "{" HEAD "\"by\":\"%s\",\"candidate\":\"%s \",\"scheme\":\"%s\","
            "\"hierarchy\":\"flat\",\"sync_interval\":%s,\"predicted_s\":0.5,"
            "\"repetitions\":7,\"median_s\":6.5,\"chosen\":%s}\n",
            "auto", "candidate", by, scheme, scheme, interval,
            chosen ? "true" : "false");
}

static void ran(struct folder *folder, const char *scheme, const char *interval,
                bool trial, double time_s)
{
    char chosen[200];
    snprintf(chosen, sizeof(chosen),
             ",\"chosen_scheme\":\"%s\",\"chosen_hierarchy\":\"flat\","
             "\"chosen_interval\":%s,\"trial\":%s",
             scheme, interval, trial ? "true" : "false");
    run_line(folder, "auto", "auto:by=trial", "", time_s, chosen);
}

/* What the directory says of the one cell of auto. */
static struct regret look(struct folder *folder)
{
    struct results results;
    struct regrets regrets;
    struct error err;
    fclose(folder->runs);
    fclose(folder->choices);
    assert_int_equal(results_read(folder->path, &results, &err), 0);
    assert_int_equal(regrets_open(&regrets, &results, folder->path, &err), 0);
    assert_int_equal(regrets.count, 1);
    struct regret r = regrets.list[0];
    /* These end with what is closed here. */
    r.result = NULL;
    r.chosen = NULL;
    r.launch = NULL;
    r.best = r.best == NULL ? NULL : (const void *)"";
    regrets_close(&regrets);
    results_free(&results);
    return r;
}

static void near(double a, double b)
{
    if (!(fabs(a - b) < 1e-9))
        fail_msg("%.12g is not %.12g", a, b);
}

/* Of 10 values the 95 % interval of the median is the 2nd to the 9th. */
static void
simulations_are_compared_with_the_best_of_their_problem(void **state)
{
    struct folder *folder = *state;
    fixed(folder, "gss:min=1", "", 10, 2);
    fixed(folder, "ss", "", 10, 1);
    fixed(folder, "static", "w1:1", 10, 0.1); /* another problem */
    candidate(folder, "simulation", "ss", "null", false);
    candidate(folder, "simulation", "gss:min=1", "null", true);
    for (int i = 1; i <= 10; i++)
        ran(folder, "gss:min=1", "0", false, 2.2 * i);
    done_line(folder, "auto");
    struct regret r = look(folder);
    assert_false(r.trial);
    assert_int_equal(r.candidates, 2);
    near(r.time.median, 2.2 * 5.5);
    near(r.best_time.median, 5.5);
    near(r.value, 1.2);
    double far = hypot(log(5.5 / 2), log(9 / 5.5));
    near(r.low, 2.2 * exp(-far) - 1);
    near(r.high, 2.2 * exp(far) - 1);
    near(r.predicted_s, 0.5);
}

/* What other candidates took, and what the choice took before trials began
 * again, is not what it takes. */
static void of_trials_the_last_choice_counts(void **state)
{
    struct folder *folder = *state;
    fixed(folder, "ss", "", 6, 1);
    candidate(folder, "trial", "ss", "100", true);
    candidate(folder, "trial", "static", "100", false);
    ran(folder, "ss", "100", true, 50);
    ran(folder, "static", "100", true, 60);
    ran(folder, "ss", "100", false, 70);
    ran(folder, "static", "100", true, 80);
    for (int i = 0; i < 3; i++)
        ran(folder, "ss", "100", true, 7);
    ran(folder, "ss", "200", true, 90);
    for (int i = 0; i < 4; i++)
        ran(folder, "ss", "100", false, 7);
    done_line(folder, "auto");
    struct regret r = look(folder);
    assert_true(r.trial);
    near(r.time.median, 7);
    near(r.value, 1);
    /* All of theirs are 7; of 6 the whole range is the interval. */
    near(r.low, 7 / 6.0 - 1);
    near(r.high, 7 - 1.0);
    near(r.mean_s / r.best_mean_s, (50 + 60 + 70 + 80 + 90 + 49) / 12.0 / 3.5);
}

static void few_repetitions_have_no_interval(void **state)
{
    struct folder *folder = *state;
    fixed(folder, "ss", "", 5, 1);
    candidate(folder, "simulation", "ss", "null", true);
    for (int i = 1; i <= 10; i++)
        ran(folder, "ss", "0", false, i);
    done_line(folder, "auto");
    struct regret r = look(folder);
    near(r.value, 5.5 / 3 - 1);
    assert_true(isnan(r.low) && isnan(r.high));
}

static void without_a_fixed_cell_there_is_no_regret(void **state)
{
    struct folder *folder = *state;
    candidate(folder, "simulation", "ss", "null", true);
    ran(folder, "ss", "0", false, 3);
    done_line(folder, "auto");
    struct regret r = look(folder);
    assert_null(r.best);
    near(r.time.median, 3);
    assert_true(isnan(r.value) && isnan(r.low) && isnan(r.high));
}

static void tables_say_regret_and_interval(void **state)
{
    struct folder *folder = *state;
    struct results results;
    struct error err;
    char path[128], *text = NULL, line[1024];
    size_t size;
    fixed(folder, "ss", "", 10, 1);
    candidate(folder, "trial", "ss", "null", true);
    for (int i = 1; i <= 10; i++)
        ran(folder, "ss", "0", false, 1.1 * i);
    done_line(folder, "auto");
    fclose(folder->runs);
    fclose(folder->choices);
    assert_int_equal(results_read(folder->path, &results, &err), 0);
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(regret_print(out, &results, folder->path, &err), 0);
    fclose(out);
    assert_non_null(strstr(text, "+10.0 %  -64.3 to +238.9"));
    assert_non_null(strstr(text, "0 are within the 3 % aimed at, 0 above"));
    free(text);
    assert_int_equal(regret_store(&results, folder->path, &err), 0);
    results_free(&results);
    snprintf(path, sizeof(path), "%s/auto.csv", folder->path);
    FILE *csv = fopen(path, "r");
    assert_non_null(csv);
    assert_non_null(fgets(line, sizeof(line), csv));
    assert_non_null(strstr(line, ",regret,regret_low,regret_high,"));
    assert_non_null(fgets(line, sizeof(line), csv));
    assert_non_null(strstr(line,
                           ",6.05000000,5.50000000,0.100000000,-0.642921088,"
                           "2.38860671,"));
    fclose(csv);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)
    const struct CMUnitTest tests[] = {
        TEST(simulations_are_compared_with_the_best_of_their_problem),
        TEST(of_trials_the_last_choice_counts),
        TEST(few_repetitions_have_no_interval),
        TEST(without_a_fixed_cell_there_is_no_regret),
        TEST(tables_say_regret_and_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
