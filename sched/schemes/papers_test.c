/* Every chunk sequence that the papers print, and examples worked out by hand
 * from their formulas. */
#include "sched/sched_testing.h"

#include <errno.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static void assert_count(const char *text, int64_t tasks, int workers,
                         int expected)
{
    struct sched_loop loop = {.iterations = tasks, .workers = workers};
    int64_t size[TESTING_SIZES];
    int n = testing_sizes(text, &loop, 1, size, TESTING_SIZES);
    if (n != expected)
        fail_msg("%s %" PRId64 "/%d: %d chunks, printed are %d", text, tasks,
                 workers, n, expected);
}

static void diaz_table_3(void **unused)
{
    static const char *const scheme[] = {"css", "gss", "tss-taylor", "fss",
                                         "qss"};
    FILE *file = testing_open_paper("diaz/table_3.csv");
    int rows = 0, workers, count[5];
    int64_t tasks;
    while (fscanf(file, "%" SCNd64 ",%d,%d,%d,%d,%d,%d", &tasks, &workers,
                  &count[0], &count[1], &count[2], &count[3], &count[4]) == 7) {
        for (int i = 0; i < 5; i++)
            assert_count(scheme[i], tasks, workers, count[i]);
        rows++;
    }
    fclose(file);
    assert_int_equal(rows, 4);
}

/* A row "name,300 300 ..." of table 1 against the sizes of a scheme. */
static void assert_ciorba_row(const char *name, const char *text)
{
    struct sched_loop loop = {.iterations = 5000, .workers = 9};
    int64_t expected[TESTING_SIZES];
    char line[1024];
    int count = -1;
    size_t length = strlen(name);
    FILE *file = testing_open_paper("ciorba/table_1.csv");
    while (count < 0 && fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, name, length) != 0 || line[length] != ',')
            continue;
        char *next = line + length + 1;
        for (count = 0; *next != '\n' && *next != '\0'; count++)
            expected[count] = strtoll(next, &next, 10);
    }
    fclose(file);
    assert_true(count > 0);
    testing_assert_sizes(text, &loop, expected, count);
}

static void ciorba_table_1(void **unused)
{
    assert_ciorba_row("css", "css:chunk=300");
    assert_ciorba_row("tss", "tss");
}

/* 5 twins of power 1, 5 kids of 0.63, U_c = 10000. */
static void andronikos_experiment_3(void **unused)
{
    const double power[] = {.63, .63, .63, .63, .63, 1, 1, 1, 1, 1};
    struct sched_loop loop = {
        .iterations = 10000, .workers = 10, .power = power};
    struct testing_loop t;
    struct chunk chunk;
    testing_open(&t, "wcss", &loop, 1);
    for (int j = 0; j < 10; j++) {
        bool twin = j >= 5;
        assert_true(sched_next(&t.sched, j, &chunk));
        assert_int_equal(chunk.size, twin ? 1227 : 773);
        assert_int_equal(chunk.step, twin ? j - 5 : j + 5);
    }
    assert_false(sched_next(&t.sched, 0, &chunk));
    testing_close(&t);
}

static void wcss_k_rounds(void **unused)
{
    const double power[] = {2, 1, 1};
    struct sched_loop loop = {.iterations = 800, .workers = 3, .power = power};
    TESTING_ASSERT_SIZES("wcss:k=4", &loop, 100, 50, 50, 100, 50, 50, 100, 50,
                         50, 100, 50, 50);
}

static void static_blocks_differ_by_one(void **unused)
{
    struct sched_loop loop = {.iterations = 10, .workers = 4};
    TESTING_ASSERT_SIZES("static", &loop, 3, 3, 2, 2);
    loop.iterations = 3;
    struct testing_loop t;
    struct chunk chunk;
    testing_open(&t, "static", &loop, 1);
    assert_false(sched_next(&t.sched, 3, &chunk));
    assert_true(sched_next(&t.sched, 2, &chunk));
    assert_int_equal(chunk.start, 2);
    assert_false(sched_next(&t.sched, 2, &chunk));
    testing_close(&t);
}

static void simple_schemes(void **unused)
{
    struct sched_loop loop = {.iterations = 100, .workers = 4};
    TESTING_ASSERT_SIZES("css", &loop, 25, 25, 25, 25);
    TESTING_ASSERT_SIZES("gss", &loop, 25, 19, 14, 11, 8, 6, 5, 3, 3, 2, 1, 1,
                         1, 1);
    TESTING_ASSERT_SIZES("gss:min=10", &loop, 25, 19, 14, 11, 10, 10, 10, 1);
    TESTING_ASSERT_SIZES("fac2", &loop, 13, 13, 13, 13, 6, 6, 6, 6, 3, 3, 3, 3,
                         2, 2, 2, 2, 1, 1, 1, 1);
    TESTING_ASSERT_SIZES("fss:alpha=1", &loop, 25, 25, 25, 25);
    TESTING_ASSERT_SIZES("fss:alpha=1.25", &loop, 20, 20, 20, 20, 4, 4, 4, 4, 1,
                         1, 1, 1);
    loop.iterations = 5;
    TESTING_ASSERT_SIZES("ss", &loop, 1, 1, 1, 1, 1);
}

/* F = 20, L = 5, N = ceil(200/25) = 8, D = floor(15/7) = 2. */
static void tss_first_and_last(void **unused)
{
    struct sched_loop loop = {.iterations = 100, .workers = 4};
    TESTING_ASSERT_SIZES("tss:first=20,last=5", &loop, 20, 18, 16, 14, 12, 10,
                         8, 2);
}

/* C_0 = 12.5, N = 200/13.5, slope = -11.5/N = -0.77625:
 * 12.5 11.72 10.95 10.17 9.40 8.62 7.84 7.07 6.29 5.51 4.74 3.96 3.19. */
static void tss_taylor_rounds_to_nearest(void **unused)
{
    struct sched_loop loop = {.iterations = 100, .workers = 4};
    TESTING_ASSERT_SIZES("tss-taylor", &loop, 13, 12, 11, 10, 9, 9, 8, 7, 6, 6,
                         5, 4);
}

/* Chunks of qss with a small delta grow first: C_0 = 125, C_h = 378,
 * N = 3.669, b = 309.8, c = -93.6. */
static void qss_grows_first(void **unused)
{
    struct sched_loop loop = {.iterations = 1000, .workers = 4};
    TESTING_ASSERT_SIZES("qss:delta=1/3", &loop, 125, 342, 370, 163);
    TESTING_ASSERT_SIZES("qss:middle=378", &loop, 125, 342, 370, 163);
}

/* N = 0.92: one value of the parabola, then C_N = 1. */
static void qss_stays_at_1_beyond_N(void **unused)
{
    struct sched_loop loop = {.iterations = 10, .workers = 1};
    TESTING_ASSERT_SIZES("qss:delta=1/3", &loop, 5, 1, 1, 1, 1, 1);
}

/* V = 3, 2, 1: F = floor(1000/12) = 83, N = ceil(2000/84) = 24,
 * D = floor(82/23) = 3.  The values are 83 80 77 | 74 71 | 68 | 65 62 59 |
 * 56 53 | 50 | 47 44 41 | 38 ... */
static void dtss_by_hand(void **unused)
{
    const double power[] = {3, 2, 1};
    const double scaled[] = {1.6, 0.9, 0.5}; /* 3.2, 1.8, 1 */
    struct sched_loop loop = {.iterations = 1000, .workers = 3, .power = power};
    TESTING_ASSERT_SIZES("dtss", &loop, 240, 145, 68, 186, 109, 50, 132, 70);
    loop.power = scaled;
    TESTING_ASSERT_SIZES("dtss", &loop, 240, 145, 68, 186, 109, 50, 132, 70);
}

/* A = 3: F = 100, N = 1200/101 = 11.88, D = 99/10.88 = 9.099.
 * 2 (F - D (0 + 1/2)) = 190.9, F - D 2 = 81.8, 2 (F - D 3.5) = 136.3,
 * F - D 5 = 54.5, 2 (F - D 6.5) = 81.7, F - D 8 = 27.2, 27 left. */
static void dtss_acp_by_hand(void **unused)
{
    const double power[] = {2, 1};
    struct sched_loop loop = {.iterations = 600, .workers = 2, .power = power};
    TESTING_ASSERT_SIZES("dtss-acp", &loop, 191, 82, 136, 55, 82, 27, 27);
}

/* Not normalised: with powers 1 and 0.5, A = 1.5, F = 200, N = 5.97,
 * D = 40.04: 1 (F - D 0), 0.5 (F - D 0.75) = 84.98, F - D 1.5 = 139.9,
 * 0.5 (F - D 2.25) = 54.95, F - D 3 = 79.9, 0.5 (F - D 3.75) = 24.9, 15 left.
 */
static void dtss_acp_takes_real_powers(void **unused)
{
    const double power[] = {1, 0.5};
    struct sched_loop loop = {.iterations = 600, .workers = 2, .power = power};
    TESTING_ASSERT_SIZES("dtss-acp", &loop, 200, 85, 140, 55, 80, 25, 15);
}

/* floor(10 V/Q): 10 and 5 of powers 1 and 1/2, and 9, not 8.99, of 0.9;
 * A = 15: F = 20, N = 57.1, D = 0.338: 10 (F - D 4.5) = 184.8,
 * 5 (F - D 12) = 79.7, 10 (F - D 19.5) = 134, 5 (F - D 27) = 54.3, ... */
static void dtss_acp_with_a_scale(void **unused)
{
    const double power[] = {1, 0.5}, rounded[] = {1.04, 0.59};
    struct sched_loop loop = {.iterations = 600, .workers = 2, .power = power};
    TESTING_ASSERT_SIZES("dtss-acp:scale=10", &loop, 185, 80, 134, 54, 83, 29,
                         32, 3);
    loop.power = rounded;
    TESTING_ASSERT_SIZES("dtss-acp:scale=10", &loop, 185, 80, 134, 54, 83, 29,
                         32, 3);
}

/* A power of 0 gets no chunks whenever it asks; all 0 is an error. */
static void dtss_acp_without_power(void **unused)
{
    const double power[] = {0.05, 1, 0.09};
    struct sched_loop loop = {.iterations = 100, .workers = 3, .power = power};
    struct testing_loop t;
    struct chunk chunk;
    struct error err = {""};
    int64_t covered = 0;
    testing_open(&t, "dtss-acp:scale=10", &loop, 7);
    for (int i = 0; i < 300; i++) {
        bool any = sched_next(&t.sched, i % 3, &chunk);
        assert_true(i % 3 == 1 || !any);
        covered += any ? chunk.size : 0;
    }
    assert_int_equal(covered, 100);
    testing_close(&t);
    assert_int_equal(testing_try(&t, "dtss-acp:scale=1", &loop, 1, &err), 0);
    testing_close(&t);
    const double low[] = {0.05, 0.01, 0.09};
    loop.power = low;
    assert_int_equal(testing_try(&t, "dtss-acp:scale=10", &loop, 1, &err),
                     -EINVAL);
    assert_non_null(strstr(err.text, "are 0"));
}

/* A = 0.2: F = 2500 and N = 0.8, so that D is taken as 0. */
static void dtss_acp_without_a_decrement(void **unused)
{
    const double power[] = {0.1, 0.1};
    struct sched_loop loop = {.iterations = 1000, .workers = 2, .power = power};
    TESTING_ASSERT_SIZES("dtss-acp", &loop, 250, 250, 250, 250);
}

/* v = 1.5 1 0.5, alpha p = 6: 250 167 84 of R = 1000, then R = 499. */
static void wf_by_hand(void **unused)
{
    const double power[] = {3, 2, 1};
    struct sched_loop loop = {.iterations = 1000, .workers = 3, .power = power};
    TESTING_ASSERT_SIZES("wf", &loop, 250, 167, 84, 125, 84, 42, 62, 42, 21, 31,
                         21, 11, 15, 10, 5, 8, 5, 3, 4, 3, 2, 2, 1, 1, 1);
}

/* V = 6: ceil(1000/12) = 84 per unit of power, then R = 496: 42, ... */
static void dfss_by_hand(void **unused)
{
    const double power[] = {3, 2, 1};
    struct sched_loop loop = {.iterations = 1000, .workers = 3, .power = power};
    TESTING_ASSERT_SIZES("dfss", &loop, 252, 168, 84, 126, 84, 42, 63, 42, 21,
                         30, 20, 10, 15, 10, 5, 9, 6, 3, 3, 2, 1, 3, 1);
}

/* The slow worker alone: a stage is 6 of its chunks, not 3. */
static void dfss_stage_ends_by_power(void **unused)
{
    const double power[] = {3, 2, 1};
    const int64_t expected[] = {84, 84, 84, 84, 84, 84, 42, 42};
    struct sched_loop loop = {.iterations = 1000, .workers = 3, .power = power};
    struct testing_loop t;
    struct chunk chunk;
    testing_open(&t, "dfss", &loop, 1);
    for (int i = 0; i < 8; i++) {
        assert_true(sched_next(&t.sched, 2, &chunk));
        assert_int_equal(chunk.size, expected[i]);
    }
    testing_close(&t);
}

/* ceil(R/6) V_j: R = 1000, 499, 331, 275, ... */
static void dgss_by_hand(void **unused)
{
    const double power[] = {3, 2, 1};
    struct sched_loop loop = {.iterations = 1000, .workers = 3, .power = power};
    TESTING_ASSERT_SIZES("dgss", &loop, 501, 168, 56, 138, 46, 16, 39, 12, 4,
                         12, 4, 1, 3);
}

/* A = 2 V: ceil(R/12) V_j, R = 1000, 748, 622, ... */
static void dgss_with_alpha_by_hand(void **unused)
{
    const double power[] = {3, 2, 1};
    struct sched_loop loop = {.iterations = 1000, .workers = 3, .power = power};
    TESTING_ASSERT_SIZES("dgss:alpha=2", &loop, 252, 126, 52, 144, 72, 30, 81,
                         42, 17, 48, 24, 10, 27, 14, 6, 15, 8, 3, 9, 4, 2, 6, 2,
                         1, 3, 2);
}

/* 0.3/0.1 is 2.9999999999999996 in double: V must still count as 4. */
static void rounding_forgives_the_powers(void **unused)
{
    const double power[] = {0.3, 0.1};
    struct sched_loop loop = {.iterations = 8, .workers = 2, .power = power};
    TESTING_ASSERT_SIZES("dgss", &loop, 6, 1, 1);
    TESTING_ASSERT_SIZES("dfss", &loop, 3, 1, 3, 1);
    TESTING_ASSERT_SIZES("wf", &loop, 3, 1, 2, 1, 1);
}

static void assert_note(const char *text, const struct sched_loop *loop,
                        const char *part)
{
    struct testing_loop t;
    char note[256];
    testing_open(&t, text, loop, 1);
    sched_note(&t.sched, note, sizeof(note));
    testing_close(&t);
    bool as_told = part == NULL ? note[0] == '\0' : strstr(note, part) != NULL;
    if (!as_told)
        fail_msg("%s: the note is '%s', not '%s'", text, note,
                 part == NULL ? "" : part);
}

static void notes(void **unused)
{
    struct sched_loop columns = {.iterations = 200000, .workers = 256};
    struct sched_loop small = {.iterations = 5000, .workers = 9};
    struct sched_loop alone = {.iterations = 1000, .workers = 1};
    struct sched_loop one = {.iterations = 1, .workers = 1};
    const double power[] = {4, 1};
    const double weak[] = {0.1, 0.1};
    struct sched_loop fast = {
        .iterations = 100000, .workers = 2, .power = power};
    struct sched_loop slow = {.iterations = 1000, .workers = 2, .power = weak};
    assert_note("tss", &columns, "all chunks have F = 390 iterations");
    assert_note("tss", &columns, "tss-taylor");
    assert_note("dtss", &columns, "F = 390 iterations");
    assert_note("tss", &small, NULL);
    assert_note("tss:first=5,last=5", &small, NULL);
    assert_note("tss", &one, NULL);
    assert_note("dtss", &small, NULL);
    assert_note("gss", &columns, NULL);
    assert_note("qss", &small, NULL);
    assert_note("qss:delta=1/3", &small, NULL);
    assert_note("qss:delta=1/3", &alone, "the last 500 iterations");
    assert_note("dtss-acp", &small, NULL);
    assert_note("dtss-acp", &fast, "minimum chunk");
    assert_note("dtss-acp", &slow, "add up to 0.2");
}

TESTS(cmocka_unit_test(diaz_table_3), cmocka_unit_test(ciorba_table_1),
      cmocka_unit_test(andronikos_experiment_3),
      cmocka_unit_test(wcss_k_rounds),
      cmocka_unit_test(static_blocks_differ_by_one),
      cmocka_unit_test(simple_schemes), cmocka_unit_test(tss_first_and_last),
      cmocka_unit_test(tss_taylor_rounds_to_nearest),
      cmocka_unit_test(qss_grows_first),
      cmocka_unit_test(qss_stays_at_1_beyond_N), cmocka_unit_test(dtss_by_hand),
      cmocka_unit_test(dtss_acp_by_hand),
      cmocka_unit_test(dtss_acp_takes_real_powers),
      cmocka_unit_test(dtss_acp_with_a_scale),
      cmocka_unit_test(dtss_acp_without_power),
      cmocka_unit_test(dtss_acp_without_a_decrement),
      cmocka_unit_test(wf_by_hand), cmocka_unit_test(dfss_by_hand),
      cmocka_unit_test(dfss_stage_ends_by_power),
      cmocka_unit_test(dgss_by_hand), cmocka_unit_test(dgss_with_alpha_by_hand),
      cmocka_unit_test(rounding_forgives_the_powers), cmocka_unit_test(notes))
