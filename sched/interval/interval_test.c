/* The model against its paper's numbers.  Not reproduced:
 * - experiment 3, k = 8: 92.9 is 95 on the authors' grid of 5; printed is 90.
 * - Chen and Xue's h = 162 in experiment 3: their formula as printed gives
 *   32.27.  (Five times that, 161.3, rounded up, would be 162; the paper says
 *   nothing that would lead there.)
 * - V = 1223 and 776 in experiment 3: VP = 0.63 gives 1227 and 773.
 * - V = 1333 and 1334 in experiment 2: the printed T come out with V = 8000/6,
 *   cut after the fourth digit (6.99880 and 6.99890); with the V printed beside
 *   them T is 6.9971 and 7.0023.
 * - T of experiment 3 to its digits: 0.07 % and 0.22 % below the printed ones
 *   with the printed V, 0.4 % to 0.6 % with those from the powers. */
#include "sched/interval/interval_testing.h"

static void the_nine_optima(void **state)
{
    static const struct {
        int experiment, k;
        double h; /* not rounded */
    } rows[] = {{1, 1, 28.89}, {1, 4, 57.58}, {1, 8, 81.05},
                {2, 1, 38.55}, {2, 4, 76.82}, {2, 8, 108.11},
                {3, 1, 33.19}, {3, 4, 66.08}, {3, 8, 92.89}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct experiment e;
        open_printed(&e, rows[i].experiment);
        e.model.k = rows[i].k;
        assert_near("h", interval_optimum(&e.model), rows[i].h, 1e-3);
    }
}

/* The authors measured at multiples of 5 and printed their h so. */
static void table_2_but_its_last_row(void **state)
{
    FILE *file = testing_open_paper("andronikos/table_2.csv");
    int experiment, k, printed, rows = 0;
    while (fscanf(file, "%d,%d,%d,%*[^\n]", &experiment, &k, &printed) == 3) {
        struct experiment e;
        open_printed(&e, experiment);
        e.model.k = k;
        int rounded = 5 * (int)round(interval_optimum(&e.model) / 5);
        if (experiment == 3 && k == 8)
            assert_int_equal(rounded, 95); /* printed is 90 */
        else
            assert_int_equal(rounded, printed);
        rows++;
    }
    fclose(file);
    assert_int_equal(rows, 9);
}

static void assert_printed_time(int experiment, double printed, double h,
                                const char *twin, const char *kid)
{
    struct experiment e;
    open_printed(&e, experiment);
    if (experiment == 3) {
        e.group[0].chunk = *twin ? atof(twin) : 1223;
        e.group[1].chunk = *kid ? atof(kid) : 776;
    }
    double time = interval_time(&e.model, h, INTERVAL_TWA_PRINTED);
    double text = interval_time(&e.model, h, INTERVAL_TWA_TEXT);
    if (experiment == 1 && fabs(time - printed) > 0.5e-4)
        fail_msg("T(%g) = %.6f is not %.4f", h, time, printed);
    if (experiment == 2 && fabs(time - printed - 0.5e-4) > 0.5e-4 + 1e-9)
        fail_msg("T(%g) = %.6f is not %.4f, cut", h, time, printed);
    if (experiment == 3)
        assert_near("T", time, printed, 5e-3);
    assert_true(time - text > 6.7e-3 && time - text < 12e-3);
}

static void the_printed_times(void **state)
{
    char line[256], *field[6];
    int rows = 0;
    FILE *file = testing_open_paper("andronikos/chen_xue.csv");
    while (fgets(line, sizeof(line), file) != NULL) {
        assert_int_equal(split(line, field, 6), 6);
        assert_printed_time(atoi(field[0]), atof(field[5]), atof(field[4]),
                            field[2], field[3]);
        rows++;
    }
    fclose(file);
    assert_int_equal(rows, 7);
}

/* V in experiment 2 is not the one printed beside the times; see the top. */
static void the_printed_chunks_give_other_times(void **state)
{
    struct experiment e;
    open_printed(&e, 2);
    e.group[0].chunk = 1333;
    double time = interval_time(&e.model, 39, INTERVAL_TWA_PRINTED);
    assert_near("T(39)", time, 6.9971, 1e-5);
    e.group[0].chunk = 1334;
    time = interval_time(&e.model, 40, INTERVAL_TWA_PRINTED);
    assert_near("T(40)", time, 7.0023, 1e-5);
    open_printed(&e, 3);
    assert_near("V twin", interval_chunk(&e.model, 0), 1226.99, 1e-5);
    assert_near("V kid", interval_chunk(&e.model, 1), 773.01, 1e-5);
    time = interval_time(&e.model, 35, INTERVAL_TWA_PRINTED);
    assert_near("T(35)", time, 8.41266, 1e-6); /* printed 8.4501 */
    time = interval_time(&e.model, 162, INTERVAL_TWA_PRINTED);
    assert_near("T(162)", time, 8.78046, 1e-6); /* printed 8.8316 */
}

static void chen_and_xue(void **state)
{
    static const double expected[] = {28.92, 38.59, 32.27}; /* 29, 39, (162) */
    for (int i = 0; i < 3; i++) {
        struct experiment e;
        open_printed(&e, i + 1);
        assert_near("h", interval_chen_xue(&e.model), expected[i], 1e-3);
    }
}

TESTS(cmocka_unit_test(the_nine_optima),
      cmocka_unit_test(table_2_but_its_last_row),
      cmocka_unit_test(the_printed_times),
      cmocka_unit_test(the_printed_chunks_give_other_times),
      cmocka_unit_test(chen_and_xue))
