/* The tables of loops with dependences, from lines as a launch writes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "bench/tables/sync_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct folder {
    char path[64];
    FILE *runs;
    int cells;
};

static void enter(struct folder *f)
{
    char path[128];
    *f = (struct folder){.path = "/tmp/dlsbench-tables-XXXXXX"};
    assert_non_null(mkdtemp(f->path));
    snprintf(path, sizeof(path), "%s/runs-l.jsonl", f->path);
    f->runs = fopen(path, "w");
    assert_non_null(f->runs);
}

static void leave(const struct folder *f)
{
    char command[96];
    snprintf(command, sizeof(command), "rm -r %s", f->path);
    assert_int_equal(system(command), 0);
}

/* A cell of three repetitions around `time`; the loop alone takes 12 s. */
static void add(struct folder *f, const char *scheme, int threads,
                const char *interval, const char *machine, double time)
{
    int cell = f->cells++;
    for (int i = -1; i <= 1; i++)
        fprintf(f->runs,
                "{\"schema\":1,\"type\":\"run\",\"launch\":\"l\",\"cell\":"
                "\"%d\",\"kernel\":\"heat:rows=9\",\"scheme\":\"%s\","
                "\"hierarchy\":\"flat\",\"transport\":\"shared\",\"ranks\":1,"
                "\"threads\":%d,\"sync_interval\":%s,%s\"chunks\":7,"
                "\"time_s\":%g,\"serial_s\":12,\"verified\":true}\n",
                cell, scheme, threads, interval, machine, time + 0.5 * i);
    fprintf(f->runs,
            "{\"schema\":1,\"type\":\"cell_done\",\"launch\":\"l\",\"cell\":"
            "\"%d\",\"status\":\"ok\",\"reason\":null}\n",
            cell);
}

static char *printed(struct folder *f, struct results *results)
{
    char *text = NULL;
    size_t size;
    struct error err = {""};
    fclose(f->runs);
    assert_int_equal(results_read(f->path, results, &err), 0);
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(sync_tables_print(out, results, &err), 0);
    fclose(out);
    return text;
}

static void assert_line(const char *text, const char *line)
{
    if (strstr(text, line) == NULL)
        fail_msg("'%s' is not in\n%s", line, text);
}

static void fill(struct folder *f)
{
    add(f, "tss", 3, "150", "\"load\":\"w1:1\",", 6);
    add(f, "tss", 2, "150", "", 8);
    add(f, "css:chunk=2", 3, "150", "", 5);
    add(f, "css:chunk=2", 2, "1000", "", 7);
    add(f, "css:chunk=2", 2, "150", "", 7.5);
    add(f, "css:chunk=2", 2, "150", "\"load\":\"w0-w1:2\",", 20);
}

static void dedicated_and_not_stand_side_by_side(void **unused)
{
    (void)unused;
    struct folder f;
    struct results results;
    enter(&f);
    fill(&f);
    char *text = printed(&f, &results);
    assert_line(text, "\nheat:rows=9\n  threads, shared, flat\n");
    assert_line(text, "            workers                    2          3"
                      "             2          3\n"
                      "  interval  scheme             dedicated  dedicated"
                      "  load w0-w1:2  load w1:1\n"
                      "  150       DMPS(css:chunk=2)   7.500 s    5.000 s "
                      "      20.00 s           -\n"
                      "  150       DMPS(tss)           8.000 s           -"
                      "             -   6.000 s \n"
                      "  1000      DMPS(css:chunk=2)   7.000 s           -"
                      "             -          -\n");
    free(text);
    results_free(&results);
    leave(&f);
}

/* 12 s alone; the power of a worker beside n processes is 1 / (1 + n). */
static void speedups_stand_against_total_power(void **unused)
{
    (void)unused;
    struct folder f;
    struct results results;
    enter(&f);
    fill(&f);
    char *text = printed(&f, &results);
    assert_line(text, "  150       dedicated           2            2  "
                      "            1.600      1.500\n");
    assert_line(text, "  150       load w0-w1:2        2       0.6667  "
                      "           0.6000          -\n");
    assert_line(text, "  150       load w1:1           3          2.5  "
                      "                -      2.000\n");
    assert_line(text, "  1000      dedicated           2            2  "
                      "            1.714          -\n");
    assert_null(strstr(text, "  1000      load"));
    free(text);
    results_free(&results);
    leave(&f);
}

/* Worker 0 measures the loop; the fastest, of power 3, needs a third. */
static void the_fastest_worker_is_the_base(void **unused)
{
    (void)unused;
    struct folder f;
    struct results results;
    enter(&f);
    add(&f, "dtss", 2, "100", "\"power\":\"1,3\",\"load\":\"w1:2\",", 2);
    char *text = printed(&f, &results);
    assert_line(text,
                "  100       load w1:2        2            2       2.000");
    assert_line(text, "            power             1,3\n");
    free(text);
    results_free(&results);
    leave(&f);
}

static void add_worker(const struct folder *f, const char *launch, int worker,
                       double power)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/workers-%s.jsonl", f->path, launch);
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    fprintf(file,
            "{\"schema\":1,\"launch\":\"%s\",\"cell\":\"0\",\"worker\":%d,"
            "\"power\":%g}\n",
            launch, worker, power);
    fclose(file);
}

/* Beside its load worker 1 has power 2, alone it would have 4: the loop that
 * takes worker 0 12 s takes it 3 s.  Worker 1 had 1.9 and 2.1 in two launches.
 */
static void measured_powers_are_those_of_the_workers(void **unused)
{
    (void)unused;
    struct folder f;
    struct results results;
    enter(&f);
    add(&f, "dtss", 2, "100", "\"power\":\"measured\",\"load\":\"w1:1\",", 2);
    add_worker(&f, "a", 0, 1);
    add_worker(&f, "a", 1, 1.9);
    add_worker(&f, "b", 0, 1);
    add_worker(&f, "b", 1, 2.1);
    char *text = printed(&f, &results);
    assert_line(text,
                "  100       load w1:1        2            3       1.500");
    free(text);
    results_free(&results);
    leave(&f);
}

/* Then neither the total nor the fastest is known, and no number stands. */
static void powers_that_nobody_recorded_are_not_known(void **unused)
{
    (void)unused;
    struct folder f;
    struct results results;
    enter(&f);
    add(&f, "dtss", 2, "100", "\"power\":\"measured\",", 2);
    char *text = printed(&f, &results);
    assert_line(text,
                "  100       dedicated        2            -           -");
    free(text);
    results_free(&results);
    leave(&f);
}

static void they_are_stored(void **unused)
{
    (void)unused;
    struct folder f;
    struct results results;
    struct error err = {""};
    char path[128], line[256] = "", last[256] = "";
    enter(&f);
    fill(&f);
    free(printed(&f, &results));
    assert_int_equal(sync_tables_store(f.path, &results, &err), 0);
    snprintf(path, sizeof(path), "%s/sync-tables.csv", f.path);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof(line), file));
    assert_string_equal(line, "kernel,mode,sync_interval,scheme,workers,"
                              "time_s,load,power,total_power,speedup,way\n");
    int lines = 0;
    for (; fgets(line, sizeof(line), file) != NULL; lines++)
        strcpy(last, line);
    fclose(file);
    assert_int_equal(lines, 6);
    assert_string_equal(last,
                        "heat:rows=9,dedicated,1000,dmps:css:chunk=2,2,7,,,2,"
                        "1.71429,\"threads, shared, flat\"\n");
    snprintf(path, sizeof(path), "%s/sync-tables.txt", f.path);
    assert_int_equal(remove(path), 0);
    results_free(&results);
    leave(&f);
}

static void without_intervals_there_is_nothing(void **unused)
{
    (void)unused;
    struct folder f;
    struct results results;
    struct error err = {""};
    char path[128];
    enter(&f);
    add(&f, "tss", 2, "null", "", 6);
    char *text = printed(&f, &results);
    assert_string_equal(text, "");
    free(text);
    assert_int_equal(sync_tables_store(f.path, &results, &err), 0);
    snprintf(path, sizeof(path), "%s/sync-tables.csv", f.path);
    assert_int_equal(remove(path), -1);
    results_free(&results);
    leave(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dedicated_and_not_stand_side_by_side),
        cmocka_unit_test(speedups_stand_against_total_power),
        cmocka_unit_test(the_fastest_worker_is_the_base),
        cmocka_unit_test(measured_powers_are_those_of_the_workers),
        cmocka_unit_test(powers_that_nobody_recorded_are_not_known),
        cmocka_unit_test(they_are_stored),
        cmocka_unit_test(without_intervals_there_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
