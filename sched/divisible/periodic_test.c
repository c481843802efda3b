/* The closed forms of the periodic plans against glpk, the theorems' bounds,
 * and what holds for all heuristics.  DLSBENCH_SEED sets the first seed. */
#include "sched/divisible/divisible_testing.h"
#include "sched/divisible/periodic.h"

#include <errno.h>
#include <glpk.h>

/* glpk's exact answers take a second of processor time for 150 of them. */
enum { CASES = 500 };

/* maximize sum x, x_i <= limit_i, sum x_i G_i <= port. */
static double program(const struct testing_case *c, const double *limit,
                      double port)
{
    int p = c->platform.workers;
    int index[TESTING_WORKERS + 1];
    double value[TESTING_WORKERS + 1];
    glp_prob *lp = glp_create_prob();
    glp_smcp quiet;
    glp_set_obj_dir(lp, GLP_MAX);
    glp_add_cols(lp, p);
    glp_add_rows(lp, 1);
    for (int i = 1; i <= p; i++) {
        bool open = limit[i - 1] > 0;
        glp_set_col_bnds(lp, i, open ? GLP_DB : GLP_FX, 0,
                         open ? limit[i - 1] : 0);
        glp_set_obj_coef(lp, i, 1);
        index[i] = i;
        value[i] = c->worker[i - 1].G;
    }
    glp_set_mat_row(lp, 1, p, index, value);
    glp_set_row_bnds(lp, 1, GLP_UP, 0, port);
    glp_init_smcp(&quiet);
    quiet.msg_lev = GLP_MSG_OFF;
    assert_int_equal(glp_simplex(lp, &quiet), 0);
    assert_int_equal(glp_exact(lp, &quiet), 0);
    assert_int_equal(glp_get_status(lp), GLP_OPT);
    double sum = glp_get_obj_val(lp);
    glp_delete_prob(lp);
    return sum;
}

/* The program as section 5.1, 5.2 or 6 writes it, one worker's own row. */
static double own_row(const struct testing_case *c, int i,
                      enum divisible_program kind, double period,
                      double latencies)
{
    const struct divisible_worker *w = &c->worker[i];
    if (c->platform.overlap)
        return (period - w->z) / w->w;
    if (kind == DIVISIBLE_OWN_LATENCY)
        return (period - w->z - w->g) / (w->G + w->w);
    return (period - w->z - latencies) / (w->G + w->w);
}

/* The loads keep to the program's rows. */
static void assert_rows(const struct testing_case *c, const double *alpha,
                        const double *limit, double port, double sum)
{
    double sent = 0, total = 0;
    for (int i = 0; i < c->platform.workers; i++) {
        if (alpha[i] < 0 || alpha[i] > fmax(limit[i], 0) * (1 + 1e-9))
            TESTING_FAIL(c, "worker %d gets %g of %g", i, alpha[i], limit[i]);
        sent += alpha[i] * c->worker[i].G;
        total += alpha[i];
    }
    if (sent > port * (1 + 1e-9))
        TESTING_FAIL(c, "%g s of messages in %g s", sent, port);
    TESTING_SAME(c, "sum", total, sum);
}

static int kind_of(uint64_t seed)
{
    static const int kinds[] = {
        0,
        TESTING_LATENCY,
        TESTING_LATENCY | TESTING_START_UP,
        TESTING_LATENCY | TESTING_START_UP | TESTING_FREE_LINKS,
    };
    return kinds[seed % 4] | (seed / 4 % 2 ? TESTING_OVERLAP : 0);
}

static void periods_are_the_programs_optimum(void **state)
{
    uint64_t first = testing_seed();
    int full = 0;
    for (uint64_t seed = first; seed < first + CASES; seed++) {
        struct testing_case c;
        int order[TESTING_WORKERS];
        double alpha[TESTING_WORKERS], limit[TESTING_WORKERS];
        testing_case_make(&c, seed, TESTING_WORKERS, kind_of(seed));
        double latencies = divisible_latencies(&c.platform);
        uint64_t more = seed;
        double period = latencies + testing_size(&more, 1e-2, 1e3);
        divisible_sort(&c.platform, DIVISIBLE_BY_LINK, order);
        for (int kind = 0; kind < 2; kind++) {
            double port = period - latencies;
            for (int i = 0; i < c.platform.workers; i++)
                limit[i] = own_row(&c, i, kind, period, latencies);
            double sum =
                divisible_period_loads(&c.platform, order, kind, period, alpha);
            assert_rows(&c, alpha, limit, port, sum);
            TESTING_SAME(&c, "program", sum, program(&c, limit, port));
            double sent = 0;
            for (int i = 0; i < c.platform.workers; i++)
                sent += alpha[i] * c.worker[i].G;
            full += testing_same(sent, port);
        }
    }
    /* The port decides in most cases, the workers' own rows in the others. */
    assert_true(full > CASES && full < 2 * CASES - CASES / 8);
}

static void steady_rate_is_the_programs_optimum(void **state)
{
    uint64_t first = testing_seed();
    for (uint64_t seed = first; seed < first + CASES; seed++) {
        struct testing_case c;
        int order[TESTING_WORKERS];
        double limit[TESTING_WORKERS];
        testing_case_make(&c, seed, TESTING_WORKERS, kind_of(seed));
        divisible_sort(&c.platform, DIVISIBLE_BY_LINK, order);
        for (int i = 0; i < c.platform.workers; i++)
            limit[i] =
                1 / (c.worker[i].w + (c.platform.overlap ? 0 : c.worker[i].G));
        TESTING_SAME(&c, "n*", divisible_steady_rate(&c.platform, order),
                     program(&c, limit, 1));
    }
}

static void a_period_shorter_than_its_latencies_sends_nothing(void **state)
{
    static const struct divisible_worker two[] = {{.g = 1, .G = 1, .w = 1},
                                                  {.g = 2, .G = 1, .w = 1}};
    static const int order[] = {0, 1};
    struct divisible_platform platform = {.workers = 2, .worker = two};
    double alpha[2];
    for (int kind = 0; kind < 2; kind++) {
        assert_true(divisible_period_loads(&platform, order, kind, 3, alpha) ==
                    0);
        assert_true(alpha[0] == 0 && alpha[1] == 0);
    }
}

/* One period, by hand: two links fit, the third is cut by the port. */
static void a_period_by_hand(void **state)
{
    static const struct divisible_worker three[] = {
        {.g = 1, .G = 4, .w = 1}, {.g = 1, .G = 1, .w = 3}, {.G = 2, .w = 2}};
    static const int order[] = {1, 2, 0};
    struct divisible_platform platform = {.workers = 3, .worker = three};
    double alpha[3];
    /* sum g = 2, T_p = 10: port 8, own 8 / (G + w) = 2 and 2 and 1.6. */
    double sum = divisible_period_loads(&platform, order,
                                        DIVISIBLE_SUM_LATENCIES, 10, alpha);
    assert_true(alpha[1] == 2 && alpha[2] == 2 && alpha[0] == 0.5);
    assert_true(sum == 4.5);
    /* Own latencies: 9 / 4, 10 / 4, then (8 - 2.25 - 5) / 4. */
    sum = divisible_period_loads(&platform, order, DIVISIBLE_OWN_LATENCY, 10,
                                 alpha);
    assert_true(alpha[1] == 2.25 && alpha[2] == 2.5 && alpha[0] == 0.1875);
    assert_true(sum == 4.9375);
}

/* Theorems 3 and 4 under their condition, for both tails. */
static void the_theorems_bounds_hold(void **state)
{
    uint64_t first = testing_seed();
    int checked[2] = {0};
    for (uint64_t seed = first; seed < first + CASES; seed++) {
        struct testing_case c;
        int order[TESTING_WORKERS];
        int overlap = seed % 2 ? TESTING_OVERLAP : 0;
        testing_case_make(&c, seed, 20,
                          TESTING_LATENCY | TESTING_FREE_LINKS | overlap);
        divisible_sort(&c.platform, DIVISIBLE_BY_LINK, order);
        double best = c.load / divisible_steady_rate(&c.platform, order);
        double latencies = divisible_latencies(&c.platform);
        struct divisible_periods periods = {
            .program = DIVISIBLE_SUM_LATENCIES,
            .period = sqrt(best),
            .tail = seed / 2 % 2 ? DIVISIBLE_TAIL_CUT : DIVISIBLE_TAIL_SHARE};
        if (sqrt(best) < 2 * latencies)
            continue;
        struct divisible_plan plan = {0};
        assert_int_equal(
            divisible_periodic(&c.platform, c.load, &periods, &plan, NULL), 0);
        testing_feasible(&c, &plan);
        TESTING_NOT_BEFORE(&c, "B / n*", plan.makespan, best, best);
        TESTING_NOT_BEFORE(&c, "the theorem's bound",
                           best + 2 * (latencies + 1) * sqrt(best),
                           plan.makespan, best);
        assert_int_equal(plan.raised, 0);
        checked[overlap != 0]++;
        divisible_plan_free(&plan);
    }
    assert_true(checked[0] > CASES / 5 && checked[1] > CASES / 5);
}

/* The three heuristics on anything: feasible, complete, never below B / n*. */
static void the_heuristics_make_feasible_plans(void **state)
{
    uint64_t first = testing_seed();
    int raised = 0;
    for (uint64_t seed = first; seed < first + CASES / 4; seed++) {
        struct divisible_periods periods[] = {
            divisible_lp_fixed(0), divisible_lp_fixed(0.5), divisible_lp_sqrt(),
            divisible_lp_adaptive()};
        struct testing_case c;
        int order[TESTING_WORKERS];
        testing_case_make(&c, seed, 20, kind_of(seed));
        divisible_sort(&c.platform, DIVISIBLE_BY_LINK, order);
        double best = c.load / divisible_steady_rate(&c.platform, order);
        for (size_t k = 0; k < sizeof(periods) / sizeof(periods[0]); k++) {
            struct divisible_plan plan = {0};
            struct error err = {""};
            periods[k].tail = seed / 8 % 2;
            int code = divisible_periodic(&c.platform, c.load, &periods[k],
                                          &plan, &err);
            /* A given period may be too short for this load. */
            bool refused = code == -E2BIG && k == 1;
            if (code != 0 && !refused)
                TESTING_FAIL(&c, "%s", err.text);
            if (code == 0) {
                testing_feasible(&c, &plan);
                TESTING_NOT_BEFORE(&c, "B / n*", plan.makespan, best, best);
                raised += plan.raised > 0;
            }
            divisible_plan_free(&plan);
        }
    }
    assert_true(raised > 10);
}

/* T = 400 s for 100 units on two workers of 8 s: T_p = 20, 10 and 4. */
static void periods_are_roots_of_the_estimated_time(void **state)
{
    static const struct divisible_worker two[] = {{.G = 1, .w = 7},
                                                  {.G = 1, .w = 7}};
    struct divisible_platform platform = {.workers = 2, .worker = two};
    struct divisible_periods fixed = divisible_lp_sqrt();
    struct divisible_periods adaptive = divisible_lp_adaptive();
    struct divisible_plan plan = {0};
    assert_true(divisible_estimate(&platform, 100) == 400);
    assert_int_equal(divisible_periodic(&platform, 100, &fixed, &plan, NULL),
                     0);
    assert_true(plan.period == 20);
    assert_int_equal(plan.rounds, 20);
    assert_true(plan.chunk[39].load == 2.5);
    divisible_plan_free(&plan);
    assert_int_equal(divisible_periodic(&platform, 100, &adaptive, &plan, NULL),
                     0);
    assert_true(plan.period == 20);
    /* 95 units are left after the first round. */
    assert_true(testing_same(plan.chunk[2].load, sqrt(95 * 4) / 8));
    /* The smallest period is the 4 s that the last unit takes. */
    for (int64_t n = 0; n < plan.chunks - 2; n++)
        assert_true(plan.chunk[n].load >= 0.5 * (1 - 1e-12));
    divisible_plan_free(&plan);
}

/* 30 units in rounds of 20: the second half round goes to one worker or to
 * both. */
static void the_tail_is_cut_or_shared(void **state)
{
    static const struct divisible_worker two[] = {{.w = 1}, {.w = 1}};
    struct divisible_platform platform = {.workers = 2, .worker = two};
    struct divisible_periods periods = {.period = 10};
    struct divisible_plan plan = {0};
    assert_int_equal(divisible_periodic(&platform, 30, &periods, &plan, NULL),
                     0);
    assert_int_equal(plan.chunks, 3);
    assert_true(plan.makespan == 20);
    divisible_plan_free(&plan);
    periods.tail = DIVISIBLE_TAIL_SHARE;
    assert_int_equal(divisible_periodic(&platform, 30, &periods, &plan, NULL),
                     0);
    assert_int_equal(plan.chunks, 4);
    assert_true(plan.makespan == 15);
    divisible_plan_free(&plan);
}

/* sqrt(T) = 2 s, but the latencies of a round are 3 s: T_p = 6 s. */
static void short_periods_are_raised_and_counted(void **state)
{
    static const struct divisible_worker two[] = {{.g = 1, .w = 1},
                                                  {.g = 2, .w = 1}};
    static const struct divisible_worker late[] = {{.w = 1, .z = 50}};
    struct divisible_platform platform = {.workers = 2, .worker = two};
    struct divisible_periods sqrt_t = divisible_lp_sqrt();
    struct divisible_periods fixed = divisible_lp_fixed(4);
    struct divisible_plan plan = {0};
    assert_int_equal(divisible_periodic(&platform, 8, &sqrt_t, &plan, NULL), 0);
    assert_true(plan.period == 6);
    assert_true(plan.raised == 2 && plan.rounds == 2);
    divisible_plan_free(&plan);
    /* A given period is kept while it can send anything at all. */
    assert_int_equal(divisible_periodic(&platform, 8, &fixed, &plan, NULL), 0);
    assert_true(plan.period == 4 && plan.raised == 0);
    divisible_plan_free(&plan);
    fixed.period = 3;
    assert_int_equal(divisible_periodic(&platform, 8, &fixed, &plan, NULL), 0);
    assert_true(plan.period == 6 && plan.raised > 0);
    divisible_plan_free(&plan);
    /* Start-ups that leave no time: 2 (sum g + min z). */
    platform = (struct divisible_platform){.workers = 1, .worker = late};
    assert_int_equal(divisible_periodic(&platform, 8, &sqrt_t, &plan, NULL), 0);
    assert_true(plan.period == 100 && plan.raised == 1);
    divisible_plan_free(&plan);
}

static void too_short_periods_are_an_error(void **state)
{
    static const struct divisible_worker one = {.w = 1};
    struct divisible_platform platform = {.workers = 1, .worker = &one};
    struct divisible_periods fixed = divisible_lp_fixed(1e-9);
    struct divisible_plan plan = {0};
    struct error err = {""};
    assert_int_equal(divisible_periodic(&platform, 1e3, &fixed, &plan, &err),
                     -E2BIG);
    assert_non_null(strstr(err.text, "the rounds are too short"));
    divisible_plan_free(&plan);
}

/* From a separate program: seconds, rounds, messages; a second line as z. */
static void late_messages_delay_the_first_chunk_only(void **state)
{
    static const struct {
        double late[3];
        bool overlap, adaptive, as_z;
        double makespan;
        int rounds, messages;
    } rows[] = {
        {{3, 0, 5}, false, false, false, 142.294366, 23, 45},
        {{3, 0, 5}, false, true, false, 159.974157, 29, 57},
        {{3, 0, 5}, true, false, false, 62.414073, 8, 22},
        {{3, 0, 5}, true, false, true, 75.847378, 10, 28},
        {{3, 0, 5}, true, true, false, 61.782459, 8, 23},
        {{3, 0, 5}, true, true, true, 75.750641, 11, 31},
        {{9, 9, 9}, false, false, false, 118.803030, 5, 14},
        {{9, 9, 9}, true, false, false, 68.656527, 8, 22},
        {{9, 9, 9}, true, false, true, 99.6, 4, 10},
        {{9, 9, 9}, true, true, false, 68.124038, 8, 23},
        {{0, 0, 0}, true, false, false, 59.656527, 8, 22},
        {{0, 0, 0}, true, true, false, 59.124038, 8, 23},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct divisible_worker worker[] = {
            {1, .2, 2, 0, 0}, {2, .1, 1, 0, 0}, {.5, .3, 3, 0, 0}};
        for (int w = 0; w < 3; w++)
            *(rows[i].as_z ? &worker[w].z : &worker[w].late) = rows[i].late[w];
        struct divisible_platform platform = {
            .workers = 3, .worker = worker, .overlap = rows[i].overlap};
        struct divisible_periods periods =
            rows[i].adaptive ? divisible_lp_adaptive() : divisible_lp_sqrt();
        struct divisible_plan plan = {0};
        assert_int_equal(
            divisible_periodic(&platform, 100, &periods, &plan, NULL), 0);
        assert_true(fabs(plan.makespan - rows[i].makespan) < 1e-6);
        assert_int_equal(plan.rounds, rows[i].rounds);
        assert_int_equal(plan.chunks, rows[i].messages);
        divisible_plan_free(&plan);
    }
}

static int end(void **state)
{
    glp_free_env();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_period_by_hand),
        cmocka_unit_test(periods_are_the_programs_optimum),
        cmocka_unit_test(steady_rate_is_the_programs_optimum),
        cmocka_unit_test(a_period_shorter_than_its_latencies_sends_nothing),
        cmocka_unit_test(the_theorems_bounds_hold),
        cmocka_unit_test(the_heuristics_make_feasible_plans),
        cmocka_unit_test(periods_are_roots_of_the_estimated_time),
        cmocka_unit_test(the_tail_is_cut_or_shared),
        cmocka_unit_test(short_periods_are_raised_and_counted),
        cmocka_unit_test(too_short_periods_are_an_error),
        cmocka_unit_test(late_messages_delay_the_first_chunk_only),
    };
    return cmocka_run_group_tests(tests, NULL, end);
}
