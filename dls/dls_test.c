/* The public interface, by what a program sees of it. */
#include "base/unit_testing.h"

#include "base/random.h"
#include "dls/dls.h"
#include "sched/schemes/scheme_registry.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 4, ITERATIONS_MAX = 1000 };

/* A spec of every scheme, with the keys that it needs. */
/* clang-format off */
static const char *const specs[] = {
    "static", "ss", "css:chunk=16", "wcss:k=8", "gss", "fss", "tss",
    "tss-taylor", "qss:delta=3", "wf", "dtss", "dtss-acp", "dfss", "dgss",
    "fsc:h=0.5,sigma=1", "mfsc", "fac:mu=1,sigma=1", "tap:mu=1,sigma=1",
    "tfss", "fiss", "viss", "rnd:seed=7", "awf", "awf-b", "awf-c", "awf-d",
    "awf-e", "af", "bold:mu=1,sigma=1,h=0.5", "fgdls", "aid-static",
    "aid-hybrid", "hybrid", "pls:swr=0.5", "timed:us=1", NULL};
/* clang-format on */

struct fixture {
    dls_loop *loop;
    int64_t iterations;
    int threads;
    int rounds; /* of a loop that is executed again and again */
    int leaves; /* the worker that leaves after one chunk, -1: none */
    _Atomic int taken[ITERATIONS_MAX];
    pthread_barrier_t barrier;
};

struct thread {
    struct fixture *f;
    int worker;
};

static void take(struct fixture *f, int worker)
{
    int64_t begin = -1, end = -1;
    int code;
    while ((code = dls_next(f->loop, worker, &begin, &end)) == 1) {
        assert_true(0 <= begin && begin < end && end <= f->iterations);
        for (int64_t i = begin; i < end; i++)
            atomic_fetch_add(&f->taken[i], 1);
        if (worker == f->leaves)
            break;
    }
    assert_true(code == 0 || worker == f->leaves);
    if (worker == f->leaves)
        assert_int_equal(dls_leave(f->loop, worker), 0);
}

static void *run_thread(void *arg)
{
    struct thread *t = arg;
    for (int r = 0; r < t->f->rounds; r++) {
        take(t->f, t->worker);
        pthread_barrier_wait(&t->f->barrier);
        if (t->worker == 0 && r + 1 < t->f->rounds)
            assert_int_equal(dls_again(t->f->loop, t->f->iterations), 0);
        pthread_barrier_wait(&t->f->barrier);
    }
    return NULL;
}

static void run_threads(struct fixture *f)
{
    pthread_t id[THREADS_MAX];
    struct thread thread[THREADS_MAX];
    pthread_barrier_init(&f->barrier, NULL, (unsigned)f->threads);
    for (int w = 0; w < f->threads; w++) {
        thread[w] = (struct thread){f, w};
        assert_int_equal(pthread_create(&id[w], NULL, run_thread, &thread[w]),
                         0);
    }
    for (int w = 0; w < f->threads; w++)
        pthread_join(id[w], NULL);
    pthread_barrier_destroy(&f->barrier);
}

static void open_or_say(struct fixture *f, const char *scheme,
                        const dls_options *options)
{
    if (dls_open(&f->loop, scheme, f->iterations, f->threads, options) != 0)
        fail_msg("%s, %" PRId64 " iterations, %d workers: %s", scheme,
                 f->iterations, f->threads, dls_error(f->loop));
}

static void all_exactly(const struct fixture *f, const char *scheme, int times)
{
    for (int64_t i = 0; i < f->iterations; i++)
        if (f->taken[i] != times)
            fail_msg("%s: iteration %" PRId64 " of %" PRId64 " ran %d times on "
                     "%d threads, it should %d times",
                     scheme, i, f->iterations, f->taken[i], f->threads, times);
}

static void each_iteration_once(const char *scheme, int64_t iterations,
                                int threads, int rounds)
{
    struct fixture f = {.iterations = iterations,
                        .threads = threads,
                        .rounds = rounds,
                        .leaves = -1};
    int64_t left = -1;
    open_or_say(&f, scheme, NULL);
    run_threads(&f);
    all_exactly(&f, scheme, rounds);
    assert_int_equal(dls_unfinished(f.loop), 0);
    assert_int_equal(dls_close(f.loop, &left), 0);
    assert_int_equal(left, 0);
}

static void the_list_has_every_scheme(void **state)
{
    for (int i = 0; sched_schemes[i] != NULL; i++) {
        size_t length = strlen(sched_schemes[i]->name);
        bool found = sched_schemes[i]->next == NULL; /* see dls_costs_test.c */
        for (int k = 0; specs[k] != NULL; k++)
            found = found ||
                    (strncmp(specs[k], sched_schemes[i]->name, length) == 0 &&
                     strchr(":", specs[k][length]) != NULL);
        if (!found)
            fail_msg("scheme %s is not tested here", sched_schemes[i]->name);
    }
}

/* DLS4LB loses the last iteration of one worker, and more of short loops. */
static void every_iteration_runs_once(void **state)
{
    for (int k = 0; specs[k] != NULL; k++)
        for (int p = 1; p <= THREADS_MAX; p++) {
            const int64_t sizes[] = {0, 1, 2, p - 1, p, p + 1, 1000};
            for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
                each_iteration_once(specs[k], sizes[s], p, 1);
        }
}

static void time_steps_run_all_again(void **state)
{
    for (int k = 0; specs[k] != NULL; k++)
        for (int p = 1; p <= THREADS_MAX; p += 3)
            each_iteration_once(specs[k], 237, p, 4);
}

static void a_loop_may_change_its_size(void **state)
{
    for (int k = 0; specs[k] != NULL; k++) {
        const int64_t sizes[] = {10, 0, 777, 1, 500, 500};
        struct fixture f = {
            .iterations = 5, .threads = 1, .rounds = 1, .leaves = -1};
        open_or_say(&f, specs[k], NULL);
        run_threads(&f);
        for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
            memset(f.taken, 0, sizeof(f.taken));
            f.iterations = sizes[s];
            if (dls_again(f.loop, sizes[s]) != 0)
                fail_msg("%s: %s", specs[k], dls_error(f.loop));
            run_threads(&f);
            all_exactly(&f, specs[k], 1);
        }
        assert_int_equal(dls_close(f.loop, NULL), 0);
    }
}

/* 2^40 iterations, as intervals: their sizes add up and no two overlap (a
 * single worker gets them in order). */
static void large_loops_have_no_gaps(void **state)
{
    const int64_t n = (int64_t)1 << 40;
    for (int k = 0; specs[k] != NULL; k++) {
        dls_loop *loop;
        int64_t begin, end, at = 0;
        const dls_options options = {.size = sizeof(options),
                                     .text = "min-chunk=2000000"};
        assert_int_equal(dls_open(&loop, specs[k], n, 1, &options), 0);
        while (dls_next(loop, 0, &begin, &end) == 1) {
            assert_int_equal(begin, at);
            assert_true(end > begin);
            at = end;
        }
        assert_int_equal(at, n);
        assert_int_equal(dls_close(loop, NULL), 0);
    }
}

static void who_leaves_gives_back(void **state)
{
    for (int k = 0; specs[k] != NULL; k++) {
        struct fixture f = {
            .iterations = 500, .threads = 3, .rounds = 1, .leaves = 1};
        int64_t begin, end;
        open_or_say(&f, specs[k], NULL);
        /* Worker 2 leaves before it has asked at all. */
        assert_int_equal(dls_leave(f.loop, 2), 0);
        f.threads = 2;
        run_threads(&f);
        take(&f, 0); /* what came back after it got 0 */
        all_exactly(&f, specs[k], 1);
        assert_int_equal(dls_next(f.loop, 1, &begin, &end), -ESHUTDOWN);
        assert_non_null(strstr(dls_error(f.loop), "worker 1 has left"));
        assert_int_equal(dls_again(f.loop, 10), 0);
        f.threads = 3;
        f.iterations = 10;
        f.leaves = -1;
        memset(f.taken, 0, sizeof(f.taken));
        run_threads(&f);
        all_exactly(&f, specs[k], 1);
        assert_int_equal(dls_close(f.loop, NULL), 0);
    }
}

static void what_was_not_run_is_said(void **state)
{
    dls_loop *loop;
    int64_t begin, end, left = 0;
    assert_int_equal(dls_open(&loop, "css:chunk=10", 100, 2, NULL), 0);
    assert_int_equal(dls_next(loop, 0, &begin, &end), 1);
    assert_int_equal(dls_unfinished(loop), 100);
    assert_int_equal(dls_next(loop, 0, &begin, &end), 1);
    assert_int_equal(dls_unfinished(loop), 90);
    assert_int_equal(dls_again(loop, 100), -EBUSY);
    assert_string_equal(dls_error(loop),
                        "dls: 90 of 100 iterations were not run");
    assert_int_equal(dls_next(loop, 1, &begin, &end), 1);
    assert_int_equal(begin, 20);
    assert_int_equal(dls_close(loop, &left), -EBUSY);
    assert_int_equal(left, 90);
}

static void refused(const char *scheme, int64_t iterations, int workers,
                    const dls_options *options, const char *why)
{
    dls_loop *loop;
    int64_t begin, end;
    assert_int_equal(dls_open(&loop, scheme, iterations, workers, options),
                     -EINVAL);
    if (strstr(dls_error(loop), why) == NULL)
        fail_msg("'%s' does not say '%s'", dls_error(loop), why);
    assert_null(strchr(dls_error(loop), '\n'));
    assert_int_equal(dls_next(loop, 0, &begin, &end), -EINVAL);
    assert_int_equal(dls_leave(loop, 0), -EINVAL);
    assert_int_equal(dls_again(loop, 1), -EINVAL);
    assert_int_equal(dls_close(loop, NULL), 0);
}

static void misuse_has_a_reason(void **state)
{
    const double power[] = {1, -1};
    dls_options o = {.size = sizeof(o)};
    refused("gsss", 10, 2, NULL, "did you mean 'gss'?");
    refused("css:chunk=0", 10, 2, NULL, "chunk=0 is out of range");
    refused(NULL, 10, 2, NULL, "the scheme is NULL");
    refused("gss", -1, 2, NULL, "-1 iterations, allowed: 0 or more");
    refused("gss", 10, 0, NULL, "0 workers, allowed: 1 to");
    o.text = "min-chunks=4";
    refused("gss", 10, 2, &o, "did you mean 'min-chunk'?");
    o.text = "min-chunk=0";
    refused("gss", 10, 2, &o, "min-chunk=0 is out of range");
    o = (dls_options){.size = sizeof(o), .power = power};
    refused("wf", 10, 2, &o, "the power of worker 1 is -1");
    o = (dls_options){.size = 1};
    refused("gss", 10, 2, &o, "sizeof(dls_options)");
    struct {
        dls_options known;
        const char *later;
    } newer = {{.size = sizeof(newer)}, "something"};
    refused("gss", 10, 2, &newer.known, "does not know");
}

static void workers_out_of_range_are_said(void **state)
{
    dls_loop *loop;
    int64_t begin = 7, end = 8;
    assert_int_equal(dls_open(&loop, "gss", 10, 2, NULL), 0);
    assert_string_equal(dls_error(loop), "");
    for (int worker = -1; worker <= 2; worker += 3) {
        assert_int_equal(dls_next(loop, worker, &begin, &end), -EINVAL);
        assert_non_null(strstr(dls_error(loop), "allowed: 0 to 1"));
        assert_int_equal(dls_leave(loop, worker), -EINVAL);
    }
    assert_true(begin == 7 && end == 8);
    assert_int_equal(dls_next(loop, 0, NULL, &end), -EINVAL);
    assert_non_null(strstr(dls_error(loop), "is NULL"));
    assert_int_equal(dls_next(NULL, 0, &begin, &end), -EINVAL);
    assert_int_equal(dls_close(loop, NULL), -EBUSY);
    assert_int_equal(dls_close(NULL, NULL), 0);
    assert_int_equal(dls_open(NULL, "gss", 10, 2, NULL), -EINVAL);
}

/* ---- a scheme of the program ---- */

struct halves {
    double part;
    int64_t steps;
};

static int halves_init(void *state, const dls_shape *shape, const double *value)
{
    struct halves *halves = state;
    halves->part = value[0];
    return shape->workers > 3;
}

static int64_t halves_next(void *state, int worker, int64_t remaining)
{
    struct halves *halves = state;
    halves->steps++;
    return (int64_t)((double)remaining * halves->part / (worker + 1));
}

static void halves_feedback(void *state, int worker, int64_t size, double time)
{
    struct halves *halves = state;
    (void)worker;
    assert_true(size > 0);
    (void)time;
    halves->steps--;
}

static const dls_key halves_keys[] = {{"part", 0.5, 0.1, 1, "of what is left"},
                                      {NULL, 0, 0, 0, NULL}};

static dls_scheme halves(void)
{
    return (dls_scheme){.size = sizeof(dls_scheme),
                        .name = "halves",
                        .keys = halves_keys,
                        .state_size = sizeof(struct halves),
                        .init = halves_init,
                        .next = halves_next};
}

static void own_schemes_are_schemes(void **state)
{
    dls_scheme scheme = halves(), learning = halves();
    dls_context *context;
    dls_loop *loop;
    int64_t begin, end;
    learning.name = "learning";
    learning.feedback = halves_feedback;
    assert_int_equal(dls_context_open(&context), 0);
    assert_int_equal(dls_context_add(context, &scheme), 0);
    assert_int_equal(dls_context_add(context, &scheme), -EEXIST);
    assert_int_equal(dls_context_add(context, &learning), 0);
    scheme.name = "gss";
    assert_int_equal(dls_context_add(context, &scheme), -EEXIST);
    scheme = halves();
    const dls_options options = {.size = sizeof(options), .context = context};
    const dls_options short_chunks = {
        .size = sizeof(options), .context = context, .text = "min-chunk=30"};
    assert_int_equal(dls_open(&loop, "halves", 100, 2, &options), 0);
    assert_string_equal(dls_scheme_of(loop), "halves:part=0.5");
    assert_int_equal(dls_next(loop, 0, &begin, &end), 1);
    assert_true(begin == 0 && end == 50);
    assert_int_equal(dls_next(loop, 1, &begin, &end), 1);
    assert_true(begin == 50 && end == 62);
    assert_int_equal(dls_close(loop, NULL), -EBUSY);
    refused("halves:part=2", 100, 2, &options, "out of range");
    refused("halves", 100, 4, &options, "init refuses");
    refused("gsss", 100, 4, &options, "did you mean 'gss'?");
    struct fixture f = {
        .iterations = 300, .threads = 3, .rounds = 3, .leaves = -1};
    open_or_say(&f, "learning:part=0.25", &short_chunks);
    run_threads(&f);
    all_exactly(&f, "learning", 3);
    assert_int_equal(dls_close(f.loop, NULL), 0);
    dls_context_close(context);
}

TESTS(cmocka_unit_test(the_list_has_every_scheme),
      cmocka_unit_test(every_iteration_runs_once),
      cmocka_unit_test(time_steps_run_all_again),
      cmocka_unit_test(a_loop_may_change_its_size),
      cmocka_unit_test(large_loops_have_no_gaps),
      cmocka_unit_test(who_leaves_gives_back),
      cmocka_unit_test(what_was_not_run_is_said),
      cmocka_unit_test(misuse_has_a_reason),
      cmocka_unit_test(workers_out_of_range_are_said),
      cmocka_unit_test(own_schemes_are_schemes))
