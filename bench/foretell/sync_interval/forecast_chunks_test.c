/* Chunks of schemes, counted and listed. */
#include "harness/testing.h"

#include "bench/foretell/sync_interval/forecast.h"

static void chunks_of_schemes_are_counted(void **unused)
{
    static const struct {
        const char *scheme;
        int64_t rows, min_chunk, k;
    } rows[] = {{"static", 100, 1, 1},       {"css:chunk=10", 100, 1, 5},
                {"css:chunk=10", 94, 1, 5},  {"css:chunk=10", 64, 1, 4},
                {"ss", 100, 1, 50},          {"ss", 100, 5, 10},
                {"css:chunk=1000", 9, 1, 1}, {"dtss", 1000, 1, 4}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct forecast_chunks chunks;
        struct error err = {""};
        if (forecast_chunks(rows[i].scheme, rows[i].rows, 2, NULL,
                            rows[i].min_chunk, &chunks, &err) != 0)
            fail_msg("%s", err.text);
        if (strcmp(rows[i].scheme, "dtss") == 0)
            assert_true(chunks.k > 1 && chunks.k < 20);
        else if (chunks.k != rows[i].k)
            fail_msg("%s of %d: k = %d", rows[i].scheme, (int)rows[i].rows,
                     (int)chunks.k);
        forecast_forget(&chunks);
    }
}

/* The list has only unequal chunks, and only if they are few enough. */
static void chunks_that_differ_are_listed(void **unused)
{
    static const struct {
        const char *scheme;
        int64_t rows, count;
    } rows[] = {{"static", 100, 0},       {"css:chunk=10", 200, 0},
                {"css:chunk=80", 200, 3}, {"ss", 100, 0},
                {"fss", 100, 12},         {"css:chunk=3", 100000, 0}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct forecast_chunks chunks;
        double sum = 0;
        assert_int_equal(forecast_chunks(rows[i].scheme, rows[i].rows, 2, NULL,
                                         1, &chunks, NULL),
                         0);
        if (rows[i].count == 0)
            assert_null(chunks.list);
        else if (rows[i].count != chunks.count)
            fail_msg("%s: %d", rows[i].scheme, (int)chunks.count);
        for (int64_t c = 0; c < chunks.count; c++) {
            assert_int_equal(chunks.list[c].worker, c % 2);
            sum += chunks.list[c].rows;
        }
        assert_true(chunks.count == 0 || sum == (double)rows[i].rows);
        forecast_forget(&chunks);
    }
}

TESTS(cmocka_unit_test(chunks_of_schemes_are_counted),
      cmocka_unit_test(chunks_that_differ_are_listed))
