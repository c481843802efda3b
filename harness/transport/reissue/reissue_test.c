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

struct play {
    struct reissue ledger;
    uint64_t random, most;    /* iterations of a chunk */
    int64_t iterations, next; /* fresh: from here on */
    int workers;
    int64_t kept; /* for the last worker, who may never come */
    struct actor actor[WORKERS_MAX];
    uint8_t counted[ITERATIONS_MAX];
    double now_s;
};

static uint64_t below(struct play *play, uint64_t n)
{
    return testing_random(&play->random) % n;
}

static bool play_fresh(struct play *play, int worker, struct chunk *chunk)
{
    if (worker == play->workers - 1 && play->kept > 0) {
        *chunk = (struct chunk){.start = 0, .size = play->kept};
        play->kept = 0;
        return true;
    }
    if (play->next >= play->iterations)
        return false;
    int64_t rest = play->iterations - play->next;
    int64_t size = 1 + (int64_t)below(play, play->most);
    *chunk =
        (struct chunk){.start = play->next, .size = size < rest ? size : rest};
    play->next += chunk->size;
    return true;
}

static bool play_reserved(void *arg, int worker, struct chunk *chunk)
{
    struct play *play = arg;
    return worker == play->workers - 1 && play->kept > 0 &&
           play_fresh(play, worker, chunk);
}

static void play_begin(struct play *play, uint64_t seed)
{
    play->random = seed;
    play->workers = 2 + (int)below(play, WORKERS_MAX - 1);
    play->iterations = 50 + (int64_t)below(play, ITERATIONS_MAX - 50);
    play->most = below(play, 4) ? 40 : 1;
    play->kept = below(play, 2) ? 1 + (int64_t)below(play, 40) : 0;
    play->next = play->kept;
    memset(play->counted, 0, sizeof(play->counted));
    memset(play->actor, 0, sizeof(play->actor));
    play->now_s = 0;
    assert_int_equal(reissue_open(&play->ledger, play->iterations,
                                  play->workers, 2e-3, 1e-3),
                     0);
    play->ledger.reserved = play_reserved;
    play->ledger.arg = play;
    /* All but the first may get lost, the last before it has ever asked. */
    for (int w = 1; w < play->workers; w++)
        play->actor[w].gone = below(play, 3) == 0;
    play->actor[play->workers - 1].lost =
        play->actor[play->workers - 1].gone && below(play, 2);
}

/* The worker has its chunk: it takes from a tenth to ten times its cost, or
 * is lost with it. */
static void play_run(struct play *play, struct actor *actor)
{
    double cost = 1e-3 * (double)actor->chunk.size;
    double factor = 0.1 * (double)(1 + below(play, 100));
    actor->back_s = play->now_s + cost * factor;
    actor->lost = actor->gone && below(play, 4) == 0;
}

static void play_back(struct play *play, int worker)
{
    struct actor *actor = &play->actor[worker];
    int64_t start = actor->chunk.start, size = actor->chunk.size;
    if (size > 0 && reissue_claim(&play->ledger, worker, start)) {
        for (int64_t i = start; i < start + size; i++)
            play->counted[i]++;
        reissue_placed(&play->ledger, start, play->now_s);
    }
    actor->chunk.size = 0;
}

/* Sets back_s to when the worker looks again; false: it has left. */
static bool play_ask(struct play *play, int worker)
{
    struct actor *actor = &play->actor[worker];
    double wait_s;
    if (play_fresh(play, worker, &actor->chunk)) {
        reissue_out(&play->ledger, worker, &actor->chunk, play->now_s);
        play_run(play, actor);
        return true;
    }
    switch (reissue_take(&play->ledger, worker, play->now_s, &actor->chunk,
                         &wait_s)) {
    case REISSUE_CHUNK:
        play_run(play, actor);
        return true;
    case REISSUE_WAIT:
        assert_true(wait_s > 0);
        actor->back_s = play->now_s + wait_s;
        return true;
    case REISSUE_OVER:
        break;
    }
    return false;
}

static int play_first(const struct play *play)
{
    int first = -1;
    for (int w = 0; w < play->workers; w++)
        if (!play->actor[w].lost &&
            (first < 0 || play->actor[w].back_s < play->actor[first].back_s))
            first = w;
    return first;
}

static void check_play(const struct play *play, uint64_t seed)
{
    for (int64_t i = 0; i < play->iterations; i++)
        if (play->counted[i] != 1)
            fail_msg("seed %" PRIu64 ": iteration %" PRId64 " counts %d times",
                     seed, i, play->counted[i]);
    assert_int_equal(play->ledger.placed, play->iterations);
    assert_true(atomic_load(&play->ledger.over));
}

static int64_t one_play(uint64_t seed)
{
    struct play *play = calloc(1, sizeof(*play));
    assert_non_null(play);
    play_begin(play, seed);
    for (int steps = 0; !atomic_load(&play->ledger.over); steps++) {
        int worker = play_first(play);
        if (steps > 200000)
            fail_msg("seed %" PRIu64 ": it does not end", seed);
        play->now_s = play->actor[worker].back_s > play->now_s
                          ? play->actor[worker].back_s
                          : play->now_s;
        play_back(play, worker);
        if (!atomic_load(&play->ledger.over))
            assert_true(play_ask(play, worker));
    }
    assert_int_equal(play->ledger.placed, play->iterations);
    /* Late workers change nothing. */
    for (int w = 0; w < play->workers; w++)
        play_back(play, w);
    check_play(play, seed);
    int64_t again = play->ledger.again;
    reissue_close(&play->ledger);
    free(play);
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
