/* OpenMP runtimes: whatever the schedule, every iteration is handed out exactly
 * once, by as many threads as asked; static blocks lie where compilers put
 * them.  A runtime that is not installed is skipped. */
#include "harness/testing.h"

#include "harness/engine/engine.h"
#include "harness/transport/openmp/openmp.h"

#include <errno.h>
#include <stdlib.h>

enum { ITERATIONS_MAX = 1000, THREADS_MAX = 4 };

static const struct engine_patience patience = {.spin_s = 1e-4};

/* A loop of a team, and what came of it. */
struct shared {
    struct openmp *openmp;
    struct engine_team *team;
    struct openmp_loop loop;
    int64_t offset;
    _Atomic int ran[ITERATIONS_MAX];
    int by[ITERATIONS_MAX];
    int64_t chunks[THREADS_MAX], largest[THREADS_MAX];
    _Atomic int inside;
    bool wrong;
};

static void loop_body(int thread, void *arg)
{
    struct shared *shared = arg;
    struct source_openmp source;
    struct chunk chunk;
    int64_t offset = shared->offset;
    source_openmp_open(&source, thread, thread, shared->openmp, &shared->loop);
    shared->chunks[thread] = shared->largest[thread] = 0;
    while (source_next(&source.base, &chunk)) {
        if (chunk.size < 1 || chunk.start < shared->loop.first ||
            chunk.start + chunk.size > shared->loop.last) {
            shared->wrong = true; /* outside: shown by the caller */
            continue;
        }
        for (int64_t i = chunk.start; i < chunk.start + chunk.size; i++) {
            shared->ran[i - offset]++;
            shared->by[i - offset] = thread;
        }
        shared->chunks[thread]++;
        if (chunk.size > shared->largest[thread])
            shared->largest[thread] = chunk.size;
    }
    /* And none after the last. */
    if (source_next(&source.base, &chunk))
        shared->wrong = true;
    engine_team_barrier(shared->team, &patience);
}

static struct shared *open_shared(const char *name, int threads)
{
    struct error err = {""};
    struct shared *shared = calloc(1, sizeof(*shared));
    assert_non_null(shared);
    if (openmp_open(&shared->openmp, name, &err) == -ENOENT) {
        print_message("skipped: %s\n", err.text);
        free(shared);
        skip();
    }
    assert_int_equal(openmp_check_team(shared->openmp, threads, &err), 0);
    assert_int_equal(engine_team_adopt(&shared->team, threads, openmp_fork,
                                       shared->openmp, &err),
                     0);
    shared->loop.threads = threads;
    return shared;
}

static void close_shared(struct shared *shared)
{
    engine_team_stop(shared->team);
    openmp_close(shared->openmp);
    free(shared);
}

/* Runs [first, first + iterations) and returns the number of its chunks. */
static int64_t run_loop(struct shared *shared, const char *spec, int64_t first,
                        int64_t iterations)
{
    struct error err = {""};
    char canonical[SPEC_CANONICAL_MAX];
    int64_t chunks = 0;
    if (openmp_schedule_parse(spec, true, NULL, &shared->loop.schedule,
                              canonical, &err) != 0)
        fail_msg("%s", err.text);
    shared->loop.first = shared->offset = first;
    shared->loop.last = first + iterations;
    for (int i = 0; i < ITERATIONS_MAX; i++)
        shared->ran[i] = 0;
    openmp_loop_prepare(shared->openmp, &shared->loop);
    engine_team_run(shared->team, loop_body, shared);
    assert_false(shared->wrong);
    for (int64_t i = 0; i < iterations; i++)
        if (shared->ran[i] != 1)
            fail_msg("%s of %s, %d threads: iteration %lld of %lld ran %d "
                     "times",
                     spec, openmp_name(shared->openmp), shared->loop.threads,
                     (long long)i, (long long)iterations, shared->ran[i]);
    for (int t = 0; t < shared->loop.threads; t++)
        chunks += shared->chunks[t];
    return chunks;
}

static const char *const specs[] = {
    "static",
    "static:chunk=3",
    "dynamic",
    "dynamic:chunk=7",
    "dynamic:chunk=7,monotonic=on",
    "guided",
    "guided:chunk=5,monotonic=on",
    "runtime:kind=static",
    "runtime:kind=dynamic,chunk=4",
    "runtime:kind=guided,chunk=2,monotonic=on",
    "runtime:kind=auto",
    NULL,
};

static void each_once(const char *name)
{
    static const int64_t sizes[] = {0, 1, 2, 3, 64, ITERATIONS_MAX};
    for (int threads = 1; threads <= THREADS_MAX; threads++) {
        struct shared *shared = open_shared(name, threads);
        for (int s = 0; specs[s] != NULL; s++)
            for (size_t n = 0; n < sizeof(sizes) / sizeof(sizes[0]); n++)
                run_loop(shared, specs[s], 5, sizes[n]);
        /* Far from 0, and chunks that would reach beyond 2^63. */
        run_loop(shared, "static:chunk=4611686018427387904",
                 (INT64_C(1) << 62) - 50, 50);
        run_loop(shared, "dynamic:chunk=4611686018427387904",
                 (INT64_C(1) << 62) - 50, 50);
        close_shared(shared);
    }
}

static void libgomp_hands_out_each_iteration_once(void **state)
{
    each_once("libgomp");
}

static void libomp_hands_out_each_iteration_once(void **state)
{
    each_once("libomp");
}

/* As every compiler lays them out. */
static void static_blocks_lie_where_they_should(void **state)
{
    static const char *const names[] = {"libgomp", "libomp"};
    for (int n = 0; n < 2; n++) {
        struct shared *shared = open_shared(names[n], 3);
        assert_int_equal(run_loop(shared, "static", 0, 10), 3);
        static const int whole[] = {0, 0, 0, 0, 1, 1, 1, 2, 2, 2};
        assert_memory_equal(shared->by, whole, sizeof(whole));
        assert_int_equal(run_loop(shared, "static:chunk=2", 0, 11), 6);
        static const int turns[] = {0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2};
        assert_memory_equal(shared->by, turns, sizeof(turns));
        close_shared(shared);
    }
}

/* The number of chunks and the largest of them. */
static void schedules_have_their_sizes(void **state)
{
    struct shared *shared = open_shared("libgomp", 2);
    assert_int_equal(run_loop(shared, "dynamic:chunk=7", 0, 100), 15);
    assert_int_equal(run_loop(shared, "runtime:kind=dynamic,chunk=7", 0, 100),
                     15);
    /* ceil(R/2): 50 25 13 6 3 2 1 */
    assert_int_equal(run_loop(shared, "guided", 0, 100), 7);
    int64_t most = shared->largest[0] > shared->largest[1] ? shared->largest[0]
                                                           : shared->largest[1];
    assert_int_equal(most, 50);
    close_shared(shared);
    /* R/4 or so */
    shared = open_shared("libomp", 2);
    run_loop(shared, "guided", 0, 100);
    most = shared->largest[0] > shared->largest[1] ? shared->largest[0]
                                                   : shared->largest[1];
    assert_in_range(most, 24, 26);
    close_shared(shared);
}

static void runtimes_say_who_they_are(void **state)
{
    struct shared *shared = open_shared("libgomp", 1);
    struct openmp_identity who;
    openmp_identify(shared->openmp, &who);
    assert_int_equal(who.file[0], '/');
    assert_non_null(strstr(who.file, "libgomp"));
    assert_true(strlen(who.version) == 6 && atoi(who.version) >= 201511);
    assert_true(strlen(who.waiting) > 0);
    close_shared(shared);
    struct error err = {""};
    struct openmp *openmp;
    assert_int_equal(openmp_open(&openmp, "libiomp", &err), -EINVAL);
    assert_non_null(strstr(err.text, "libgomp, libomp"));
}

TESTS(cmocka_unit_test(libgomp_hands_out_each_iteration_once),
      cmocka_unit_test(libomp_hands_out_each_iteration_once),
      cmocka_unit_test(static_blocks_lie_where_they_should),
      cmocka_unit_test(schedules_have_their_sizes),
      cmocka_unit_test(runtimes_say_who_they_are))
