/* The library's statistics after every single call: iterations and chunks of
 * each worker, and the unfinished iterations. */
#include "base/unit_testing.h"

#include "base/random.h"
#include "dls/dls.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

enum { ITERATIONS = 197, WORKERS = 3 };

/* Chunks of one size, with and without a shorter last chunk.  Tables, some with
 * a chunk reserved for each worker or with a special order.  Two schemes with a
 * state. */
static const char *const specs[] = {
    "ss",  "css:chunk=7", "css:chunk=500", "css:chunk=197",    "gss", "fss",
    "tss", "static",      "wcss:k=8",      "binlpt:chunks=20", "wf",  "af",
    NULL};

/* The expected statistics. */
struct expected {
    int64_t out, iterations, chunks;
};

struct fixture {
    const char *spec;
    int64_t iterations;
    dls_loop *loop;
    struct expected worker[WORKERS];
};

static void says(const struct fixture *f, int worker,
                 const struct expected *expected)
{
    dls_stats stats = {.size = sizeof(stats)};
    assert_int_equal(dls_statistics(f->loop, worker, &stats), 0);
    if (stats.iterations != expected->iterations ||
        stats.chunks != expected->chunks)
        fail_msg("%s, worker %d: %lld iterations and %lld chunks, it should "
                 "have %lld and %lld",
                 f->spec, worker, (long long)stats.iterations,
                 (long long)stats.chunks, (long long)expected->iterations,
                 (long long)expected->chunks);
}

static void says_all(const struct fixture *f)
{
    struct expected all = {0};
    for (int w = 0; w < WORKERS; w++) {
        says(f, w, &f->worker[w]);
        all.iterations += f->worker[w].iterations;
        all.chunks += f->worker[w].chunks;
    }
    says(f, -1, &all);
    assert_int_equal(dls_unfinished(f->loop), f->iterations - all.iterations);
}

static void finish(struct expected *worker)
{
    worker->iterations += worker->out;
    worker->out = 0;
}

/* Returns as dls_next. */
static int ask(struct fixture *f, int number)
{
    struct expected *worker = &f->worker[number];
    int64_t begin, end;
    int more = dls_next(f->loop, number, &begin, &end);
    finish(worker);
    if (more == 1) {
        worker->out = end - begin;
        worker->chunks++;
    }
    says_all(f);
    return more;
}

static void leave(struct fixture *f, int number)
{
    assert_int_equal(dls_leave(f->loop, number), 0);
    finish(&f->worker[number]);
    says_all(f);
}

/* Whoever's turn it is; worker 2 leaves after `leaves` chunks. */
static void run_loop(struct fixture *f, uint64_t random, int64_t leaves)
{
    unsigned asking = (1 << WORKERS) - 1;
    memset(f->worker, 0, sizeof(f->worker));
    says_all(f);
    while (asking != 0) {
        int w = (int)(random_next(&random) % WORKERS);
        if ((asking >> w & 1) == 0)
            continue;
        bool left = w == 2 && f->worker[w].chunks == leaves;
        if (left)
            leave(f, w);
        if (left || ask(f, w) == 0)
            asking &= ~(1U << w);
    }
    /* Takes the chunks that other workers returned after this one got 0. */
    while (ask(f, 0) == 1)
        ;
}

static void every_chunk_counts(const char *spec, int64_t iterations,
                               const dls_options *options)
{
    struct fixture f = {.spec = spec, .iterations = iterations};
    if (dls_open(&f.loop, spec, iterations, WORKERS, options) != 0)
        fail_msg("%s", dls_error(f.loop));
    for (int round = 0; round < 8; round++) {
        run_loop(&f, (uint64_t)round + 1, round - 2);
        assert_int_equal(dls_unfinished(f.loop), 0);
        assert_int_equal(dls_again(f.loop, iterations), 0);
    }
    assert_int_equal(dls_close(f.loop, NULL), -EBUSY);
}

static void all_count(const char *text)
{
    double costs[ITERATIONS];
    const dls_options options = {
        .size = sizeof(options), .text = text, .costs = costs};
    for (int i = 0; i < ITERATIONS; i++)
        costs[i] = 1 + i % 10;
    for (int k = 0; specs[k] != NULL; k++)
        every_chunk_counts(specs[k], ITERATIONS, &options);
}

static void chunks_count_without_times(void **state)
{
    all_count(NULL);
}

static void chunks_count_with_times(void **state)
{
    all_count("stats=1");
}

/* Up to 2^40 iterations fit beside the chunks in a table's number. */
static void large_loops_count(void **state)
{
    static const char *const large[] = {"css:chunk=8000000000", "gss", "tss",
                                        "static"};
    static const int64_t iterations[] = {
        INT64_C(1) << 40, (INT64_C(1) << 40) + 1, INT64_C(1) << 43};
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 3; i++)
            every_chunk_counts(large[k], iterations[i], NULL);
}

static void times_are_measured(void **state)
{
    const dls_options options = {.size = sizeof(options), .text = "stats=1"};
    dls_stats all = {.size = sizeof(all)};
    struct fixture f = {.spec = "css:chunk=7", .iterations = ITERATIONS};
    assert_int_equal(dls_open(&f.loop, f.spec, ITERATIONS, WORKERS, &options),
                     0);
    run_loop(&f, 1, -1);
    assert_int_equal(dls_statistics(f.loop, -1, &all), 0);
    assert_true(all.busy_s > 0 && all.ask_s > 0 && all.imbalance >= 0);
    assert_int_equal(dls_statistics(f.loop, WORKERS, &all), -EINVAL);
    assert_int_equal(dls_close(f.loop, NULL), 0);
}

TESTS(cmocka_unit_test(chunks_count_without_times),
      cmocka_unit_test(chunks_count_with_times),
      cmocka_unit_test(large_loops_count), cmocka_unit_test(times_are_measured))
