/* Tables: where they exist, where they end and what they refuse. */
#include "sched/sched_testing.h"
#include "sched/schemes/scheme_registry.h"

#include <errno.h>
#include <stdio.h>

static int build(struct sched_table *table, const char *text,
                 const struct sched_loop *loop, int64_t min_chunk,
                 struct error *err)
{
    const struct sched_ops *ops;
    struct spec spec;
    assert_int_equal(sched_parse(text, &ops, &spec, NULL), 0);
    return sched_table_build(table, ops, &spec, loop, min_chunk, err);
}

static void fixed_sizes_need_no_starts(void **unused)
{
    const int64_t big = (int64_t)1 << 40;
    struct sched_loop loop = {.iterations = big, .workers = 3};
    struct sched_table table;
    assert_int_equal(build(&table, "ss", &loop, 1, NULL), 0);
    assert_null(table.start);
    assert_true(table.steps == big && table.fixed_size == 1);
    assert_true(sched_table_chunk(&table, big - 1).start == big - 1);
    sched_table_free(&table);

    assert_int_equal(build(&table, "ss", &loop, 5, NULL), 0);
    assert_true(table.fixed_size == 5 && table.steps == big / 5 + 1);
    struct chunk last = sched_table_chunk(&table, table.steps - 1);
    assert_true(last.size == big % 5 && last.start + last.size == big);
    sched_table_free(&table);

    assert_int_equal(build(&table, "css:chunk=3", &loop, 5, NULL), 0);
    assert_true(table.fixed_size == 5);
    sched_table_free(&table);
    assert_int_equal(build(&table, "css", &loop, 5, NULL), 0);
    assert_true(table.fixed_size == big / 3 + 1 && table.steps == 3);
    sched_table_free(&table);
}

static void fixed_size_is_that_of_every_request(void **unused)
{
    struct sched_loop loop = {.iterations = (int64_t)1 << 40, .workers = 3};
    struct testing_loop t;
    struct chunk chunk;
    testing_open(&t, "ss", &loop, 4);
    assert_true(sched_fixed_size(&t.sched) == 4);
    for (int i = 0; i < 1000; i++) {
        assert_true(sched_next(&t.sched, i % 3, &chunk));
        assert_true(chunk.size == 4 && chunk.step == i);
    }
    testing_close(&t);
    testing_open(&t, "gss", &loop, 4);
    assert_true(sched_fixed_size(&t.sched) == 0);
    testing_close(&t);
}

static void too_many_steps_are_refused(void **unused)
{
    struct sched_loop loop = {.iterations = SCHED_TABLE_STEPS_MAX,
                              .workers = 3};
    struct sched_table table;
    struct error err = {""};
    const char *ones = "tss:first=1,last=1";
    assert_int_equal(build(&table, ones, &loop, 1, &err), 0);
    assert_true(table.steps == SCHED_TABLE_STEPS_MAX);
    sched_table_free(&table);
    loop.iterations++;
    assert_int_equal(build(&table, ones, &loop, 1, &err), -E2BIG);
    assert_non_null(strstr(err.text, "more than 4194304 chunks"));
    loop.iterations = (int64_t)1 << 40;
    assert_int_equal(build(&table, ones, &loop, 1, &err), -E2BIG);
}

static void tables_need_equal_powers(void **unused)
{
    double power[] = {2, 2, 1};
    struct sched_loop loop = {.iterations = 900, .workers = 3, .power = power};
    struct sched_table table;
    struct error err = {""};
    assert_int_equal(build(&table, "wcss", &loop, 1, &err), -ENOTSUP);
    assert_non_null(strstr(err.text, "wcss has no table"));
    assert_int_equal(build(&table, "dtss", &loop, 1, &err), -ENOTSUP);
    assert_int_equal(build(&table, "gss", &loop, 1, &err), 0);
    sched_table_free(&table);
    power[2] = 2;
    assert_int_equal(build(&table, "wcss:k=2", &loop, 1, &err), 0);
    assert_true(table.steps == 6 && table.primed == 3);
    sched_table_free(&table);
}

/* Static blocks go by falling power, so that worker 1 has the first one. */
static void primed_steps_belong_to_workers(void **unused)
{
    const double power[] = {1, 3, 2, 3};
    struct sched_loop loop = {.iterations = 10, .workers = 4, .power = power};
    struct sched_table table;
    const int32_t all[] = {3, 0, 2, 1};
    assert_int_equal(build(&table, "static", &loop, 1, NULL), 0);
    assert_true(table.steps == 4 && table.primed == 4);
    assert_memory_equal(table.rank, all, sizeof(all));
    sched_table_free(&table);

    const int32_t some[] = {-1, 0, 2, 1};
    assert_int_equal(build(&table, "static", &loop, 4, NULL), 0);
    assert_true(table.steps == 3 && table.primed == 3);
    assert_memory_equal(table.rank, some, sizeof(some));
    assert_true(sched_table_chunk(&table, 2).size == 2);
    sched_table_free(&table);
}

static void bad_loops_have_no_table(void **unused)
{
    struct sched_loop loop = {.iterations = 10, .workers = 0};
    struct sched_table table;
    struct error err = {""};
    assert_int_equal(build(&table, "wcss", &loop, 1, &err), -EINVAL);
    loop.workers = 2;
    assert_int_equal(build(&table, "gss", &loop, -1, &err), -EINVAL);
    loop.iterations = -3;
    assert_int_equal(build(&table, "static", &loop, 1, &err), -EINVAL);
    assert_non_null(strstr(err.text, "-3 iterations"));
}

TESTS(cmocka_unit_test(fixed_sizes_need_no_starts),
      cmocka_unit_test(fixed_size_is_that_of_every_request),
      cmocka_unit_test(too_many_steps_are_refused),
      cmocka_unit_test(tables_need_equal_powers),
      cmocka_unit_test(primed_steps_belong_to_workers),
      cmocka_unit_test(bad_loops_have_no_table))
