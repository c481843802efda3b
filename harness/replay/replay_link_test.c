/* Messages between masters and others beside formulas. */
#include "harness/replay/replay_testing.h"

static void note_begin(void *arg, int worker, const struct chunk *chunk,
                       double begin_s, double compute_s)
{
    double *begin = arg;
    (void)worker, (void)compute_s;
    begin[chunk->start] = begin_s;
}

/* A byte takes 1/64 s.  Two requests of 64 bytes leave together: both arrive
 * after 1 + 2 s, and are served after 3.25 and 3.5 s.  The first answer of 40
 * bytes has the link alone for a quarter of a second, in which 16 bytes pass.
 * It arrives after 5.25 s, the second after 5.5 s.  One second later they ask
 * again, with the same times. */
static void messages_share_a_masters_link(void **unused)
{
    static const struct tree_shape shape = {
        .ranks = 3, .threads = 1, .dedicated = true};
    struct made made;
    make(&made, "ss", &shape, REPLAY_MASTERS, 2, NULL);
    made.replay.costs.latency_s = made.replay.costs.near_s = 1;
    made.replay.costs.request_s = 0.25;
    made.replay.costs.byte_s = 1.0 / 64;
    assert_int_equal(run(&made), 0);
    const struct replay_worker *worker = made.result.worker;
    assert_int_equal(made.result.workers, 2);
    double early = fmin(worker[0].finish_s, worker[1].finish_s);
    double late = fmax(worker[0].finish_s, worker[1].finish_s);
    assert_true(fabs(early - (5.25 + 6)) < 1e-9);
    assert_true(fabs(late - (5.5 + 6)) < 1e-9);
    assert_true(fabs(made.result.time_s - (late + 1 + 1.75 + 0.25)) < 1e-9);
    end(&made);
}

/* Eighteen requests leave at 0.  Sixteen set out, arrive at 1 s, and are served
 * after 1/64 s each.  When the first is served the next sets out.  It arrives
 * at 2 s and 1/64, is served, and gets its answer at 3 s and 2/64; likewise the
 * second and the last. */
static void requests_beyond_sixteen_set_out_later(void **unused)
{
    static const struct tree_shape shape = {
        .ranks = 19, .threads = 1, .dedicated = true};
    struct made made;
    double begin[18];
    make(&made, "ss", &shape, REPLAY_MASTERS, 18, NULL);
    made.replay.costs.latency_s = made.replay.costs.near_s = 1;
    made.replay.costs.request_s = 1.0 / 64;
    made.replay.costs.byte_s = 1e-12;
    made.replay.handed = note_begin;
    made.replay.arg = begin;
    assert_int_equal(run(&made), 0);
    for (int i = 0; i < 18; i++)
        assert_true(fabs(begin[i] - (i < 16 ? 2 + (i + 1) / 64.0
                                            : 3 + (i - 14) / 64.0)) < 1e-7);
    end(&made);
}

/* The first chunks below the two masters: both have their refills at 3 s, or
 * the second one leaves when the first one has come. */
static void a_long_refill_keeps_its_sender(void **unused)
{
    for (int below = 2047; below <= 2048; below++) {
        const struct tree_shape shape = {.hierarchy = {.levels = 1, .fan = {2}},
                                         .ranks = 2 * below + 3,
                                         .threads = 1,
                                         .dedicated = true};
        struct made made;
        make(&made, "ss", &shape, REPLAY_MASTERS, 2 * below, NULL);
        double *begin = calloc(2 * (size_t)below, sizeof(*begin));
        made.replay.costs.latency_s = made.replay.costs.near_s = 1;
        made.replay.handed = note_begin;
        made.replay.arg = begin;
        assert_int_equal(run(&made), 0);
        assert_true(begin[0] == 4);
        assert_true(begin[below] == (below < 2048 ? 4 : 5));
        free(begin);
        end(&made);
    }
}

/* On two levels, where masters compute or not. */
static void all_is_handed_out_by_long_refills(void **unused)
{
    for (int i = 0; i < 4; i++) {
        const struct tree_shape shape = {
            .hierarchy = {.levels = 2, .fan = {2, 2}},
            .ranks = 9000,
            .threads = 1,
            .dedicated = i % 2 == 0};
        struct made made;
        make(&made, "ss", &shape, REPLAY_MASTERS, 20000, NULL);
        made.replay.costs.latency_s = made.replay.costs.near_s = 2;
        made.replay.costs.request_s = 0.25;
        made.replay.costs.byte_s = i < 2 ? 0 : 1.0 / 1024;
        made.replay.prefetch = i % 2 == 1;
        assert_int_equal(run(&made), 0);
        assert_int_equal(made.result.chunks, 20000);
        assert_true(made.result.time_s > 0);
        end(&made);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_share_a_masters_link),
        cmocka_unit_test(requests_beyond_sixteen_set_out_later),
        cmocka_unit_test(a_long_refill_keeps_its_sender),
        cmocka_unit_test(all_is_handed_out_by_long_refills),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
