/* Replays beside formulas, and of random shapes. */
#include "harness/replay/replay_testing.h"

#include <errno.h>

enum { ITERATIONS = 1000, CASES = 300 };

/* ---- formulas ---- */

static const struct tree_shape threads4 = {
    .ranks = 1, .threads = 4, .by_thread = true};

static void a_chunk_takes_its_iterations(void **unused)
{
    struct made made;
    make(&made, "static", &threads4, REPLAY_COUNTER, 10, NULL);
    assert_int_equal(run(&made), 0);
    assert_true(made.result.time_s == 3);
    assert_true(made.result.serial_s == 10);
    assert_int_equal(made.result.chunks, 4);
    assert_int_equal(made.result.messages, 0);
    end(&made);
}

static void threads_need_few_words(void **unused)
{
    const struct replay_costs costs = nothing();
    struct replay_result result;
    struct made made;
    struct error err;
    make(&made, "ss", &threads4, REPLAY_COUNTER, 10, NULL);
    assert_int_equal(
        replay_threads("gss", 4, 10, made.before, &costs, &result, &err), 0);
    assert_true(result.time_s == 3 && result.workers == 4);
    replay_free(&result);
    assert_int_equal(
        replay_threads("gsss", 4, 10, made.before, &costs, &result, &err),
        -EINVAL);
    assert_non_null(strstr(err.text, "gss"));
    end(&made);
}

/* Two of four are twice as fast: 12 iterations take 2 s. */
static void powers_are_speeds(void **unused)
{
    const double power[] = {1, 1, 2, 2};
    struct made made;
    make(&made, "ss", &threads4, REPLAY_COUNTER, 12, NULL);
    made.replay.power = power;
    assert_int_equal(run(&made), 0);
    assert_true(made.result.time_s == 2);
    assert_int_equal(made.result.worker[3].chunks, 4);
    assert_int_equal(made.result.worker[0].chunks, 2);
    end(&made);
}

/* Iterations that take no time: only the counter does, once for each chunk and
 * for each worker that finds nothing left. */
static void one_at_a_time_is_in_the_counter(void **unused)
{
    struct made made;
    make(&made, "ss", &threads4, REPLAY_COUNTER, ITERATIONS, NULL);
    memset(made.before, 0, (ITERATIONS + 1) * sizeof(double));
    made.replay.costs.counter_s = 0.5;
    assert_int_equal(run(&made), 0);
    assert_true(made.result.time_s == 0.5 * (ITERATIONS + 4));
    end(&made);
}

/* There and back, 1 s each, and 0.25 s at the counter. */
static void a_word_travels_to_a_window(void **unused)
{
    static const struct tree_shape shape = {
        .ranks = 2, .threads = 1, .no_master = true};
    struct made made;
    make(&made, "ss", &shape, REPLAY_WINDOW, 2, NULL);
    made.replay.node_ranks = 1;
    made.replay.costs.latency_s = 1;
    made.replay.costs.near_s = 1;
    made.replay.costs.request_s = 0.25;
    assert_int_equal(run(&made), 0);
    /* 1 to 2.5 s the second gets its chunk, computes 1 s, and asks without
     * success. */
    assert_true(fabs(made.result.time_s - (2.5 + 1 + 2.25)) < 1e-12);
    end(&made);
}

/* The master is never free: one request for each chunk, an empty answer and a
 * leave for each worker. */
static void a_master_serves_one_at_a_time(void **unused)
{
    static const struct tree_shape shape = {
        .ranks = 5, .threads = 1, .dedicated = true};
    struct made made;
    make(&made, "ss", &shape, REPLAY_MASTERS, ITERATIONS, NULL);
    memset(made.before, 0, (ITERATIONS + 1) * sizeof(double));
    made.replay.costs.request_s = 1;
    assert_int_equal(run(&made), 0);
    assert_true(made.result.time_s == ITERATIONS + 4 + 4);
    assert_int_equal(made.result.messages, 2 * (ITERATIONS + 4) + 4);
    end(&made);
}

/* One worker, no prefetch: each chunk waits for a round trip. */
static void a_request_waits_for_its_answer(void **unused)
{
    static const struct tree_shape shape = {
        .ranks = 2, .threads = 1, .dedicated = true};
    struct made made;
    make(&made, "css:chunk=10", &shape, REPLAY_MASTERS, 100, NULL);
    made.replay.costs.latency_s = 0.5;
    made.replay.costs.request_s = 0.25;
    assert_int_equal(run(&made), 0);
    assert_true(fabs(made.result.time_s - (100 + 11 * 1.25 + 0.75)) < 1e-9);
    replay_free(&made.result);
    /* The next one arrives before the chunk ends. */
    made.replay.prefetch = true;
    made.replay.costs.lead_s = 5;
    assert_int_equal(run(&made), 0);
    assert_true(fabs(made.result.time_s - (100 + 1.25 + 0.75)) < 1e-9);
    end(&made);
}

/* A computing master looks once in a slice, and its own chunk takes longer by
 * what it serves. */
static void a_computing_master_looks_now_and_then(void **unused)
{
    static const struct tree_shape shape = {.ranks = 2, .threads = 1};
    struct made made;
    make(&made, "css:chunk=10", &shape, REPLAY_MASTERS, 20, NULL);
    made.replay.costs.slice_s = 4;
    made.replay.costs.latency_s = 1;
    made.replay.costs.request_s = 0.5;
    assert_int_equal(run(&made), 0);
    /* It comes at 1, is seen at 4 and answered at 4.5; the other one computes
     * from 5.5 to 15.5 and comes again at 16.5, when the master is idle. */
    assert_true(fabs(made.result.worker[0].finish_s - 10.5) < 1e-12);
    assert_true(fabs(made.result.worker[1].finish_s - 18) < 1e-12);
    assert_true(fabs(made.result.time_s - 19.5) < 1e-12);
    end(&made);
}

/* ---- random shapes ---- */

static const char *const schemes[] = {
    "static", "ss", "gss",    "fss",  "tss",   "wcss:k=2",   "awf-b",
    "awf-c",  "af", "binlpt", "bold", "timed", "aid-hybrid", "dtss-acp"};
static const char *const pairs[] = {"gss/ss", "fss/af", "awf-b/static",
                                    "static/awf-c"};

static void random_shape(struct tree_shape *shape, uint64_t *seed)
{
    *shape = (struct tree_shape){
        .threads = (int)testing_between(seed, 1, 4),
        .hierarchy = {.levels = (int)testing_between(seed, 0, 2),
                      .node = testing_random(seed) % 2},
        .dedicated = testing_random(seed) % 2};
    for (int i = 0; i < shape->hierarchy.levels; i++)
        shape->hierarchy.fan[i] = (int)testing_between(seed, 1, 3);
    shape->ranks = (int)testing_between(seed, 30, 60);
    if (testing_random(seed) % 4 == 0) {
        shape->dedicated = false;
        shape->by_thread = true;
        shape->threads = shape->ranks;
        shape->ranks = 1;
    }
}

static void random_costs(struct replay_costs *costs, uint64_t *seed)
{
    double *cost = (double *)costs;
    for (size_t i = 0; i < sizeof(*costs) / sizeof(double); i++)
        cost[i] = 1e-7 * (double)testing_between(seed, 0, 40);
    costs->byte_s *= 1e-2;
    costs->slice_s = 20e-6;
    costs->lead_s = 50e-6;
}

struct seen {
    char once[ITERATIONS];
    double computed_s;
};

static void see(void *arg, int worker, const struct chunk *chunk,
                double begin_s, double compute_s)
{
    struct seen *seen = arg;
    assert_true(worker >= 0 && begin_s >= 0 && compute_s >= 0);
    for (int64_t i = 0; i < chunk->size; i++)
        assert_int_equal(seen->once[chunk->start + i]++, 0);
    seen->computed_s += compute_s;
}

static void replay_random(uint64_t *seed, double *time_s)
{
    struct tree_shape shape;
    struct made made;
    struct seen seen = {.computed_s = 0};
    int64_t iterations = testing_between(seed, 1, ITERATIONS);
    random_shape(&shape, seed);
    bool masters = shape.hierarchy.levels > 0 || shape.hierarchy.node;
    const char *scheme = masters && testing_random(seed) % 3 == 0
                             ? pairs[testing_random(seed) % 4]
                             : schemes[testing_random(seed) % 14];
    make(&made, scheme, &shape, REPLAY_MASTERS, iterations, seed);
    random_costs(&made.replay.costs, seed);
    made.replay.node_ranks = (int)testing_between(seed, 0, 3);
    made.replay.prefetch = testing_random(seed) % 2;
    made.replay.handed = see;
    made.replay.arg = &seen;
    int code = run(&made);
    if (code != 0)
        fail_msg("%s: %s", scheme, made.err.text);
    for (int64_t i = 0; i < iterations; i++)
        assert_int_equal(seen.once[i], 1);
    assert_true(fabs(seen.computed_s - made.result.serial_s) < 1e-9);
    assert_true(made.result.time_s * made.result.workers >=
                made.result.serial_s - 1e-9);
    for (int w = 0; w < made.result.workers; w++)
        assert_true(made.result.worker[w].finish_s <= made.result.time_s);
    *time_s = made.result.time_s;
    end(&made);
}

static void every_iteration_is_handed_out_once(void **unused)
{
    uint64_t seed = testing_say_seed("every_iteration_is_handed_out_once");
    for (int i = 0; i < CASES; i++) {
        uint64_t again = seed;
        double first_s, second_s;
        replay_random(&seed, &first_s);
        replay_random(&again, &second_s);
        assert_true(first_s == second_s);
    }
}

/* ---- refusals ---- */

static void what_does_not_go_together_is_refused(void **unused)
{
    static const struct tree_shape ranks = {
        .ranks = 4, .threads = 1, .no_master = true};
    struct made made;
    make(&made, "af", &ranks, REPLAY_WINDOW, 10, NULL);
    assert_int_equal(run(&made), -ENOTSUP);
    assert_non_null(strstr(made.err.text, "rma window"));
    end(&made);
    make(&made, "gss/ss", &threads4, REPLAY_COUNTER, 10, NULL);
    assert_int_equal(run(&made), -ENOTSUP);
    assert_non_null(strstr(made.err.text, "two schemes"));
    end(&made);
}

TESTS(cmocka_unit_test(a_chunk_takes_its_iterations),
      cmocka_unit_test(threads_need_few_words),
      cmocka_unit_test(powers_are_speeds),
      cmocka_unit_test(one_at_a_time_is_in_the_counter),
      cmocka_unit_test(a_word_travels_to_a_window),
      cmocka_unit_test(a_master_serves_one_at_a_time),
      cmocka_unit_test(a_request_waits_for_its_answer),
      cmocka_unit_test(a_computing_master_looks_now_and_then),
      cmocka_unit_test(every_iteration_is_handed_out_once),
      cmocka_unit_test(what_does_not_go_together_is_refused))
