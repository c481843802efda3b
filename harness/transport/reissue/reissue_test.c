/* Chunks that may be handed out again: whatever is lost and however late what
 * comes, the result of each iteration counts exactly once, and the loop ends.
 * Needs no MPI, so that the thread sanitizer can watch the threads. */
#include "harness/testing.h"

#include "harness/transport/reissue/reissue.h"

#include <stdatomic.h>

enum { WORKERS_MAX = 12, ITERATIONS_MAX = 3000, THREADS = 4 };

/* ---- the ledger, in made-up time ---- */

/* A worker with its chunk, which comes back at back_s; lost: never. */
struct actor {
    struct chunk chunk;
    double back_s;
    bool lost, gone;
};

struct scenario {
    struct reissue ledger;
    uint64_t random, most;    /* iterations of a chunk */
    int64_t iterations, next; /* fresh: from here on */
    int workers;
    int64_t kept; /* for the last worker, who may never come */
    struct actor actor[WORKERS_MAX];
    uint8_t counted[ITERATIONS_MAX];
    double now_s;
};

static uint64_t below(struct scenario *scenario, uint64_t n)
{
    return testing_random(&scenario->random) % n;
}

static bool scenario_fresh(struct scenario *scenario, int worker,
                           struct chunk *chunk)
{
    if (worker == scenario->workers - 1 && scenario->kept > 0) {
        *chunk = (struct chunk){.start = 0, .size = scenario->kept};
        scenario->kept = 0;
        return true;
    }
    if (scenario->next >= scenario->iterations)
        return false;
    int64_t rest = scenario->iterations - scenario->next;
    int64_t size = 1 + (int64_t)below(scenario, scenario->most);
    *chunk = (struct chunk){.start = scenario->next,
                            .size = size < rest ? size : rest};
    scenario->next += chunk->size;
    return true;
}

static bool scenario_reserved(void *arg, int worker, struct chunk *chunk)
{
    struct scenario *scenario = arg;
    return worker == scenario->workers - 1 && scenario->kept > 0 &&
           scenario_fresh(scenario, worker, chunk);
}

static void scenario_begin(struct scenario *scenario, uint64_t seed)
{
    scenario->random = seed;
    scenario->workers = 2 + (int)below(scenario, WORKERS_MAX - 1);
    scenario->iterations = 50 + (int64_t)below(scenario, ITERATIONS_MAX - 50);
    scenario->most = below(scenario, 4) ? 40 : 1;
    scenario->kept = below(scenario, 2) ? 1 + (int64_t)below(scenario, 40) : 0;
    scenario->next = scenario->kept;
    memset(scenario->counted, 0, sizeof(scenario->counted));
    memset(scenario->actor, 0, sizeof(scenario->actor));
    scenario->now_s = 0;
    assert_int_equal(reissue_open(&scenario->ledger, scenario->iterations,
                                  scenario->workers, 2e-3, 1e-3),
                     0);
    scenario->ledger.reserved = scenario_reserved;
    scenario->ledger.arg = scenario;
    /* All but the first may get lost, the last before it has ever asked. */
    for (int w = 1; w < scenario->workers; w++)
        scenario->actor[w].gone = below(scenario, 3) == 0;
    scenario->actor[scenario->workers - 1].lost =
        scenario->actor[scenario->workers - 1].gone && below(scenario, 2);
}

/* The worker has its chunk: it takes from a tenth to ten times its cost, or
 * is lost with it. */
static void scenario_run(struct scenario *scenario, struct actor *actor)
{
    double cost = 1e-3 * (double)actor->chunk.size;
    double factor = 0.1 * (double)(1 + below(scenario, 100));
    actor->back_s = scenario->now_s + cost * factor;
    actor->lost = actor->gone && below(scenario, 4) == 0;
}

static void scenario_back(struct scenario *scenario, int worker)
{
    struct actor *actor = &scenario->actor[worker];
    int64_t start = actor->chunk.start, size = actor->chunk.size;
    if (size > 0 && reissue_claim(&scenario->ledger, worker, start)) {
        for (int64_t i = start; i < start + size; i++)
            scenario->counted[i]++;
        reissue_placed(&scenario->ledger, start, scenario->now_s);
    }
    actor->chunk.size = 0;
}

/* Sets back_s to when the worker looks again; false: it has left. */
static bool scenario_ask(struct scenario *scenario, int worker)
{
    struct actor *actor = &scenario->actor[worker];
    double wait_s;
    if (scenario_fresh(scenario, worker, &actor->chunk)) {
        reissue_out(&scenario->ledger, worker, &actor->chunk, scenario->now_s);
        scenario_run(scenario, actor);
        return true;
    }
    switch (reissue_take(&scenario->ledger, worker, scenario->now_s,
                         &actor->chunk, &wait_s)) {
    case REISSUE_CHUNK:
        scenario_run(scenario, actor);
        return true;
    case REISSUE_WAIT:
        assert_true(wait_s > 0);
        actor->back_s = scenario->now_s + wait_s;
        return true;
    case REISSUE_OVER:
        break;
    }
    return false;
}

static int scenario_first(const struct scenario *scenario)
{
    int first = -1;
    for (int w = 0; w < scenario->workers; w++)
        if (!scenario->actor[w].lost &&
            (first < 0 ||
             scenario->actor[w].back_s < scenario->actor[first].back_s))
            first = w;
    return first;
}

static void check_scenario(const struct scenario *scenario, uint64_t seed)
{
    for (int64_t i = 0; i < scenario->iterations; i++)
        if (scenario->counted[i] != 1)
            fail_msg("seed %" PRIu64 ": iteration %" PRId64 " counts %d times",
                     seed, i, scenario->counted[i]);
    assert_int_equal(scenario->ledger.placed, scenario->iterations);
    assert_true(atomic_load(&scenario->ledger.over));
}

static int64_t one_play(uint64_t seed)
{
    struct scenario *scenario = calloc(1, sizeof(*scenario));
    assert_non_null(scenario);
    scenario_begin(scenario, seed);
    for (int steps = 0; !atomic_load(&scenario->ledger.over); steps++) {
        int worker = scenario_first(scenario);
        if (steps > 200000)
            fail_msg("seed %" PRIu64 ": it does not end", seed);
        scenario->now_s = scenario->actor[worker].back_s > scenario->now_s
                              ? scenario->actor[worker].back_s
                              : scenario->now_s;
        scenario_back(scenario, worker);
        if (!atomic_load(&scenario->ledger.over))
            assert_true(scenario_ask(scenario, worker));
    }
    assert_int_equal(scenario->ledger.placed, scenario->iterations);
    /* Late workers change nothing. */
    for (int w = 0; w < scenario->workers; w++)
        scenario_back(scenario, w);
    check_scenario(scenario, seed);
    int64_t again = scenario->ledger.again;
    reissue_close(&scenario->ledger);
    free(scenario);
    return again;
}

static void every_result_counts_once_and_the_loop_ends(void **unused)
{
    uint64_t seed = testing_say_seed(__func__);
    int64_t again = 0;
    for (uint64_t i = 0; i < 400; i++)
        again += one_play(seed + i);
    assert_true(again > 400);
}

static void what_is_out_too_long_goes_to_another(void **unused)
{
    struct reissue ledger;
    struct chunk chunk = {.start = 0, .size = 10}, got;
    double wait_s;
    assert_int_equal(reissue_open(&ledger, 10, 3, 0.1, 0.01), 0);
    reissue_out(&ledger, 0, &chunk, 5);
    assert_int_equal(reissue_take(&ledger, 1, 5.5, &got, &wait_s),
                     REISSUE_WAIT);
    assert_true(wait_s > 0.499 && wait_s < 0.501);
    /* Its own holder never gets it again. */
    assert_int_equal(reissue_take(&ledger, 0, 7, &got, &wait_s), REISSUE_WAIT);
    assert_int_equal(reissue_take(&ledger, 1, 6, &got, &wait_s), REISSUE_CHUNK);
    assert_int_equal(got.start, 0);
    assert_int_equal(got.size, 10);
    /* From then on it counts anew. */
    assert_int_equal(reissue_take(&ledger, 2, 6.5, &got, &wait_s),
                     REISSUE_WAIT);
    assert_int_equal(reissue_take(&ledger, 2, 7, &got, &wait_s), REISSUE_CHUNK);
    /* The scheme knows of worker 0 only, until another was the first. */
    assert_true(reissue_counts(&ledger, 0, 0));
    assert_false(reissue_counts(&ledger, 1, 0) ||
                 reissue_counts(&ledger, 2, 0));
    assert_true(reissue_claim(&ledger, 2, 0));
    assert_false(reissue_counts(&ledger, 0, 0) ||
                 reissue_counts(&ledger, 2, 0));
    assert_false(reissue_claim(&ledger, 0, 0));
    assert_int_equal(reissue_take(&ledger, 1, 99, &got, &wait_s), REISSUE_WAIT);
    reissue_placed(&ledger, 0, 7.5);
    assert_int_equal(reissue_take(&ledger, 1, 99, &got, &wait_s), REISSUE_OVER);
    assert_false(reissue_claim(&ledger, 1, 0));
    assert_int_equal(reissue_winner(&ledger, 0), 2);
    assert_int_equal(ledger.again, 2);
    assert_int_equal(ledger.dropped, 2);
    assert_true(ledger.over_s == 7.5);
    reissue_reset(&ledger);
    assert_int_equal(reissue_winner(&ledger, 0), -1);
    reissue_close(&ledger);
}

/* ---- the sources, by threads ---- */

struct threads {
    struct reissue ledger;
    struct reissue_source source[THREADS];
    struct source inner[THREADS];
    struct sched_table table;
    struct source_counter counter;
    struct engine_team *team;
    uint32_t *own[THREADS], *output;
    /* A lost worker holds its chunk until all is over, and then keeps
     * writing. */
    bool lost[THREADS];
};

static void compute(uint32_t *to, const struct chunk *chunk)
{
    for (int64_t i = chunk->start; i < chunk->start + chunk->size; i++)
        to[i] = (uint32_t)i * 2654435761u + 1;
}

static void thread_body(int thread, void *arg)
{
    const struct engine_patience patience = {.spin_s = 1e-5};
    struct threads *t = arg;
    struct source *source = &t->source[thread].base;
    struct chunk chunk;
    for (int chunks = 0; source_next(source, &chunk); chunks++) {
        if (t->lost[thread] && chunks == 1)
            reissue_await(&t->ledger, &patience);
        compute(t->own[thread], &chunk);
    }
}

static void open_threads(struct threads *t)
{
    assert_int_equal(engine_team_start(&t->team, THREADS, NULL), 0);
    t->table = (struct sched_table){.steps = (ITERATIONS_MAX + 6) / 7,
                                    .fixed_size = 7,
                                    .iterations = ITERATIONS_MAX};
    t->output = calloc(ITERATIONS_MAX, sizeof(*t->output));
    assert_int_equal(
        reissue_open(&t->ledger, ITERATIONS_MAX, THREADS, 1e-7, 1e-5), 0);
    for (int i = 0; i < THREADS; i++) {
        t->own[i] = calloc(ITERATIONS_MAX, sizeof(*t->own[i]));
        t->inner[i] = (struct source){
            .table = &t->table, .counter = &t->counter, .worker = i};
        t->source[i] =
            (struct reissue_source){.inner = &t->inner[i],
                                    .ledger = &t->ledger,
                                    .own = (const char *)t->own[i],
                                    .output = (char *)t->output,
                                    .output_bytes = sizeof(*t->output)};
    }
}

static void close_threads(struct threads *t)
{
    engine_team_stop(t->team);
    reissue_close(&t->ledger);
    for (int i = 0; i < THREADS; i++)
        free(t->own[i]);
    free(t->output);
    free(t);
}

static void threads_never_share_a_result(void **unused)
{
    struct threads *t = aligned_alloc(128, (sizeof(*t) + 127) / 128 * 128);
    assert_non_null(t);
    memset(t, 0, sizeof(*t));
    open_threads(t);
    for (int round = 0; round < 20; round++) {
        atomic_store(&t->counter.step, 0);
        reissue_reset(&t->ledger);
        memset(t->output, 0, ITERATIONS_MAX * sizeof(*t->output));
        for (int i = 0; i < THREADS; i++) {
            t->lost[i] = i > 0 && (round >> (i - 1) & 1);
            reissue_source_open(&t->source[i], i);
        }
        engine_team_run(t->team, thread_body, t);
        for (int64_t i = 0; i < ITERATIONS_MAX; i++)
            assert_int_equal(t->output[i], (uint32_t)i * 2654435761u + 1);
    }
    close_threads(t);
}

TESTS(cmocka_unit_test(every_result_counts_once_and_the_loop_ends),
      cmocka_unit_test(what_is_out_too_long_goes_to_another),
      cmocka_unit_test(threads_never_share_a_result))
