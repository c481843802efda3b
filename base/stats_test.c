/* Order statistics and list scheduling, against other methods. */
#include "harness/testing.h"

#include "base/stats.h"

#include <math.h>

/* The order statistics (from 1) that bound the median with at least 95 %, as
 * tables of the sign test print them; below 6 values there are none. */
static const struct {
    int count, low, high;
} interval[] = {{1, 1, 1},    {2, 1, 2},    {3, 1, 3},    {4, 1, 4},
                {5, 1, 5},    {6, 1, 6},    {7, 1, 7},    {8, 1, 8},
                {9, 2, 8},    {10, 2, 9},   {11, 2, 10},  {12, 3, 10},
                {15, 4, 12},  {20, 6, 15},  {25, 8, 18},  {30, 10, 21},
                {40, 14, 27}, {50, 18, 33}, {100, 40, 61}};

static void shuffle(double *values, int count, uint64_t *seed)
{
    for (int i = count - 1; i > 0; i--) {
        int j = (int)testing_between(seed, 0, i);
        double swap = values[i];
        values[i] = values[j];
        values[j] = swap;
    }
}

static void intervals_are_those_of_the_tables(void **unused)
{
    uint64_t seed = testing_say_seed(__func__);
    for (size_t i = 0; i < sizeof(interval) / sizeof(interval[0]); i++) {
        int n = interval[i].count;
        double values[100];
        for (int v = 0; v < n; v++)
            values[v] = v + 1;
        shuffle(values, n, &seed);
        struct stats_median m = stats_median(values, n);
        assert_true(m.median == (n + 1) / 2.0);
        if (m.low != interval[i].low || m.high != interval[i].high)
            fail_msg("%d values: [%g, %g], it should be [%d, %d]", n, m.low,
                     m.high, interval[i].low, interval[i].high);
    }
}

/* P(low < median < high) by summing the binomial distribution directly. */
static long double coverage(int n, int low, int high)
{
    long double p = 1, sum = 0;
    for (int i = 0; i < n; i++)
        p /= 2;
    for (int k = 0; k < high; k++) {
        if (k >= low)
            sum += p;
        p = p * (n - k) / (k + 1);
    }
    return sum;
}

static void intervals_are_the_narrowest_that_cover(void **unused)
{
    for (int n = 6; n <= 1000; n++) {
        double values[1000];
        for (int v = 0; v < n; v++)
            values[v] = v + 1;
        struct stats_median m = stats_median(values, n);
        int low = (int)m.low, high = (int)m.high;
        assert_int_equal(low + high, n + 1);
        assert_true(coverage(n, low, high) >= 0.95L);
        assert_true(coverage(n, low + 1, high - 1) < 0.95L);
    }
}

static void medians_stand_extremes(void **unused)
{
    double values[] = {1e300, 3, -INFINITY, 3, INFINITY, 3, 3};
    struct stats_median m = stats_median(values, 7);
    assert_true(m.median == 3 && m.low == -INFINITY && m.high == INFINITY);
    double same[] = {2, 2, 2, 2};
    m = stats_median(same, 4);
    assert_true(m.median == 2 && m.low == 2 && m.high == 2);
}

/* Looks for the worker that is free first in a plain loop. */
static double brute_force(const double *cost, int64_t chunks, int workers)
{
    double free_at[64] = {0}, last = 0;
    for (int64_t c = 0; c < chunks; c++) {
        int first = 0;
        for (int w = 1; w < workers; w++)
            if (free_at[w] < free_at[first])
                first = w;
        free_at[first] += cost[c];
        last = fmax(last, free_at[first]);
    }
    return last;
}

static void list_schedules_equal_brute_force(void **unused)
{
    uint64_t seed = testing_say_seed(__func__);
    for (int round = 0; round < 3000; round++) {
        double cost[200], sum = 0, largest = 0;
        int workers = (int)testing_between(&seed, 1, 64);
        int chunks = (int)testing_between(&seed, 0, 200);
        /* Few different costs, zero among them: many ties. */
        int64_t kinds = testing_between(&seed, 1, 1000);
        for (int i = 0; i < chunks; i++) {
            cost[i] = (double)testing_between(&seed, 0, kinds);
            sum += cost[i];
            largest = fmax(largest, cost[i]);
        }
        double time = stats_list_schedule(cost, chunks, workers);
        assert_true(time == brute_force(cost, chunks, workers));
        double least = stats_least_time(cost, chunks, workers);
        assert_true(time >= least && least == fmax(sum / workers, largest));
        assert_true(time <= sum / workers + largest);
    }
}

static void list_schedules_need_a_worker(void **unused)
{
    double cost[] = {1, 2};
    assert_true(stats_list_schedule(cost, 2, 0) == -1);
    assert_true(stats_list_schedule(cost, 2, -3) == -1);
    assert_true(stats_list_schedule(NULL, 0, 2) == 0);
    assert_true(stats_list_schedule(cost, 2, 1) == 3);
    assert_true(stats_least_time(cost, 2, 0) == -1);
    assert_true(stats_least_time(cost, 2, 1) == 3);
    assert_true(stats_least_time(cost, 2, 2) == 2);
}

/* ---- ratios ---- */

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fabs(b);
}

static void ratios_have_the_intervals_of_their_parts(void **unused)
{
    const struct stats_median exact = {2, 2, 2}, wide = {3, 2.5, 4};
    const struct stats_median few = {3, NAN, NAN};
    struct stats_median ratio = stats_ratio(wide, exact);
    assert_true(near(ratio.median, 1.5) && near(ratio.low, 1.25) &&
                near(ratio.high, 2));
    ratio = stats_ratio(exact, wide);
    assert_true(near(ratio.median, 1 / 1.5) && near(ratio.low, 0.5) &&
                near(ratio.high, 0.8));
    /* Both: their distances on a logarithmic scale are at right angles. */
    ratio = stats_ratio(wide, wide);
    assert_true(near(ratio.median, 1) && near(ratio.low * ratio.high, 1));
    assert_true(near(log(ratio.high), hypot(log(4.0 / 3), log(3 / 2.5))));
    ratio = stats_ratio(few, wide);
    assert_true(near(ratio.median, 1) && isnan(ratio.low) && isnan(ratio.high));
}

/* The times of repetitions: 1 + x, x exponential. */
static struct stats_median sampled(int count, double scale, uint64_t *seed)
{
    double values[50];
    for (int i = 0; i < count; i++)
        values[i] =
            scale *
            (1 - log((double)testing_between(seed, 1, 1 << 30) / (1 << 30)));
    return stats_median(values, count);
}

static void clusters_are_split_where_they_are_far_apart(void **unused)
{
    const double near[] = {41, 52, 38, 81, 45};
    const double both[] = {41, 260, 38, 52, 310};
    const double unknown[] = {NAN, NAN};
    assert_true(isinf(stats_split(near, 5, 2)));
    assert_true(isinf(stats_split(near, 1, 2)));
    assert_true(isinf(stats_split(near, 0, 2)));
    assert_true(isinf(stats_split(unknown, 2, 2)));
    double split = stats_split(both, 5, 2);
    assert_true(split > 52 && split < 260);
    assert_true(isinf(stats_split(both, 5, 6)));
}

/* In 4,000 pairs of samples the interval holds the true ratio at least 95 % of
 * the time (tolerance: 2.4 standard deviations of the count).  An interval half
 * as wide does not. */
static void ratios_are_in_their_intervals(void **unused)
{
    enum { ROUNDS = 4000 };
    static const int counts[][2] = {{6, 6}, {10, 10}, {10, 50}, {50, 25}};
    uint64_t seed = testing_say_seed(__func__);
    for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
        int inside = 0, inside_half = 0;
        for (int i = 0; i < ROUNDS; i++) {
            struct stats_median with = sampled(counts[c][0], 3, &seed);
            struct stats_median without = sampled(counts[c][1], 2, &seed);
            struct stats_median ratio = stats_ratio(with, without);
            inside += ratio.low <= 1.5 && 1.5 <= ratio.high;
            inside_half += sqrt(ratio.low * ratio.median) <= 1.5 &&
                           1.5 <= sqrt(ratio.high * ratio.median);
        }
        if (inside < ROUNDS * 0.942 || inside_half > ROUNDS * 0.9)
            fail_msg("%d and %d values: %d of %d inside, %d inside half of it",
                     counts[c][0], counts[c][1], inside, ROUNDS, inside_half);
    }
}

/* Two-sided 5 % and 1 %: the critical values of U (Mann and Whitney), from the
 * tables of textbooks, plus 1. */
static const struct {
    int m, n, at_5, at_1;
} shift_out[] = {{3, 3, 0, 0},    {4, 4, 1, 0},      {5, 5, 3, 1},
                 {5, 8, 7, 3},    {8, 8, 14, 8},     {10, 10, 24, 17},
                 {12, 7, 19, 13}, {20, 20, 128, 106}};

static void shifts_have_the_intervals_of_the_tables(void **unused)
{
    for (size_t i = 0; i < sizeof(shift_out) / sizeof(shift_out[0]); i++) {
        int m = shift_out[i].m, n = shift_out[i].n;
        double a[20], b[20];
        for (int k = 0; k < m; k++)
            a[k] = k;
        for (int k = 0; k < n; k++)
            b[k] = m * k; /* differences: all numbers from 1 - m on, once */
        for (int side = 0; side < 2; side++) {
            int out = side ? shift_out[i].at_1 : shift_out[i].at_5;
            struct stats_median s = stats_shift(a, m, b, n, side ? .01 : .05);
            assert_true(s.median == (m * n - 1) / 2.0 + 1 - m);
            assert_true(s.low == (out > 0 ? out - m : -INFINITY));
            assert_true(s.high == (out > 0 ? m * n - out + 1 - m : INFINITY));
        }
    }
    assert_int_equal(stats_shift_least(0.05), 4);
    assert_int_equal(stats_shift_least(0.01), 5);
    assert_int_equal(stats_shift_least(0.05 / 100), 8);
    assert_true(isnan(stats_shift(NULL, 0, NULL, 0, 0.05).median));
}

/* Exact up to 25 values, nearly from there on: their intervals meet, and hold
 * the truth as often as they say. */
static void shifts_are_in_their_intervals(void **unused)
{
    enum { ROUNDS = 2000 };
    static const int counts[][2] = {{6, 9}, {25, 25}, {26, 26}, {40, 10}};
    uint64_t seed = testing_say_seed(__func__);
    for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
        int inside = 0;
        for (int i = 0; i < ROUNDS; i++) {
            double a[40], b[40];
            for (int k = 0; k < counts[c][0]; k++)
                a[k] = random_real(&seed);
            for (int k = 0; k < counts[c][1]; k++)
                b[k] = random_real(&seed) + 0.3;
            struct stats_median s =
                stats_shift(a, counts[c][0], b, counts[c][1], 0.05);
            inside += s.low <= 0.3 && 0.3 <= s.high;
        }
        if (inside < ROUNDS * 0.935 || inside > ROUNDS * 0.975)
            fail_msg("%d and %d values: %d of %d inside", counts[c][0],
                     counts[c][1], inside, ROUNDS);
    }
}

TESTS(cmocka_unit_test(intervals_are_those_of_the_tables),
      cmocka_unit_test(intervals_are_the_narrowest_that_cover),
      cmocka_unit_test(medians_stand_extremes),
      cmocka_unit_test(list_schedules_equal_brute_force),
      cmocka_unit_test(list_schedules_need_a_worker),
      cmocka_unit_test(ratios_have_the_intervals_of_their_parts),
      cmocka_unit_test(clusters_are_split_where_they_are_far_apart),
      cmocka_unit_test(ratios_are_in_their_intervals),
      cmocka_unit_test(shifts_have_the_intervals_of_the_tables),
      cmocka_unit_test(shifts_are_in_their_intervals))
