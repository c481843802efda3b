/* bold: its sizes by the formula as it is printed, and by hand. */
#include "sched/sched_testing.h"

#include <math.h>
#include <stdio.h>

enum { WORKERS_MAX = 20, CASES = 200 };

/* The state of each worker, as a list: the scheme's sums, made anew. */
struct model {
    double mu, sigma, h;
    int workers;
    double size[WORKERS_MAX], begun[WORKERS_MAX], clock[WORKERS_MAX];
};

static double time_of(const struct model *m, double size)
{
    return size * m->mu + m->h;
}

static double formula(const struct model *m, double r_left, double now)
{
    double a = 2 * pow(m->sigma / m->mu, 2), b = 8 * a * log(8 * a);
    double c1 = m->h / (m->mu * log(2)), c2 = sqrt(2 * M_PI) * c1;
    double all = r_left, left = r_left, p = m->workers;
    for (int j = 0; j < m->workers; j++) {
        double k = m->size[j];
        all += k;
        if (k > 0)
            left += k - (now - m->begun[j]) * k / time_of(m, k);
    }
    double q = r_left / p, r = fmax(r_left, left), t = r / p;
    if (q <= 1)
        return 1;
    double v = q / (b + q), d = r_left / (1 + 1 / log(q) - v);
    if (d <= c2)
        return t;
    double s = a * (log(d) - log(c2)) * (1 + all / (r * p));
    double w = log(v * log(q)) + (b > 0 ? log(b) : 0);
    double size = t + s / 2 - sqrt(s * (t + s / 4));
    return fmin(t, size + fmax(0, c1 * w));
}

/* The worker whose chunk ends first. */
static int next_worker(const struct model *m)
{
    int next = 0;
    for (int j = 1; j < m->workers; j++)
        if (m->clock[j] < m->clock[next])
            next = j;
    return next;
}

/* Each chunk takes k mu + h of a clock whose unit is `unit`. */
static void check_case(struct model m, int64_t iterations, double unit)
{
    struct sched_loop loop = {.iterations = iterations, .workers = m.workers};
    struct testing_loop t;
    struct chunk chunk;
    char text[96];
    int64_t left = iterations;
    snprintf(text, sizeof(text), "bold:mu=%.17g,sigma=%.17g,h=%.17g", m.mu,
             m.sigma, m.h);
    testing_open(&t, text, &loop, 1);
    for (;;) {
        int w = next_worker(&m);
        double now = m.clock[w];
        if (m.size[w] > 0)
            sched_feedback(&t.sched, w, (int64_t)m.size[w],
                           unit * time_of(&m, m.size[w]));
        m.size[w] = 0;
        if (left == 0)
            break;
        double expected = formula(&m, (double)left, now);
        assert_true(sched_next(&t.sched, w, &chunk));
        double size = (double)chunk.size;
        /* Clocks are sums: the last digits decide between two sizes. */
        if (size < fmin((double)left, expected) - 1e-6 * expected ||
            size > fmax(1, expected + 1 + 1e-6 * expected))
            fail_msg("%s, I = %lld, p = %d, R = %lld: %g, not %g", text,
                     (long long)iterations, m.workers, (long long)left, size,
                     expected);
        left -= chunk.size;
        m.size[w] = size;
        m.begun[w] = now;
        m.clock[w] = now + time_of(&m, size);
    }
    testing_close(&t);
}

static void sizes_follow_the_formula(void **unused)
{
    uint64_t seed = testing_seed();
    for (int n = 0; n < CASES; n++) {
        struct model m = {
            .mu = (double)testing_between(&seed, 1, 5000) / 1000,
            .sigma = (double)testing_between(&seed, 1, 10000) / 1000,
            .h = (double)testing_between(&seed, 1, 100000) / 1000,
            .workers = (int)testing_between(&seed, 1, WORKERS_MAX)};
        check_case(m, testing_scale(&seed, 100000), 1);
        check_case(m, testing_scale(&seed, 100000), 1e-3);
    }
}

/* I = 1000, p = 2, the defaults: Q = 500, a = 2, b = 44.36, v = 0.9185,
 * d = 4125, c1 = 0.7213, c2 = 1.808, s = 2 7.733 1.5 = 23.20, w = 5.534:
 * 403.28 + 3.99.  Then M = N = 1000, Q = 296, v = 0.8697, d = 1937,
 * s = 2 6.977 1.5 = 20.93: t stays 500. */
static void by_hand(void **unused)
{
    struct sched_loop loop = {.iterations = 1000, .workers = 2};
    struct testing_loop t;
    struct chunk chunk;
    testing_open(&t, "bold", &loop, 1);
    assert_true(sched_next(&t.sched, 0, &chunk));
    assert_int_equal(chunk.size, 408);
    assert_true(sched_next(&t.sched, 1, &chunk));
    assert_int_equal(chunk.size, 412);
    testing_close(&t);
}

/* sigma = 0: t = N/p, as static; h = 0: one at a time. */
static void at_its_ends_it_is_a_plain_scheme(void **unused)
{
    struct sched_loop loop = {.iterations = 1000, .workers = 4};
    int64_t size[2000];
    assert_int_equal(testing_sizes("bold:sigma=0", &loop, 1, size, 2000), 4);
    assert_int_equal(size[0], 250);
    assert_int_equal(testing_sizes("bold:h=0", &loop, 1, size, 2000), 1000);
    assert_int_equal(testing_sizes("bold:h=0,sigma=0", &loop, 1, size, 2000),
                     4);
    loop.workers = 1;
    assert_int_equal(testing_sizes("bold:sigma=0", &loop, 1, size, 2000), 1);
}

/* A time reported after the next request moves the clock like one reported
 * before it. */
static void late_times_count_as_much(void **unused)
{
    struct sched_loop loop = {.iterations = 1000000000, .workers = 3};
    struct testing_loop early, late;
    struct chunk a, b;
    int64_t last[3] = {0};
    testing_open(&early, "bold", &loop, 1);
    testing_open(&late, "bold", &loop, 1);
    for (int n = 0; n < 18; n++) {
        int w = n % 3;
        double took = (double)last[w] + 0.5;
        if (last[w] > 0)
            sched_feedback(&early.sched, w, last[w], took);
        assert_true(sched_next(&early.sched, w, &a));
        assert_true(sched_next(&late.sched, w, &b));
        if (last[w] > 0)
            sched_feedback(&late.sched, w, last[w], took);
        assert_int_equal(a.size, b.size);
        last[w] = a.size;
    }
    testing_close(&early);
    testing_close(&late);
}

TESTS(cmocka_unit_test(sizes_follow_the_formula), cmocka_unit_test(by_hand),
      cmocka_unit_test(at_its_ends_it_is_a_plain_scheme),
      cmocka_unit_test(late_times_count_as_much))
