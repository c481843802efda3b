/* Replanned rounds, replan=round.  A separate program gave the golden values:
 * without disturbance those of the fixed plans, else a worker computes `factor`
 * times as long from a moment on. */
#include "sched/divisible/algorithm.h"
#include "sched/divisible/divisible_testing.h"

#include <math.h>

struct slow {
    int worker;
    double from, factor;
};

static double slow_end(const void *arg, int worker, double start,
                       double seconds)
{
    const struct slow *slow = arg;
    if (worker != slow->worker)
        return start + seconds;
    double fast = fmin(seconds, fmax(0, slow->from - start));
    return start + fast + (seconds - fast) * slow->factor;
}

static const struct divisible_worker even[] = {{.g = .1, .G = .1, .w = 1},
                                               {.g = .1, .G = .1, .w = 1},
                                               {.g = .1, .G = .1, .w = 1}};
static const struct divisible_worker mixed[] = {{.g = .1, .G = .1, .w = 1},
                                                {.g = .1, .G = .12, .w = 2},
                                                {.g = .1, .G = .15, .w = 4}};

/* Makespans of lp-sqrt and lp-adaptive, each without and with overlap. */
struct row {
    const struct divisible_worker *worker;
    struct slow slow; /* factor 0: none */
    double fixed[4], again[4];
};

static const struct row rows[] = {
    {even,
     {0, 0, 0},
     {114.195163, 103.3, 114.0789, 103.125203},
     {114.195163, 103.3, 114.0789, 103.125203}},
    {even,
     {2, 20, 4},
     {350.043403, 353.2, 366.057099, 352.500813},
     {182.686442, 193.300503, 181.953675, 193.507138}},
    {even,
     {0, 20, 4},
     {364.968767, 344.4, 358.769214, 344.749593},
     {168.039288, 184.4, 164.519526, 172.351744}},
    {even,
     {2, 0, 4},
     {397.729124, 403.3, 413.878502, 402.600813},
     {191.717412, 213.3, 197.686626, 212.204561}},
    {mixed,
     {0, 20, 4},
     {643.321241, 635.007366, 640.362577, 631.583943},
     {325.143845, 344.447982, 324.740656, 336.226354}},
    {even,
     {2, 20, .25},
     {114.195163, 102.2, 113.184142, 102.287398},
     {83.330898, 72.2, 79.692901, 70.960267}},
};

static double makespan(const struct row *row, int column, bool replan)
{
    const struct divisible_disturbance by = {slow_end, &row->slow};
    const struct divisible_platform platform = {
        .workers = 3,
        .worker = row->worker,
        .overlap = column % 2,
        .disturbed = row->slow.factor > 0 ? &by : NULL};
    const struct divisible_choice choice = {
        .algorithm = column < 2 ? DIVISIBLE_LP_SQRT : DIVISIBLE_LP_ADAPTIVE,
        .replan = replan};
    struct divisible_plan plan = {0};
    struct error err = {""};
    if (divisible_make(&choice, &platform, 300, &plan, &err) != 0)
        fail_msg("%s", err.text);
    assert_true(fabs(divisible_plan_load(&plan, -1) - 300) < 1e-9);
    double found = plan.makespan;
    /* The evaluator alone finds the same times. */
    assert_int_equal(divisible_plan_time(&plan, &platform, &err), 0);
    assert_true(plan.makespan == found);
    divisible_plan_free(&plan);
    return found;
}

static void golden_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (int column = 0; column < 4; column++) {
            double fixed = makespan(&rows[i], column, false);
            double again = makespan(&rows[i], column, true);
            if (fabs(fixed - rows[i].fixed[column]) > 1e-6 ||
                fabs(again - rows[i].again[column]) > 1e-6)
                fail_msg("row %zu, column %d: %.6f, %.6f", i, column, fixed,
                         again);
        }
}

/* Without overlap all times are also the same.  With it at most one chunk waits
 * at a worker, which can delay others: seldom, and by little. */
static int compare(const struct testing_case *c,
                   enum divisible_algorithm algorithm)
{
    struct divisible_choice choice = {.algorithm = algorithm,
                                      .period = c->load};
    struct divisible_plan fixed = {0}, again = {0};
    int code = divisible_make(&choice, &c->platform, c->load, &fixed, NULL);
    choice.replan = true;
    assert_int_equal(
        divisible_make(&choice, &c->platform, c->load, &again, NULL), code);
    assert_int_equal(again.chunks, fixed.chunks);
    for (int64_t n = 0; n < fixed.chunks; n++) {
        assert_true(again.chunk[n].load == fixed.chunk[n].load);
        assert_int_equal(again.chunk[n].worker, fixed.chunk[n].worker);
    }
    double off = code == 0 ? again.makespan / fixed.makespan - 1 : 0;
    assert_true(c->platform.overlap ? off >= 0 && off < 0.02 : off == 0);
    divisible_plan_free(&fixed);
    divisible_plan_free(&again);
    return off > 0;
}

static void nothing_disturbed_is_the_fixed_plan(void **state)
{
    int longer = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 600; seed++) {
        struct testing_case c;
        testing_case_make(&c, seed, 6,
                          TESTING_LATENCY | TESTING_START_UP |
                              (seed % 2 ? TESTING_OVERLAP : 0));
        longer += compare(&c, DIVISIBLE_LP_FIXED);
        longer += compare(&c, DIVISIBLE_LP_SQRT);
        longer += compare(&c, DIVISIBLE_LP_ADAPTIVE);
    }
    print_message("longer %d\n", longer);
    assert_true(longer < 900 / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_values),
        cmocka_unit_test(nothing_disturbed_is_the_fixed_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
