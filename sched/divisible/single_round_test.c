/* Single-round plans against linear programs solved by glpk, and against all
 * orders.  DLSBENCH_SEED sets the first seed. */
#include "sched/divisible/divisible_testing.h"
#include "sched/divisible/single_round.h"

#include <glpk.h>

enum { CASES = 2000 };

/* The smallest T in which the workers of `order` in `set` can compute the load,
 * by section 3's program for this order; rows and columns from 1. */
static double program(const struct testing_case *c, const int *order, int count,
                      int set)
{
    glp_prob *lp = glp_create_prob();
    glp_smcp quiet;
    int index[TESTING_WORKERS + 2];
    double value[TESTING_WORKERS + 2], latencies = 0;
    int time = count + 1; /* column of T */
    glp_add_cols(lp, count + 1);
    glp_add_rows(lp, count + 1);
    for (int k = 1; k <= count; k++)
        glp_set_col_bnds(lp, k, GLP_LO, 0, 0);
    glp_set_col_bnds(lp, time, GLP_FR, 0, 0);
    glp_set_obj_coef(lp, time, 1);
    for (int k = 1; k <= count; k++) {
        const struct divisible_worker *w = &c->worker[order[k - 1]];
        int n = 0;
        if (!(set >> (k - 1) & 1)) {
            glp_set_col_bnds(lp, k, GLP_FX, 0, 0);
            glp_set_row_bnds(lp, k, GLP_FR, 0, 0);
            continue;
        }
        latencies += w->g;
        for (int i = 1; i <= k; i++) {
            index[++n] = i;
            value[n] = c->worker[order[i - 1]].G + (i == k ? w->w : 0);
        }
        index[++n] = time;
        value[n] = -1;
        glp_set_mat_row(lp, k, n, index, value);
        glp_set_row_bnds(lp, k, GLP_UP, 0, -latencies - w->z);
    }
    for (int k = 1; k <= count; k++) {
        index[k] = k;
        value[k] = 1;
    }
    glp_set_mat_row(lp, count + 1, count, index, value);
    glp_set_row_bnds(lp, count + 1, GLP_FX, c->load, c->load);
    glp_init_smcp(&quiet);
    quiet.msg_lev = GLP_MSG_OFF;
    assert_int_equal(glp_simplex(lp, &quiet), 0);
    assert_int_equal(glp_exact(lp, &quiet), 0);
    assert_int_equal(glp_get_status(lp), GLP_OPT);
    double makespan = glp_get_obj_val(lp);
    glp_delete_prob(lp);
    return makespan;
}

static void shuffle(int *order, int count, uint64_t seed)
{
    for (int i = 0; i < count; i++) {
        int j = (int)testing_between(&seed, 0, i);
        order[i] = order[j];
        order[j] = i;
    }
}

/* All that take part end together, and no later than the makespan. */
static void assert_ends_together(const struct testing_case *c,
                                 const struct divisible_plan *plan)
{
    for (int64_t n = 0; n < plan->chunks; n++)
        TESTING_SAME(c, "end", plan->chunk[n].compute_end, plan->makespan);
}

static double given(const struct testing_case *c, const int *order)
{
    struct divisible_plan plan = {0};
    assert_int_equal(divisible_single_given(&c->platform, c->load, order,
                                            c->platform.workers, &plan, NULL),
                     0);
    testing_feasible(c, &plan);
    assert_ends_together(c, &plan);
    double makespan = plan.makespan;
    divisible_plan_free(&plan);
    return makespan;
}

/* A random case; the seed chooses its kind. */
static void random_case(struct testing_case *c, uint64_t seed, int workers)
{
    static const int kinds[] = {0, TESTING_LATENCY,
                                TESTING_LATENCY | TESTING_START_UP,
                                TESTING_START_UP | TESTING_FREE_LINKS,
                                TESTING_LATENCY | TESTING_EQUAL_LINKS};
    testing_case_make(c, seed, workers, kinds[seed % 5]);
}

static void a_given_order_is_the_best_program_over_all_subsets(void **state)
{
    uint64_t first = testing_seed();
    int left_out = 0;
    for (uint64_t seed = first; seed < first + CASES; seed++) {
        struct testing_case c;
        int order[TESTING_WORKERS];
        double best = INFINITY;
        random_case(&c, seed, 5);
        int count = c.platform.workers, all = (1 << count) - 1;
        shuffle(order, count, seed);
        for (int set = 1; set <= all; set++)
            best = fmin(best, program(&c, order, count, set));
        TESTING_SAME(&c, "makespan", given(&c, order), best);
        left_out += best < program(&c, order, count, all);
    }
    /* Or the test would not notice a worker that should get nothing. */
    assert_true(left_out > CASES / 10);
}

/* All permutations of order[k ..], by exchange. */
static double best_of_orders(const struct testing_case *c, int *order, int k)
{
    double best = INFINITY;
    if (k == c->platform.workers)
        return given(c, order);
    for (int i = k; i < c->platform.workers; i++) {
        int worker = order[i];
        order[i] = order[k];
        order[k] = worker;
        best = fmin(best, best_of_orders(c, order, k + 1));
        order[k] = order[i];
        order[i] = worker;
    }
    return best;
}

/* The best plan of random platforms beside all orders. */
static void assert_best(uint64_t first, int cases, int workers, int with,
                        enum divisible_order how)
{
    for (uint64_t seed = first; seed < first + (uint64_t)cases; seed++) {
        struct testing_case c;
        struct divisible_plan plan = {0};
        int order[TESTING_WORKERS];
        testing_case_make(&c, seed, workers, with);
        for (int i = 0; i < c.platform.workers; i++)
            order[i] = i;
        assert_int_equal(
            divisible_single_best(&c.platform, c.load, &plan, NULL), 0);
        testing_feasible(&c, &plan);
        assert_ends_together(&c, &plan);
        TESTING_SAME(&c, "makespan", plan.makespan,
                     best_of_orders(&c, order, 0));
        /* One worker alone is under theorem 2, and chance may give others. */
        if (c.platform.workers > 2 && how != DIVISIBLE_EXACT)
            assert_int_equal(plan.order, how);
        divisible_plan_free(&plan);
    }
}

static void theorem_1_gives_the_best_order(void **state)
{
    assert_best(testing_seed(), CASES / 4, 5, 0, DIVISIBLE_THEOREM_1);
    assert_best(testing_seed(), CASES / 4, 5, TESTING_FREE_LINKS,
                DIVISIBLE_THEOREM_1);
}

static void theorem_2_gives_the_best_order(void **state)
{
    uint64_t seed = testing_seed();
    struct testing_case c;
    struct divisible_plan plan = {0};
    /* All g 0 would be theorem 1's case: at least one is not, see below. */
    for (int i = 0; i < CASES / 4; i++, seed++) {
        int order[TESTING_WORKERS];
        testing_case_make(&c, seed, 5, TESTING_LATENCY | TESTING_EQUAL_LINKS);
        if (c.worker[0].g == 0)
            c.worker[0].g = 0.5;
        for (int k = 0; k < c.platform.workers; k++)
            order[k] = k;
        assert_int_equal(
            divisible_single_best(&c.platform, c.load, &plan, NULL), 0);
        assert_int_equal(plan.order, DIVISIBLE_THEOREM_2);
        testing_feasible(&c, &plan);
        TESTING_SAME(&c, "makespan", plan.makespan,
                     best_of_orders(&c, order, 0));
        divisible_plan_free(&plan);
    }
}

static void the_search_gives_the_best_order(void **state)
{
    assert_best(testing_seed(), CASES / 4, 5, TESTING_LATENCY, DIVISIBLE_EXACT);
    assert_best(testing_seed(), CASES / 4, 5,
                TESTING_LATENCY | TESTING_START_UP | TESTING_FREE_LINKS,
                DIVISIBLE_EXACT);
    assert_best(testing_seed(), 20, 7, TESTING_LATENCY | TESTING_START_UP,
                DIVISIBLE_EXACT);
}

/* Up to 12 workers the search is exact: no sorted order is better, and its
 * platform with another worker is never slower. */
static void the_search_is_never_worse_than_sorted_orders(void **state)
{
    uint64_t seed = testing_seed();
    for (int i = 0; i < 40; i++, seed++) {
        struct testing_case c;
        struct divisible_plan plan = {0};
        int order[TESTING_WORKERS];
        testing_case_make(&c, seed, DIVISIBLE_EXACT_MAX,
                          TESTING_LATENCY | TESTING_START_UP);
        assert_int_equal(
            divisible_single_best(&c.platform, c.load, &plan, NULL), 0);
        for (int key = DIVISIBLE_BY_LINK; key <= DIVISIBLE_BY_UNIT; key++) {
            divisible_sort(&c.platform, key, order);
            TESTING_NOT_BEFORE(&c, "a sorted order", given(&c, order),
                               plan.makespan * (1 - 1e-9), plan.makespan);
        }
        divisible_plan_free(&plan);
    }
}

/* More workers: it says so, and is no worse than the orders it begins with. */
static void many_workers_get_a_heuristic_that_says_so(void **state)
{
    uint64_t seed = testing_seed();
    int seen = 0;
    for (int i = 0; i < 40; i++, seed++) {
        struct testing_case c;
        struct divisible_plan plan = {0};
        int order[TESTING_WORKERS];
        testing_case_make(&c, seed, TESTING_WORKERS, TESTING_LATENCY);
        if (c.platform.workers <= DIVISIBLE_EXACT_MAX)
            continue;
        seen++;
        assert_int_equal(
            divisible_single_best(&c.platform, c.load, &plan, NULL), 0);
        assert_int_equal(plan.order, DIVISIBLE_HEURISTIC);
        testing_feasible(&c, &plan);
        for (int key = DIVISIBLE_BY_LINK; key <= DIVISIBLE_BY_UNIT; key++) {
            divisible_sort(&c.platform, key, order);
            TESTING_NOT_BEFORE(&c, "a sorted order", given(&c, order),
                               plan.makespan * (1 - 1e-9), plan.makespan);
        }
        divisible_plan_free(&plan);
    }
    assert_true(seen > 10);
}

/* Two equal workers: alpha_1 w = alpha_2 (G + w), by hand. */
static void two_workers_by_hand(void **state)
{
    static const struct divisible_worker two[] = {{.G = 1, .w = 2},
                                                  {.G = 1, .w = 2}};
    struct divisible_platform platform = {.workers = 2, .worker = two};
    struct divisible_plan plan = {0};
    assert_int_equal(divisible_single_best(&platform, 5, &plan, NULL), 0);
    assert_int_equal(plan.chunks, 2);
    assert_true(testing_same(plan.chunk[0].load, 3));
    assert_true(testing_same(plan.chunk[1].load, 2));
    assert_true(testing_same(plan.makespan, 9));
    divisible_plan_free(&plan);
}

/* A worker behind a link of 10 s a unit that computes at 10 s a unit is
 * useless, while the other one takes 1.1 s for both. */
static void a_slow_link_gets_nothing(void **state)
{
    static const struct divisible_worker two[] = {{.G = 10, .w = 10},
                                                  {.G = 0.1, .w = 1}};
    static const int slow_first[] = {0, 1};
    struct divisible_platform platform = {.workers = 2, .worker = two};
    struct divisible_plan plan = {0};
    assert_int_equal(
        divisible_single_given(&platform, 100, slow_first, 2, &plan, NULL), 0);
    assert_int_equal(plan.chunks, 1);
    assert_int_equal(plan.chunk[0].worker, 1);
    assert_true(testing_same(plan.makespan, 110));
    divisible_plan_free(&plan);
}

/* From a separate program that tries all orders and subsets. */
static void a_late_message_counts_as_a_start_up(void **state)
{
    static const struct {
        double late[3], makespan, load[3];
    } rows[] = {
        {{0, 0, 0}, 66.143312102, {26.050955, 58.312102, 15.636943}},
        {{3, 0, 5}, 67.921178344, {25.421975, 59.928344, 14.649682}},
        {{40, 0, 0}, 77.003184713, {12.356688, 68.184713, 19.458599}},
        {{0, 60, 0}, 98.292993631, {41.815287, 32.993631, 25.191083}},
        {{9, 9, 9}, 75.143312102, {26.050955, 58.312102, 15.636943}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct divisible_worker worker[] = {{1, .2, 2, 0, rows[i].late[0]},
                                            {2, .1, 1, 0, rows[i].late[1]},
                                            {.5, .3, 3, 0, rows[i].late[2]}};
        struct divisible_platform platform = {.workers = 3, .worker = worker};
        struct divisible_plan plan = {0};
        assert_int_equal(divisible_single_best(&platform, 100, &plan, NULL), 0);
        assert_true(fabs(plan.makespan - rows[i].makespan) < 1e-8);
        for (int w = 0; w < 3; w++)
            assert_true(fabs(divisible_plan_load(&plan, w) - rows[i].load[w]) <
                        1e-6);
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
        cmocka_unit_test(two_workers_by_hand),
        cmocka_unit_test(a_slow_link_gets_nothing),
        cmocka_unit_test(a_given_order_is_the_best_program_over_all_subsets),
        cmocka_unit_test(theorem_1_gives_the_best_order),
        cmocka_unit_test(theorem_2_gives_the_best_order),
        cmocka_unit_test(the_search_gives_the_best_order),
        cmocka_unit_test(the_search_is_never_worse_than_sorted_orders),
        cmocka_unit_test(many_workers_get_a_heuristic_that_says_so),
        cmocka_unit_test(a_late_message_counts_as_a_start_up),
    };
    return cmocka_run_group_tests(tests, NULL, end);
}
