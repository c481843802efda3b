#include "harness/testing.h"

#include "bench/results/results.h"
#include "bench/results/rundir.h"
#include "bench/results/summary.h"
#include "bench/results/summary_rows.h"
#include "harness/check/setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A result directory in a temporary folder, left by each test. */
static void enter(char *dir)
{
    snprintf(dir, 64, "/tmp/dlsbench-results-XXXXXX");
    assert_non_null(mkdtemp(dir));
}

static void leave(const char *dir)
{
    char command[96];
    snprintf(command, sizeof(command), "rm -r %s", dir);
    assert_int_equal(system(command), 0);
}

static FILE *open_runs(const char *dir, const char *launch)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/runs-%s.jsonl", dir, launch);
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    return file;
}

static void run_line(FILE *file, const char *launch, const char *cell,
                     const char *scheme, double time, const char *verified)
{
    fprintf(file,
            "{\"schema\":1,\"type\":\"run\",\"launch\":\"%s\",\"cell\":\"%s\","
            "\"kernel\":\"null:size=5\",\"scheme\":\"%s\",\"hierarchy\":"
            "\"flat\",\"transport\":\"shared\",\"ranks\":1,\"threads\":2,"
            "\"chunks\":7,\"time_s\":%g,\"bound_s\":%g,\"serial_s\":0.25,"
            "\"overhead_mean_s\":%g,\"imbalance\":null,\"verified\":%s}\n",
            launch, cell, scheme, time, time / 2, time / 10, verified);
}

static void done_line(FILE *file, const char *launch, const char *cell,
                      const char *status)
{
    fprintf(file,
            "{\"schema\":1,\"type\":\"cell_done\",\"launch\":\"%s\",\"cell\":"
            "\"%s\",\"status\":\"%s\",\"reason\":null}\n",
            launch, cell, status);
}

/* The first launch completes a, leaves b open with a torn line, and finds c
 * wrong; the second completes b. */
static void write_two_launches(const char *dir)
{
    FILE *file = open_runs(dir, "l1");
    for (int i = 0; i < 10; i++)
        run_line(file, "l1", "a", "ss", 0.1 + 0.01 * i, "true");
    run_line(file, "l1", "b", "gss:min=1", 9, "true");
    run_line(file, "l1", "c", "static", 1e-9, "false");
    run_line(file, "l1", "c", "static", 1e-9, "true");
    done_line(file, "l1", "c", "unverified");
    done_line(file, "l1", "a", "ok");
    fputs("{\"type\":\"cell_done\",\"cell\":\"b\",\"sta", file);
    fclose(file);
    file = open_runs(dir, "l2");
    run_line(file, "l2", "b", "gss:min=1", 0.5, "\"sample\"");
    done_line(file, "l2", "b", "ok");
    fclose(file);
}

static void only_complete_and_verified_repetitions_count(void **state)
{
    char dir[64];
    struct results results;
    struct error err;
    enter(dir);
    write_two_launches(dir);
    assert_int_equal(results_read(dir, &results, &err), 0);
    assert_int_equal(results.count, 3);
    assert_int_equal(results.torn, 1);
    const struct result *a = results_find(&results, "a");
    const struct result *b = results_find(&results, "b");
    const struct result *c = results_find(&results, "c");
    assert_int_equal(a->status, RESULT_OK);
    assert_int_equal(a->count, 10);
    assert_string_equal(a->cell.scheme, "ss");
    assert_int_equal(a->cell.threads, 2);
    assert_int_equal(b->status, RESULT_OK);
    assert_int_equal(b->count, 1);
    assert_true(b->samples[0].time_s == 0.5 && b->sampled);
    assert_int_equal(c->status, RESULT_UNVERIFIED);
    assert_int_equal(c->count, 0);
    assert_string_equal(c->cell.scheme, "static");
    assert_null(results_find(&results, "d"));
    results_free(&results);
    leave(dir);
}

static void a_failed_cell_may_become_ok_later(void **state)
{
    char dir[64];
    struct results results;
    struct error err;
    struct cell cell;
    struct rundir run = {.shard = {.count = 1}};
    enter(dir);
    snprintf(run.path, sizeof(run.path), "%s", dir);
    FILE *file = open_runs(dir, "l1");
    fputs("{\"torn", file);
    fclose(file);
    cell_defaults(&cell, testing_texts());
    cell_set(&cell, "kernel", "null", &err);
    cell_set(&cell, "scheme", "ss", &err);
    assert_int_equal(cell_check(&cell, &err), 0);
    assert_int_equal(rundir_fail(&run, "l1", &cell, "it \"broke\"", &err), 0);
    assert_int_equal(results_read(dir, &results, &err), 0);
    const struct result *r = results_find(&results, cell.hash);
    assert_non_null(r);
    assert_int_equal(r->status, RESULT_FAILED);
    assert_string_equal(r->reason, "it \"broke\"");
    assert_string_equal(r->cell.scheme, "ss");
    results_free(&results);
    file = open_runs(dir, "l2");
    run_line(file, "l2", cell.hash, "ss", 1, "true");
    done_line(file, "l2", cell.hash, "ok");
    fclose(file);
    assert_int_equal(results_read(dir, &results, &err), 0);
    assert_int_equal(results.list[0].status, RESULT_OK);
    results_free(&results);
    leave(dir);
}

static void print_summary(FILE *out, const struct results *results)
{
    struct summary *summary = summary_make(results);
    summary_tables(out, summary);
    summary_answers(out, summary, NULL);
    summary_free(summary);
}

static void the_table_has_medians_and_says_what_has_none(void **state)
{
    char dir[64], *text = NULL;
    size_t size;
    struct results results;
    struct error err;
    enter(dir);
    write_two_launches(dir);
    assert_int_equal(results_read(dir, &results, &err), 0);
    FILE *out = open_memstream(&text, &size);
    print_summary(out, &results);
    summary_end(out, dir, summary_count(&results), 4);
    fclose(out);
    /* of 10 values the 2nd and the 9th enclose the median with 95 % */
    assert_non_null(strstr(text, "145.0 ms  35.0 ms   1.724   2.000  10.00 %"));
    /* one repetition proves nothing */
    assert_non_null(strstr(text, "= ss"));
    assert_non_null(strstr(text, "= gss:min=1"));
    assert_non_null(strstr(text, "UNVERIFIED"));
    assert_non_null(strstr(text, "the other results equal those of the serial "
                                 "loop (1 compared in samples)\n"));
    assert_null(strstr(text, "9.000 s"));
    assert_non_null(strstr(text, "2 cells ok, 0 failed, 1 unverified, 4 imp"));
    /* registry order */
    assert_true(strstr(text, "static") < strstr(text, "= ss"));
    assert_true(strstr(text, "= ss") < strstr(text, "gss:min=1"));
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        assert_true(strlen(line) <= 80);
    free(text);
    results_free(&results);
    leave(dir);
}

/* The summary of schemes with 10 repetitions each, from these times on. */
static char *summary_of(const char *dir, const double *times, int count)
{
    static const char *const schemes[] = {"ss", "gss:min=1", "static"};
    char *text = NULL;
    size_t size;
    struct results results;
    struct error err;
    FILE *file = open_runs(dir, "l1");
    for (int s = 0; s < count; s++) {
        for (int i = 0; i < 10; i++)
            run_line(file, "l1", schemes[s], schemes[s], times[s] + 0.01 * i,
                     "true");
        done_line(file, "l1", schemes[s], "ok");
    }
    fclose(file);
    assert_int_equal(results_read(dir, &results, &err), 0);
    FILE *out = open_memstream(&text, &size);
    print_summary(out, &results);
    fclose(out);
    results_free(&results);
    return text;
}

static void only_a_winner_has_a_star(void **state)
{
    char dir[64];
    enter(dir);
    char *text = summary_of(dir, (double[]){0.1, 0.5, 0.9}, 3);
    assert_non_null(strstr(text, "* ss"));
    assert_null(strstr(text, "= "));
    free(text);
    leave(dir);
    enter(dir);
    text = summary_of(dir, (double[]){0.1, 0.11, 0.9}, 3);
    assert_non_null(strstr(text, "= ss"));
    assert_non_null(strstr(text, "= gss:min=1"));
    assert_non_null(strstr(text, "  static"));
    assert_null(strstr(text, "* "));
    free(text);
    leave(dir);
}

/* Other people's programs have a check instead of a serial reference. */
static void a_check_that_failed_is_no_reference(void **state)
{
    struct result wrong = {.status = RESULT_UNVERIFIED, .reason = ""};
    assert_string_equal(summary_row_words(&wrong),
                        "UNVERIFIED: differs from the serial reference");
    wrong.reason = "the check: exit code 1";
    assert_string_equal(summary_row_words(&wrong), "UNVERIFIED");
}

TESTS(cmocka_unit_test(only_complete_and_verified_repetitions_count),
      cmocka_unit_test(a_failed_cell_may_become_ok_later),
      cmocka_unit_test(the_table_has_medians_and_says_what_has_none),
      cmocka_unit_test(only_a_winner_has_a_star),
      cmocka_unit_test(a_check_that_failed_is_no_reference))
