/* Selection over thousands of random loops: what it costs, what it notices, and
 * that it keeps still. */
#include "base/unit_testing.h"

#include "base/random.h"
#include "base/stats.h"
#include "sched/select/select.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LOOPS = 2000 };

/* A loop with a time for each candidate, and noise as on a shared machine: now
 * and then a repetition takes up to twice as long. */
struct synthetic {
    int candidates;
    double time[SELECT_MAX];
    double noise;    /* deviation */
    double outliers; /* their share */
    uint64_t random;
};

static double uniform(struct synthetic *loop)
{
    return ((double)(random_next(&loop->random) >> 11) + 0.5) * 0x1p-53;
}

static double normal(struct synthetic *loop)
{
    double u = uniform(loop);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * uniform(loop));
}

/* 2 to 10 candidates, the slowest up to 1.5 times the fastest. */
static struct synthetic make(int number, double noise, double outliers)
{
    struct synthetic loop = {.noise = noise,
                             .outliers = outliers,
                             .random = (uint64_t)number * 7919};
    loop.candidates = 2 + (int)(9 * uniform(&loop));
    for (int i = 0; i < loop.candidates; i++)
        loop.time[i] = 3e-3 * (1 + 0.5 * uniform(&loop) * uniform(&loop));
    return loop;
}

static double sample(struct synthetic *loop, int candidate)
{
    double late = uniform(loop) < loop->outliers ? 1.2 + uniform(loop) : 1;
    return loop->time[candidate] * exp(loop->noise * normal(loop)) * late;
}

static double best_time(const struct synthetic *loop)
{
    double best = INFINITY;
    for (int i = 0; i < loop->candidates; i++)
        best = fmin(best, loop->time[i]);
    return best;
}

static void open_loop(struct select *select, const struct synthetic *loop,
                      int repetitions, double share)
{
    const struct select_rule rule = {.candidates = loop->candidates,
                                     .repetitions = repetitions,
                                     .share = share,
                                     .change = 0.1};
    select_open(select, &rule);
}

/* ---- what it costs ---- */

static void check_regret(double noise, double outliers, double mean_most,
                         double high_most)
{
    static double regret[LOOPS];
    double mean = 0;
    for (int l = 0; l < LOOPS; l++) {
        struct synthetic loop = make(l, noise, outliers);
        struct select s;
        open_loop(&s, &loop, 50, 0.4);
        for (int n = 0; n < 50; n++)
            select_report(&s, sample(&loop, select_current(&s)));
        regret[l] = loop.time[select_current(&s)] / best_time(&loop) - 1;
        mean += regret[l] / LOOPS;
    }
    stats_sort(regret, LOOPS);
    double high = regret[LOOPS * 95 / 100];
    if (mean > mean_most || high > high_most)
        fail_msg("noise %g: regret %.2f %% in the mean, %.2f %% at 95 %%",
                 noise, 100 * mean, 100 * high);
}

static void regret_after_50_repetitions_is_small(void **unused)
{
    check_regret(0.01, 0, 0.002, 0.01);
    check_regret(0.03, 0.03, 0.006, 0.03);
    check_regret(0.05, 0.05, 0.010, 0.05);
}

/* Trials end as soon as there is nothing left to tell apart. */
static void trials_keep_their_share(void **unused)
{
    static const double shares[] = {0.1, 0.2, 0.4, 1};
    for (int l = 0; l < LOOPS; l++) {
        struct synthetic loop = make(l, 0.02, 0);
        struct select s;
        double share = shares[l % 4];
        bool again = false;
        open_loop(&s, &loop, 100, share);
        for (int n = 0; n < 100; n++)
            again = select_report(&s, sample(&loop, select_current(&s))) ==
                        SELECT_CHANGED ||
                    again;
        assert_true(again || s.tried <= select_trials(100, share));
    }
}

static void one_that_is_far_off_is_tried_once(void **unused)
{
    struct synthetic loop = {.candidates = 3, .time = {1, 3, 1}};
    struct select s;
    int tried[3] = {0};
    open_loop(&s, &loop, 100, 0.5);
    while (select_trying(&s)) {
        tried[select_current(&s)]++;
        select_report(&s, sample(&loop, select_current(&s)));
    }
    assert_int_equal(tried[1], 1);
    assert_in_range(tried[0] - tried[2] + 1, 0, 2);
    assert_true(tried[0] > 3);
}

static void bounds_hold_the_truth(void **unused)
{
    int wrong = 0;
    for (int l = 0; l < LOOPS; l++) {
        struct synthetic loop = make(l, 0.04, 0);
        struct select s;
        bool out = false;
        open_loop(&s, &loop, 50, 0.4);
        for (int i = 0; i < loop.candidates; i++)
            select_report(&s, sample(&loop, select_current(&s)));
        for (int i = 0; i < loop.candidates; i++)
            out = out || fabs(log(select_median(&s, i) / loop.time[i])) >
                             log1p(select_bound(&s, i));
        wrong += out;
    }
    assert_true(wrong < LOOPS / 10);
}

/* ---- what it notices ---- */

/* The chosen candidate gets slower by a half, as when its core is shared:
 * another is the best now. */
static void a_change_is_noticed(void **unused)
{
    int missed = 0, late = 0, wrong = 0;
    for (int l = 0; l < LOOPS; l++) {
        struct synthetic loop = make(l, 0.02, 0.02);
        struct select s;
        int noticed = -1;
        open_loop(&s, &loop, 400, 0.3);
        for (int n = 0; n < 400; n++) {
            if (n == 200)
                loop.time[select_current(&s)] *= 1.5;
            enum select_event event =
                select_report(&s, sample(&loop, select_current(&s)));
            if (n >= 200 && noticed < 0 &&
                (event == SELECT_CHANGED || event == SELECT_SWITCHED))
                noticed = n - 200;
        }
        missed += noticed < 0;
        late += noticed > 12;
        wrong += loop.time[select_current(&s)] / best_time(&loop) > 1.03;
    }
    if (missed > 0 || late > LOOPS / 50 || wrong > LOOPS / 20)
        fail_msg("%d missed, %d late, %d wrong", missed, late, wrong);
}

/* The whole loop takes 20 % longer: all candidates are tried again. */
static void a_change_of_the_loop_begins_anew(void **unused)
{
    int noticed = 0;
    for (int l = 0; l < LOOPS; l++) {
        struct synthetic loop = make(l, 0.02, 0);
        struct select s;
        bool now = false;
        open_loop(&s, &loop, 400, 0.2);
        for (int n = 0; n < 400; n++) {
            if (n == 200)
                for (int i = 0; i < loop.candidates; i++)
                    loop.time[i] *= 1.2;
            now = select_report(&s, sample(&loop, select_current(&s))) ==
                      SELECT_CHANGED ||
                  now;
        }
        noticed += now;
    }
    assert_true(noticed > LOOPS * 99 / 100);
}

static void a_change_at_the_end_is_no_trial(void **unused)
{
    struct synthetic loop = {.candidates = 2, .time = {1, 2}};
    enum select_event event = SELECT_NOTHING;
    struct select s;
    open_loop(&s, &loop, 42, 0.2);
    for (int n = 0; n < 34; n++)
        select_report(&s, sample(&loop, select_current(&s)));
    loop.time[0] = 1.5;
    for (int n = 34; n < 42 && event == SELECT_NOTHING; n++)
        event = select_report(&s, sample(&loop, select_current(&s)));
    assert_int_equal(event, SELECT_KEPT_CHANGED);
    assert_int_equal(select_current(&s), 0);
    assert_false(select_trying(&s));
}

/* ---- what it does not do ---- */

/* Neither noise, nor outliers, nor a slow drift of the machine by 3 %. */
static void it_does_not_flap(void **unused)
{
    int changed = 0, switched = 0;
    for (int l = 0; l < LOOPS / 4; l++) {
        struct synthetic loop = make(l, 0.03, 0.03);
        struct select s;
        open_loop(&s, &loop, 1000, 0.1);
        for (int n = 0; n < 1000; n++) {
            double drift = l % 2 == 0 ? 1 : 1 + 0.03 * sin(n / 100.0);
            enum select_event event =
                select_report(&s, drift * sample(&loop, select_current(&s)));
            changed += event == SELECT_CHANGED;
            switched += event == SELECT_SWITCHED;
        }
    }
    if (changed > LOOPS / 4 / 20 || switched > LOOPS / 4 * 10)
        fail_msg("%d changes, %d switches in %d loops of 1000 repetitions",
                 changed, switched, LOOPS / 4);
}

static void one_candidate_and_no_trials(void **unused)
{
    struct synthetic alone = {.candidates = 1, .time = {1}};
    struct synthetic two = {.candidates = 2, .time = {2, 1}};
    struct select s;
    open_loop(&s, &alone, 10, 1);
    assert_false(select_trying(&s));
    open_loop(&s, &two, 10, 0);
    assert_false(select_trying(&s));
    for (int n = 0; n < 10; n++)
        select_report(&s, sample(&two, select_current(&s)));
    assert_int_equal(select_current(&s), 0);
    assert_int_equal(s.tried, 0);
    assert_true(isnan(select_median(&s, 1)));
}

/* A caller that orders the trials itself gets the same answer.  A far slower
 * candidate goes out at once.  Unmeasured candidates stay, and so does the
 * best. */
static void trials_in_any_order_drop_the_slow(void **unused)
{
    int wrong = 0;
    for (int l = 0; l < LOOPS / 4; l++) {
        struct synthetic loop = {.candidates = 4,
                                 .time = {1, 3, 1.001, 1},
                                 .noise = 0.03,
                                 .random = (uint64_t)l * 7919};
        struct select s;
        open_loop(&s, &loop, 100, 1);
        assert_false(select_drop(&s));
        for (int round = 0; round < 6; round++) {
            for (int i = 2; i >= 0; i--)
                if (!s.candidate[i].out)
                    select_add(&s, i, sample(&loop, i));
            bool dropped = select_drop(&s);
            assert_true(round > 0 || dropped);
        }
        assert_true(s.candidate[1].out && s.candidate[1].times == 1);
        assert_false(s.candidate[3].out);
        wrong += s.candidate[0].out || s.candidate[2].out;
    }
    assert_true(wrong < LOOPS / 4 / 10);
}

TESTS(cmocka_unit_test(regret_after_50_repetitions_is_small),
      cmocka_unit_test(trials_keep_their_share),
      cmocka_unit_test(one_that_is_far_off_is_tried_once),
      cmocka_unit_test(bounds_hold_the_truth),
      cmocka_unit_test(a_change_is_noticed),
      cmocka_unit_test(a_change_of_the_loop_begins_anew),
      cmocka_unit_test(a_change_at_the_end_is_no_trial),
      cmocka_unit_test(it_does_not_flap),
      cmocka_unit_test(one_candidate_and_no_trials),
      cmocka_unit_test(trials_in_any_order_drop_the_slow))
