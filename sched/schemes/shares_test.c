/* Schemes that share out a part of the loop by powers or by measured speeds:
 * chunks worked out outside of this program. */
#include "sched/sched_testing.h"

/* Worker `worker` asks, and says that it took `each` for every iteration. */
static int64_t ask(struct testing_loop *t, int worker, double each)
{
    struct chunk chunk;
    if (!sched_next(&t->sched, worker, &chunk))
        return 0;
    if (each > 0)
        sched_feedback(&t->sched, worker, chunk.size,
                       each * (double)chunk.size);
    return chunk.size;
}

static void assert_turns(struct testing_loop *t, const double *each,
                         const int64_t *size, int count)
{
    int p = t->sched.head->workers;
    for (int i = 0; i < count; i++) {
        int64_t got = ask(t, i % p, each != NULL ? each[i % p] : 0);
        if (got != size[i])
            fail_msg("request %d: %" PRId64 ", not %" PRId64, i, got, size[i]);
    }
}

/* k = 100 / (2.5 + 2.5 + 1 + 1) = 14.29: 35 and 14 less the sample. */
static void aid_static_shares_out_once(void **unused)
{
    const double each[] = {2, 2, 5, 5}, power[] = {3, 3, 1, 1};
    const double equal[] = {1, 1, 1, 1};
    const int64_t size[] = {1, 1, 1, 1, 34, 34, 13, 13, 1, 1, 0, 0};
    struct sched_loop loop = {.iterations = 100, .workers = 4};
    struct testing_loop t;
    testing_open(&t, "aid-static", &loop, 1);
    assert_turns(&t, each, size, 12);
    testing_close(&t);
    /* Equal powers are those of a run that knows none. */
    loop.power = equal;
    testing_open(&t, "aid-static", &loop, 1);
    assert_turns(&t, each, size, 12);
    testing_close(&t);
    /* Types by power: the mean of their samples, 2 and 5 again. */
    const double uneven[] = {1, 3, 4, 6};
    loop.power = power;
    testing_open(&t, "aid-static", &loop, 1);
    assert_turns(&t, uneven, size, 12);
    testing_close(&t);
}

/* Worker 0 asks three times before worker 1 has its sample: 3 and 1 iterations
 * of shares of 2/3 and 1/3 of 90. */
static void aid_counts_what_a_waiting_worker_got(void **unused)
{
    const struct sched_loop loop = {.iterations = 90, .workers = 2};
    struct testing_loop t;
    testing_open(&t, "aid-static", &loop, 1);
    assert_int_equal(ask(&t, 0, 1), 1);
    assert_int_equal(ask(&t, 0, 1), 1);
    assert_int_equal(ask(&t, 0, 1), 1);
    assert_int_equal(ask(&t, 1, 2), 1);
    assert_int_equal(ask(&t, 1, 2), 29);
    assert_int_equal(ask(&t, 0, 1), 57);
    assert_int_equal(ask(&t, 0, 1), 0);
    testing_close(&t);
}

/* 80 of 100 are shared out: k = 80 / 3.5 = 22.86, of workers with SF 2.5 and 1;
 * then two at a time. */
static void aid_hybrid_leaves_a_rest(void **unused)
{
    const double each[] = {2, 5};
    const int64_t size[] = {2, 2, 55, 20, 2, 2, 2};
    const struct sched_loop loop = {.iterations = 100, .workers = 2};
    struct testing_loop t;
    testing_open(&t, "aid-hybrid:chunk=2", &loop, 1);
    assert_turns(&t, each, size, 7);
    testing_close(&t);
}

/* Costs 1 .. 8: [0,4) 10, [4,8) 26; b_1 = 4 + ceil((18 - 10) / 6.5) = 6; then
 * 21 and 15, and ceil(18 / 3.5) = 6 again. */
static void fgdls_follows_the_last_times(void **unused)
{
    const struct sched_loop loop = {.iterations = 8, .workers = 2};
    const int64_t expected[] = {4, 6, 6};
    const double time[][2] = {{10, 26}, {21, 15}, {21, 15}};
    struct testing_loop t;
    struct chunk a, b;
    testing_open(&t, "fgdls", &loop, 1);
    for (int step = 0; step < 3; step++) {
        assert_true(sched_next(&t.sched, 1, &b));
        assert_true(sched_next(&t.sched, 0, &a));
        assert_int_equal(a.start, 0);
        assert_int_equal(a.size, expected[step]);
        assert_int_equal(b.start, expected[step]);
        assert_int_equal(b.size, 8 - expected[step]);
        assert_false(sched_next(&t.sched, 0, &a));
        sched_feedback(&t.sched, 0, expected[step], time[step][0]);
        sched_feedback(&t.sched, 1, 8 - expected[step], time[step][1]);
        assert_int_equal(sched_again(&t.sched, &t.spec, &loop), 0);
    }
    /* Twice as long: cut at the same fractions. */
    const struct sched_loop longer = {.iterations = 16, .workers = 2};
    assert_int_equal(sched_again(&t.sched, &t.spec, &longer), 0);
    assert_true(sched_next(&t.sched, 0, &a));
    assert_int_equal(a.size, 12);
    testing_close(&t);
}

/* Blocks of 10 whose times are 1, 1 and 30 an iteration: W = 320, bounds at
 * 106.7 and 213.3: 20 + 2.89 and 20 + 6.44. */
static void fgdls_may_leave_blocks_in_one(void **unused)
{
    const struct sched_loop loop = {.iterations = 30, .workers = 3};
    const int64_t size[] = {23, 4, 3};
    struct testing_loop t;
    testing_open(&t, "fgdls", &loop, 1);
    assert_int_equal(ask(&t, 0, 1), 10);
    assert_int_equal(ask(&t, 1, 1), 10);
    assert_int_equal(ask(&t, 2, 30), 10);
    assert_int_equal(sched_again(&t.sched, &t.spec, &loop), 0);
    assert_turns(&t, NULL, size, 3);
    testing_close(&t);
}

/* floor(0.8 100 V / 5) = 16, 32, 16, 16 by powers 1 2 1 1; the rest is 20, in
 * chunks of ceil(20 / 32). */
static void hybrid_has_a_static_part(void **unused)
{
    const double power[] = {1, 2, 1, 1};
    const int64_t size[] = {16, 32, 16, 16, 1, 1, 1};
    const struct sched_loop loop = {
        .iterations = 100, .workers = 4, .power = power};
    struct testing_loop t;
    struct chunk chunk;
    testing_open(&t, "hybrid", &loop, 1);
    assert_turns(&t, NULL, size, 7);
    testing_close(&t);
    /* No static part: 1000/16 = 62.5 from the counter, nothing is kept. */
    const struct sched_loop equal = {.iterations = 1000, .workers = 2};
    testing_open(&t, "hybrid:static=0", &equal, 1);
    assert_false(sched_take_primed(&t.sched, 0, &chunk));
    assert_int_equal(ask(&t, 1, 0), 63);
    assert_int_equal(ask(&t, 1, 0), 63);
    testing_close(&t);
    testing_open(&t, "hybrid:static=1", &equal, 1);
    assert_int_equal(ask(&t, 1, 0), 500);
    assert_int_equal(ask(&t, 1, 0), 0);
    assert_int_equal(ask(&t, 0, 0), 500);
    testing_close(&t);
}

/* floor(0.5 100 / 4) = 12, then 52/4, 39/4, 29/4 ... upwards. */
static void pls_is_guided_after_its_static_part(void **unused)
{
    const int64_t size[] = {12, 12, 12, 12, 13, 10, 8, 6,
                            4,  3,  2,  2,  1,  1,  1, 1};
    const struct sched_loop loop = {.iterations = 100, .workers = 4};
    struct testing_loop t;
    testing_open(&t, "pls:swr=0.5", &loop, 1);
    assert_turns(&t, NULL, size, 16);
    testing_close(&t);
}

/* 10 us an iteration: 1, 2 and 4 take 10, 20 and 40 us, the last at least 25;
 * then 100/10.  Worker 1 is 100 times slower: its first chunk is one too long.
 */
static void timed_chunks_take_their_time(void **unused)
{
    const struct sched_loop loop = {.iterations = 1000, .workers = 2};
    const int64_t size[] = {1, 2, 4, 10, 10, 10};
    struct testing_loop t;
    testing_open(&t, "timed:us=100", &loop, 1);
    for (int i = 0; i < 6; i++)
        assert_int_equal(ask(&t, 0, 10e-6), size[i]);
    for (int i = 0; i < 4; i++)
        assert_int_equal(ask(&t, 1, 1e-3), 1);
    testing_close(&t);
}

TESTS(cmocka_unit_test(aid_static_shares_out_once),
      cmocka_unit_test(aid_counts_what_a_waiting_worker_got),
      cmocka_unit_test(aid_hybrid_leaves_a_rest),
      cmocka_unit_test(fgdls_follows_the_last_times),
      cmocka_unit_test(fgdls_may_leave_blocks_in_one),
      cmocka_unit_test(hybrid_has_a_static_part),
      cmocka_unit_test(pls_is_guided_after_its_static_part),
      cmocka_unit_test(timed_chunks_take_their_time))
