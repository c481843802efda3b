/* Schemes that learn: sizes by hand from given times, and that the weights
 * come to the true speeds. */
#include "sched/sched_testing.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const char *const adaptive[] = {"awf-b", "awf-c", "awf-d",
                                       "awf-e", "af",    "awf"};

enum { ADAPTIVE = sizeof(adaptive) / sizeof(adaptive[0]) };

static int64_t next_size(struct testing_loop *t, int worker)
{
    struct chunk chunk;
    assert_true(sched_next(&t->sched, worker, &chunk));
    return chunk.size;
}

/* ---- by hand ---- */

/* 1 and 1/3 iterations per unit of time: shares 3/4 and 1/4. */
static void awf_shares_by_rate(void **unused)
{
    static const char *const scheme[] = {"awf-b", "awf-d", "awf-c", "awf-e"};
    struct sched_loop loop = {.iterations = 1000, .workers = 2};
    struct testing_loop t;
    for (int i = 0; i < 4; i++) {
        bool stage = i < 2;
        testing_open(&t, scheme[i], &loop, 1);
        sched_feedback(&t.sched, 0, 10, 10);
        sched_feedback(&t.sched, 1, 10, 30);
        assert_int_equal(next_size(&t, 0), 375);
        /* The second report counts twice: 90 for 30, so now 1/3 as well. */
        sched_feedback(&t.sched, 0, 10, 40);
        /* 1000/8 in the same stage; else 625/4. */
        assert_int_equal(next_size(&t, 1), stage ? 125 : 157);
        assert_int_equal(next_size(&t, 0), stage ? 125 : 117);
        testing_close(&t);
    }
}

/* Rates 1 and 3 of powers 1 and 1; power 2 then counts as 4. */
static void awf_guesses_who_has_not_reported(void **unused)
{
    const double power[] = {1, 1, 2};
    const int64_t expected[] = {50, 150, 200};
    struct sched_loop loop = {.iterations = 800, .workers = 3, .power = power};
    struct testing_loop t;
    testing_open(&t, "awf-b", &loop, 1);
    sched_feedback(&t.sched, 0, 7, 7);
    sched_feedback(&t.sched, 1, 30, 10);
    for (int j = 0; j < 3; j++)
        assert_int_equal(next_size(&t, j), expected[j]);
    testing_close(&t);
}

static void before_any_report_awf_is_wf(void **unused)
{
    const double power[] = {3, 2, 1};
    struct sched_loop loop = {.iterations = 1000, .workers = 3, .power = power};
    int64_t wf[100], awf[100];
    int n = testing_sizes("wf", &loop, 1, wf, 100);
    assert_int_equal(testing_sizes("awf-b", &loop, 1, awf, 100), n);
    assert_memory_equal(wf, awf, (size_t)n * sizeof(wf[0]));
}

/* mu = 1 and 2, sigma^2 = 10 (0.04 + 0.04) / 3 and 10 (0.16 + 0.16) / 3,
 * D = 0.8, T = 2/3: (1334.13 - 46.19) / 2 = 643.97; with R = 356
 * (475.47 - 27.57) / 4 = 111.97. */
static void af_by_hand(void **unused)
{
    static const double time[] = {8, 12, 10, 10};
    struct sched_loop loop = {.iterations = 1000, .workers = 2};
    struct testing_loop t;
    testing_open(&t, "af", &loop, 1);
    for (int i = 0; i < 4; i++) {
        sched_feedback(&t.sched, 0, 10, time[i]);
        sched_feedback(&t.sched, 1, 10, 2 * time[i]);
    }
    assert_int_equal(next_size(&t, 0), 644);
    assert_int_equal(next_size(&t, 1), 112);
    testing_close(&t);
}

/* Without deviation all is handed out at once: R/p; a worker not yet known
 * keeps to its first size, and counts as the others do. */
static void af_starts_with_small_chunks(void **unused)
{
    struct sched_loop loop = {.iterations = 64000, .workers = 10};
    struct testing_loop t;
    testing_open(&t, "af", &loop, 1);
    assert_int_equal(next_size(&t, 0), 100);
    for (int i = 0; i < 3; i++)
        sched_feedback(&t.sched, 0, 100, 100);
    assert_int_equal(next_size(&t, 0), 100);
    sched_feedback(&t.sched, 0, 100, 100);
    assert_int_equal(next_size(&t, 0), 6380);
    assert_int_equal(next_size(&t, 9), 100);
    testing_close(&t);
    testing_open(&t, "af:first=7", &loop, 1);
    assert_int_equal(next_size(&t, 3), 7);
    testing_close(&t);
}

/* The example by hand with the keys of other implementations.  Half: 500.
 * Two samples: variances of 0.8 and 3.2, D = 2.4; with the mean of the last, mu
 * = 1.2 and 2.4, D = 2.  One sample has none: 2/3 R by mu = 0.8 and 1.6. */
static void af_by_other_implementations(void **unused)
{
    static const double time[] = {8, 12, 10, 10};
    static const struct {
        const char *scheme;
        int reports;
        int64_t first, second;
    } rows[] = {
        {"af", 4, 644, 112},
        {"af:most=500", 4, 500, 159},
        {"af:most=5", 3, 5, 5},
        {"af:samples=5", 4, 7, 7},
        {"af:samples=2", 2, 628, 113},
        {"af:samples=1", 1, 667, 111},
        {"af:samples=1,mean=last", 2, 635, 113},
    };
    struct sched_loop loop = {.iterations = 1000, .workers = 2};
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        struct testing_loop t;
        testing_open(&t, rows[r].scheme, &loop, 1);
        for (int i = 0; i < rows[r].reports; i++) {
            sched_feedback(&t.sched, 0, 10, time[i]);
            sched_feedback(&t.sched, 1, 10, 2 * time[i]);
        }
        assert_int_equal(next_size(&t, 0), rows[r].first);
        assert_int_equal(next_size(&t, 1), rows[r].second);
        testing_close(&t);
    }
}

/* One of three workers is not known; the others take 1 and 2, so that all have
 * rates of 2.25, 2.5 and 2. */
static void af_counts_the_unknown_as_told(void **unused)
{
    static const struct {
        const char *scheme;
        int64_t size;
    } rows[] = {
        {"af", 445},
        {"af:unknown=fastest", 400},
        {"af:unknown=slowest", 500},
    };
    struct sched_loop loop = {.iterations = 1000, .workers = 3};
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        struct testing_loop t;
        testing_open(&t, rows[r].scheme, &loop, 1);
        for (int i = 0; i < 4; i++) {
            sched_feedback(&t.sched, 0, 10, 10);
            sched_feedback(&t.sched, 1, 10, 20);
        }
        assert_int_equal(next_size(&t, 0), rows[r].size);
        assert_int_equal(next_size(&t, 2), 5);
        testing_close(&t);
    }
}

static void a_time_of_nothing_is_no_news(void **unused)
{
    struct sched_loop loop = {.iterations = 1000, .workers = 2};
    struct testing_loop reported, silent;
    for (int i = 0; i < ADAPTIVE; i++) {
        testing_open(&reported, adaptive[i], &loop, 1);
        testing_open(&silent, adaptive[i], &loop, 1);
        for (int k = 0; k < 9; k++) {
            sched_feedback(&reported.sched, k % 2, 10, k % 3 - 2);
            assert_int_equal(next_size(&reported, k % 2),
                             next_size(&silent, k % 2));
        }
        testing_close(&reported);
        testing_close(&silent);
    }
}

/* Step 1: 1 and 1/3 iterations per unit of time, nothing changes in it; step 2
 * counts twice: 10 + 2 40 for 10 + 2 20. */
static void awf_learns_between_time_steps(void **unused)
{
    struct sched_loop loop = {.iterations = 1000, .workers = 2};
    struct testing_loop t;
    testing_open(&t, "awf", &loop, 1);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(next_size(&t, 0), 250 >> i);
        assert_int_equal(next_size(&t, 1), 250 >> i);
        sched_feedback(&t.sched, 0, 5, 5);
        sched_feedback(&t.sched, 1, 5, 15);
    }
    sched_again(&t.sched, &t.spec, &loop);
    assert_int_equal(next_size(&t, 0), 375);
    assert_int_equal(next_size(&t, 1), 125);
    sched_feedback(&t.sched, 0, 40, 20);
    sched_feedback(&t.sched, 1, 10, 30);
    loop.iterations = 2200;
    sched_again(&t.sched, &t.spec, &loop);
    /* Rates 9/5 and 1/3: 27 and 5 of 32. */
    assert_int_equal(next_size(&t, 0), 929);
    assert_int_equal(next_size(&t, 1), 172);
    testing_close(&t);
}

/* Knowledge stays; the chunks begin anew, in a loop of another size. */
static void executed_again_they_know_the_workers(void **unused)
{
    for (int i = 0; i < ADAPTIVE; i++) {
        struct sched_loop loop = {.iterations = 6400, .workers = 2};
        struct testing_loop t;
        testing_open(&t, adaptive[i], &loop, 1);
        for (int k = 0; k < 5; k++) {
            sched_feedback(&t.sched, 0, next_size(&t, 0), 10);
            sched_feedback(&t.sched, 0, 30, 10 + k % 2);
            sched_feedback(&t.sched, 1, 10, 10 + k % 2);
        }
        loop.iterations = 100000;
        sched_again(&t.sched, &t.spec, &loop);
        double first = (double)next_size(&t, 0);
        assert_true(first > 2.2 * (double)next_size(&t, 1));
        int64_t all = (int64_t)first, size;
        struct chunk chunk;
        while (sched_next(&t.sched, 1, &chunk))
            size = chunk.start + chunk.size, all = size;
        assert_int_equal(all, loop.iterations);
        testing_close(&t);
    }
}

/* ---- convergence ---- */

enum { WORKERS = 4, ROUNDS = 15 };

/* Seconds of an iteration; the powers say otherwise. */
static const double slowness[WORKERS] = {1, 2, 4, 1};
static const double wrong_power[WORKERS] = {1, 3, 2, 0.5};

struct workers {
    struct testing_loop t;
    uint64_t seed;
};

/* Iterations that differ: up to 50 % around their mean, by themselves. */
static double run_time(struct workers *w, int worker, int64_t size)
{
    double n = (double)size;
    double unit = (double)testing_between(&w->seed, -1000, 1000) / 1000;
    return slowness[worker] * n * (1 + 0.5 * unit / sqrt(n));
}

/* All by turns: that everybody has enough chunks is a condition here, not the
 * schemes' promise.  They start with I/2p by the powers, and a worker four
 * times as slow as those say is not back before the others are through. */
static void serve_round(struct workers *w)
{
    for (int j = 0; j < WORKERS; j++) {
        int64_t size = next_size(&w->t, j);
        sched_feedback(&w->t.sched, j, size, run_time(w, j, size));
    }
}

/* The next size of each worker at the same R, asked in copies. */
static void sizes_now(const struct workers *w, double *size)
{
    for (int j = 0; j < WORKERS; j++) {
        struct testing_loop copy = w->t;
        copy.memory = malloc(w->t.bytes);
        assert_non_null(copy.memory);
        memcpy(copy.memory, w->t.memory, w->t.bytes);
        copy.sched = w->t.sched;
        copy.sched.head = copy.memory;
        size[j] = (double)next_size(&copy, j);
        free(copy.memory);
    }
}

static void check_weights(const char *text, const struct sched_loop *loop,
                          uint64_t seed)
{
    struct workers w = {.seed = seed};
    double size[WORKERS], sizes = 0, speeds = 0;
    testing_open(&w.t, text, loop, 1);
    for (int i = 0; i < ROUNDS; i++)
        serve_round(&w);
    if (w.t.sched.ops->flags & SCHED_KEEPS) /* between time steps only */
        sched_again(&w.t.sched, &w.t.spec, loop);
    sizes_now(&w, size);
    for (int j = 0; j < WORKERS; j++) {
        sizes += size[j];
        speeds += 1 / slowness[j];
    }
    assert_true(sizes > 10000);
    for (int j = 0; j < WORKERS; j++) {
        double error = size[j] / sizes * speeds * slowness[j] - 1;
        if (fabs(error) > 0.05)
            fail_msg("%s: the weight of worker %d is %.1f %% off", text, j,
                     100 * error);
    }
    testing_close(&w.t);
}

static void weights_come_to_the_true_speeds(void **unused)
{
    struct sched_loop loop = {.iterations = (int64_t)1 << 45,
                              .workers = WORKERS};
    for (int i = 0; i < ADAPTIVE; i++)
        for (uint64_t n = 0; n < 50; n++) {
            loop.power = n % 2 ? wrong_power : NULL;
            check_weights(adaptive[i], &loop, testing_seed() + n);
        }
}

TESTS(cmocka_unit_test(awf_shares_by_rate),
      cmocka_unit_test(awf_guesses_who_has_not_reported),
      cmocka_unit_test(before_any_report_awf_is_wf),
      cmocka_unit_test(af_by_hand),
      cmocka_unit_test(af_starts_with_small_chunks),
      cmocka_unit_test(af_by_other_implementations),
      cmocka_unit_test(af_counts_the_unknown_as_told),
      cmocka_unit_test(a_time_of_nothing_is_no_news),
      cmocka_unit_test(awf_learns_between_time_steps),
      cmocka_unit_test(executed_again_they_know_the_workers),
      cmocka_unit_test(weights_come_to_the_true_speeds))
