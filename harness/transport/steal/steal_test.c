/* Stealing between the threads of a rank.  For any number of threads and
 * steals, every iteration is handed out exactly once, and no thread leaves
 * while something is left.  Needs no MPI, so that the thread sanitizer can
 * check it. */
#include "harness/testing.h"

#include "harness/transport/steal/steal.h"
#include "sched/schemes/scheme_registry.h"

#include <errno.h>
#include <sched.h>

enum { ITERATIONS_MAX = 3000, THREADS_MAX = 5 };

static const struct engine_patience patience = {.spin_s = 1e-4};

/* A loop that several threads steal from each other. */
struct field {
    const struct sched_ops *ops;
    struct spec spec;
    struct sched_loop loop;
    double power[THREADS_MAX];
    struct site site[THREADS_MAX];
    int rank_worker[2];
    struct tree tree;
    struct comm comm;
    struct steal_loop steal_loop;
    struct steal steal;
    struct steal_source source[THREADS_MAX];
    struct engine_team *team;
    int slow; /* this worker stays in its first piece until the others have run
                 all the rest; -1: none does */
    /* Not atomic on purpose: two who run one iteration are a race. */
    uint8_t ran[ITERATIONS_MAX];
    _Atomic int64_t done;
    int64_t chunks[THREADS_MAX];
};

static void set_up(struct field *f, const char *scheme, int64_t iterations,
                   int workers, int64_t min_chunk, bool powers, bool near,
                   uint64_t seed)
{
    struct error err = {""};
    memset(f->ran, 0, sizeof(f->ran));
    memset(f->chunks, 0, sizeof(f->chunks));
    atomic_store(&f->done, 0);
    f->slow = -1;
    if (sched_parse(scheme, &f->ops, &f->spec, &err) != 0)
        fail_msg("%s", err.text);
    f->loop = (struct sched_loop){.iterations = iterations,
                                  .workers = workers,
                                  .power = powers ? f->power : NULL};
    f->rank_worker[1] = workers;
    f->tree = (struct tree){.ranks = 1,
                            .threads = workers,
                            .workers = workers,
                            .rank_worker = f->rank_worker};
    f->comm = (struct comm){.ranks = 1, .lanes = 1};
    const struct steal_choice choice = {.scheme = f->ops,
                                        .spec = &f->spec,
                                        .min_chunk = min_chunk,
                                        .seed = seed,
                                        .near = near,
                                        .site = near ? f->site : NULL};
    if (steal_loop_open(&f->steal_loop, &f->loop, &f->tree, &choice, &err) !=
            0 ||
        steal_open(&f->steal, &f->steal_loop, &f->comm, &f->tree, &patience,
                   &err) != 0)
        fail_msg("%s of %" PRId64 ": %s", scheme, iterations, err.text);
    steal_reset(&f->steal);
    for (int w = 0; w < workers; w++)
        steal_source_open(&f->source[w], &f->steal, w);
}

static void tear_down(struct field *f)
{
    steal_close(&f->steal);
    steal_loop_close(&f->steal_loop);
}

static void take_all(int worker, void *arg)
{
    struct field *f = arg;
    struct chunk chunk;
    int64_t rest = -1;
    engine_team_barrier(f->team, &patience);
    while (source_next(&f->source[worker].base, &chunk)) {
        for (int64_t i = chunk.start; i < chunk.start + chunk.size; i++)
            f->ran[i]++;
        f->chunks[worker]++;
        if (f->slow == worker && rest < 0)
            rest = f->loop.iterations - chunk.size;
        while (rest >= 0 && atomic_load(&f->done) < rest)
            sched_yield();
        atomic_fetch_add(&f->done, chunk.size);
    }
}

static void check(const struct field *f)
{
    struct steal_tally all = {0};
    for (int64_t i = 0; i < f->loop.iterations; i++)
        if (f->ran[i] != 1)
            fail_msg("%s of %" PRId64 " by %d: iteration %" PRId64
                     " ran %d times",
                     f->ops->name, f->loop.iterations, f->loop.workers, i,
                     f->ran[i]);
    for (int w = 0; w < f->loop.workers; w++) {
        struct steal_tally tally = steal_tally(&f->steal, w);
        all.steals += tally.steals;
        all.iterations += tally.iterations;
    }
    assert_true(all.iterations >= all.steals);
    assert_int_equal(atomic_load(&f->steal.loaded), 0);
    assert_int_equal(atomic_load(&f->steal.idle), 0);
}

static void run(struct field *f)
{
    engine_team_run(f->team, take_all, f);
    check(f);
}

static bool cuts(const struct sched_ops *ops)
{
    return ops->feedback == NULL && ops->next != NULL &&
           (ops->flags & (SCHED_BY_POWER | SCHED_PRIMED)) == 0;
}

static void choose_workers(struct field *f, uint64_t *seed)
{
    for (int w = 0; w < THREADS_MAX; w++) {
        f->power[w] = (double)testing_between(seed, 1, 8) / 2;
        f->site[w] = (struct site){1, (int32_t)testing_between(seed, 0, 1),
                                   (int32_t)testing_between(seed, 0, 1)};
    }
}

static void every_scheme_by_any_number_of_threads(void **unused)
{
    uint64_t seed = testing_say_seed(__func__);
    struct field *f = aligned_alloc(128, (sizeof(*f) + 127) / 128 * 128);
    assert_non_null(f);
    memset(f, 0, sizeof(*f));
    for (int threads = 1; threads <= THREADS_MAX; threads++) {
        assert_int_equal(engine_team_start(&f->team, threads, NULL), 0);
        for (int round = 0; round < 8; round++) {
            for (int s = 0; sched_schemes[s] != NULL; s++) {
                if (!cuts(sched_schemes[s]))
                    continue;
                int64_t n = testing_between(
                    &seed, 1, round % 2 ? ITERATIONS_MAX : 2 * THREADS_MAX);
                choose_workers(f, &seed);
                set_up(f, sched_schemes[s]->name, n, threads,
                       testing_between(&seed, 1, 7), round % 3 == 0,
                       round % 2 == 0, testing_random(&seed));
                run(f);
                tear_down(f);
            }
        }
        engine_team_stop(f->team);
    }
    free(f);
}

/* Thieves take all that the worker did not begin, whichever worker it is. */
static void one_who_is_slow_is_robbed_of_everything(void **unused)
{
    uint64_t seed = testing_say_seed(__func__);
    struct field *f = aligned_alloc(128, (sizeof(*f) + 127) / 128 * 128);
    assert_non_null(f);
    memset(f, 0, sizeof(*f));
    for (int threads = 2; threads <= THREADS_MAX; threads++) {
        assert_int_equal(engine_team_start(&f->team, threads, NULL), 0);
        for (int slow = 0; slow < threads; slow++) {
            set_up(f, "css:chunk=4", 1000, threads, 1, false, false,
                   testing_random(&seed));
            f->slow = slow;
            int64_t own =
                f->steal_loop.share[slow + 1] - f->steal_loop.share[slow];
            run(f);
            int64_t stolen = 0;
            for (int w = 0; w < threads; w++)
                stolen += steal_tally(&f->steal, w).iterations;
            if (f->chunks[slow] > 0)
                assert_true(stolen >= own - 4);
            tear_down(f);
        }
        engine_team_stop(f->team);
    }
    free(f);
}

/* A team of one, to look at ranges step by step. */
static void set_up_pair(struct field *f, const char *scheme, int64_t n,
                        int64_t min_chunk)
{
    memset(f, 0, sizeof(*f));
    set_up(f, scheme, n, 2, min_chunk, false, false, 1);
}

static void assert_next(struct field *f, int worker, int64_t start,
                        int64_t size)
{
    struct chunk chunk;
    assert_true(source_next(&f->source[worker].base, &chunk));
    if (chunk.start != start || chunk.size != size)
        fail_msg("%" PRId64 " from %" PRId64 ", not %" PRId64 " from %" PRId64,
                 chunk.size, chunk.start, size, start);
}

/* 20 iterations, css:chunk=5.  Worker 1 runs its share, 10 to 19, and then
 * steals half of what worker 0 has left, and half again. */
static void half_is_stolen_from_the_back(void **unused)
{
    struct field f;
    struct chunk chunk;
    set_up_pair(&f, "css:chunk=5", 20, 1);
    assert_next(&f, 1, 10, 5);
    assert_next(&f, 1, 15, 5);
    assert_next(&f, 1, 5, 5); /* of 0 to 9 */
    assert_next(&f, 1, 2, 3); /* of 0 to 4 */
    assert_next(&f, 0, 0, 2);
    assert_false(source_next(&f.source[0].base, &chunk));
    assert_false(source_next(&f.source[1].base, &chunk));
    struct steal_tally tally = steal_tally(&f.steal, 1);
    assert_int_equal(tally.steals, 2);
    assert_int_equal(tally.iterations, 8);
    assert_int_equal(steal_tally(&f.steal, 0).steals, 0);
    tear_down(&f);
}

/* gss with two workers takes half of the range's rest: 5 of 10, then 3 of 5,
 * ...; stolen iterations are a separate range. */
static void the_scheme_cuts_each_range(void **unused)
{
    struct field f;
    set_up_pair(&f, "gss", 20, 1);
    assert_next(&f, 0, 0, 5);
    assert_next(&f, 1, 10, 5);
    assert_next(&f, 1, 15, 3);
    assert_next(&f, 1, 18, 1);
    assert_next(&f, 1, 19, 1);
    assert_next(&f, 1, 7, 2); /* 3 of 5 to 9 are stolen */
    assert_next(&f, 1, 9, 1);
    tear_down(&f);
}

/* tss:last=4 of two workers is no scheme for less than 16 iterations, where
 * the first chunk would be smaller: such a range is one piece. */
static void a_range_too_small_for_the_scheme_is_one_piece(void **unused)
{
    struct field f;
    int small = 0;
    set_up_pair(&f, "tss:last=4", 200, 1);
    for (int64_t taken = 0; taken < 200;) {
        int64_t own = steal_size(atomic_load(&f.steal.range[1].ends));
        int64_t other = steal_size(atomic_load(&f.steal.range[0].ends));
        struct chunk chunk;
        assert_true(source_next(&f.source[1].base, &chunk));
        taken += chunk.size;
        if (own == 0 && steal_half(other, 1) < 16) {
            assert_int_equal(chunk.size, steal_half(other, 1));
            small++;
        }
    }
    assert_true(small > 1);
    tear_down(&f);
}

static void shares_go_by_the_powers(void **unused)
{
    struct field f;
    memset(&f, 0, sizeof(f));
    f.power[0] = 1;
    f.power[1] = 2.5;
    f.power[2] = 0.5;
    set_up(&f, "ss", 1000, 3, 1, true, false, 1);
    const int64_t *share = f.steal_loop.share;
    assert_true(share[0] == 0 && share[1] == 250 && share[2] == 875 &&
                share[3] == 1000);
    assert_int_equal(steal_home(&f.steal_loop, 0), 0);
    assert_int_equal(steal_home(&f.steal_loop, 249), 0);
    assert_int_equal(steal_home(&f.steal_loop, 250), 1);
    assert_int_equal(steal_home(&f.steal_loop, 999), 2);
    tear_down(&f);
    /* Fewer iterations than workers: some shares are empty. */
    set_up(&f, "ss", 2, 5, 1, false, false, 1);
    assert_int_equal(steal_home(&f.steal_loop, 0), 2);
    assert_int_equal(steal_home(&f.steal_loop, 1), 4);
    tear_down(&f);
}

static void loops_that_are_too_long_are_refused(void **unused)
{
    struct field f;
    struct error err = {""};
    struct steal_loop steal;
    memset(&f, 0, sizeof(f));
    set_up(&f, "gss", 10, 2, 1, false, false, 1);
    const struct steal_choice choice = {
        .scheme = f.ops, .spec = &f.spec, .min_chunk = 1};
    struct sched_loop loop = {.iterations = STEAL_ITERATIONS_MAX + 1,
                              .workers = 2};
    assert_int_equal(steal_loop_open(&steal, &loop, &f.tree, &choice, &err),
                     -ENOTSUP);
    assert_non_null(strstr(err.text, "4294967295"));
    loop.iterations--;
    assert_int_equal(steal_loop_open(&steal, &loop, &f.tree, &choice, &err), 0);
    assert_true(steal.share[1] == STEAL_ITERATIONS_MAX / 2);
    steal_loop_close(&steal);
    tear_down(&f);
}

TESTS(cmocka_unit_test(every_scheme_by_any_number_of_threads),
      cmocka_unit_test(one_who_is_slow_is_robbed_of_everything),
      cmocka_unit_test(half_is_stolen_from_the_back),
      cmocka_unit_test(the_scheme_cuts_each_range),
      cmocka_unit_test(a_range_too_small_for_the_scheme_is_one_piece),
      cmocka_unit_test(shares_go_by_the_powers),
      cmocka_unit_test(loops_that_are_too_long_are_refused))
