/* How long cells will take, by what an earlier directory says of scaling. */
#include "harness/testing.h"

#include "bench/launching/driver/estimate.h"
#include "harness/check/setup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const struct policy policy = {
    .repetitions_max = 1, .cell_seconds = 1e9, .cell_timeout = 1e9};

/* A cell that is complete: a loop of 12 s on so many workers. */
static void add(FILE *runs, const char *kernel, int threads, double time)
{
    fprintf(
        runs,
        "{\"schema\":1,\"type\":\"run\",\"cell\":\"%s%d\",\"kernel\":\"%s\","
        "\"scheme\":\"ss\",\"hierarchy\":\"flat\",\"transport\":"
        "\"shared\",\"ranks\":1,\"threads\":%d,\"time_s\":%g,"
        "\"serial_s\":12,\"verified\":true}\n"
        "{\"schema\":1,\"type\":\"cell_done\",\"cell\":\"%s%d\","
        "\"status\":\"ok\"}\n",
        kernel, threads, kernel, threads, time, kernel, threads);
}

/* Seconds of a repetition on so many threads, after such a directory. */
static struct estimate estimate(const int threads[], const double times[],
                                const char *kernel, int workers)
{
    char folder[] = "/tmp/dlsbench-estimate-XXXXXX", path[64], command[64];
    struct estimator estimator;
    struct error err = {""};
    struct cell cell;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/runs-l.jsonl", folder);
    FILE *runs = fopen(path, "w");
    assert_non_null(runs);
    for (int i = 0; threads[i] > 0; i++)
        add(runs, "null:size=7", threads[i], times[i]);
    fclose(runs);
    setenv("XDG_CACHE_HOME", folder, 1); /* no calibration of this machine */
    if (estimator_open(&estimator, &policy, folder, NULL, &err) != 0)
        fail_msg("%s", err.text);
    cell_defaults(&cell, testing_texts());
    cell.kernel = kernel;
    cell.scheme = "gss";
    cell.threads = workers;
    assert_int_equal(cell_check(&cell, &err), 0);
    struct estimate found = estimate_cell(&estimator, &cell);
    estimator_close(&estimator);
    snprintf(command, sizeof(command), "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    return found;
}

static void assert_takes(const int threads[], const double times[], int workers,
                         double seconds)
{
    struct estimate found = estimate(threads, times, "null:size=7", workers);
    double whole = estimate_whole(&policy, seconds, 12);
    assert_string_equal(found.by, "alike");
    if (fabs(found.seconds / whole - 1) > 1e-9)
        fail_msg("%d workers: %g s, it should be %g", workers, found.seconds,
                 whole);
}

static void scaling_is_what_it_was(void **state)
{
    const int threads[] = {8, 1, 2, 0};
    const double times[] = {3, 12, 7.5};
    assert_takes(threads, times, 1, 12);
    assert_takes(threads, times, 2, 7.5);
    assert_takes(threads, times, 8, 3);
    /* Half way between 1.25 and 2 times what perfect scaling takes. */
    assert_takes(threads, times, 4, 12 * 1.625 / 4);
    /* A seventh of it is serial, by Amdahl's law. */
    assert_takes(threads, times, 16, 12 * (1 + 1.0 / 7 * 15) / 16);
}

static void one_number_of_workers_speaks_for_all(void **state)
{
    const int one[] = {1, 0}, four[] = {4, 0};
    const double slow[] = {15}, times[] = {4.5};
    assert_takes(one, slow, 5, 15.0 / 5);
    assert_takes(four, times, 2, 12 * 1.5 / 2);
    assert_takes(four, times, 7, 12 * (1 + 0.5 / 3 * 6) / 7);
    /* Faster than perfect stays so, and gets no faster. */
    const double fast[] = {2};
    assert_takes(four, fast, 8, 1);
}

/* trace needs no calibration: its costs are seconds. */
static void other_kernels_tell_of_scaling_too(void **state)
{
    const int threads[] = {2, 0};
    const double times[] = {9};
    char file[] = "/tmp/dlsbench-costs-XXXXXX", kernel[64];
    FILE *costs = fdopen(mkstemp(file), "w");
    assert_non_null(costs);
    fputs("2\n2\n2\n2\n", costs);
    fclose(costs);
    snprintf(kernel, sizeof(kernel), "trace:file=%s", file);
    struct estimate found = estimate(threads, times, kernel, 2);
    assert_int_equal(remove(file), 0);
    assert_string_equal(found.by, "model");
    double whole = estimate_whole(&policy, 8 * 1.5 / 2, 8);
    assert_true(fabs(found.seconds / whole - 1) < 1e-9);
}

TESTS(cmocka_unit_test(scaling_is_what_it_was),
      cmocka_unit_test(one_number_of_workers_speaks_for_all),
      cmocka_unit_test(other_kernels_tell_of_scaling_too))
