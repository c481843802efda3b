/* Chunks requested before the previous chunk runs: each runs once, and no
 * scheme's loop ends later than its short chunks allow.  Needs no MPI, so that
 * the thread sanitizer can check it. */
#include "harness/testing.h"

#include "harness/engine/engine.h"
#include "harness/protocol/parallel/parallel.h"
#include "sched/schemes/scheme_registry.h"

#include <math.h>

enum { ITERATIONS_MAX = 5000, THREADS_MAX = 4 };

static const struct engine_patience patience = {.spin_s = 1e-4};
static const struct source_took nothing = {.nothing = true};

/* A loop under a scheme whose sequence is known. */
struct fixture {
    struct sched_loop loop;
    double cost[ITERATIONS_MAX + 1];
    struct sched_table table;
    struct source_early early;
    struct source_counter counter;
    struct engine_team *team;
    bool stamp;
    /* Not atomic on purpose: two who run one iteration are a race. */
    uint8_t ran[ITERATIONS_MAX];
    struct worker worker[THREADS_MAX];
    struct source_table source[THREADS_MAX];
};

static const char *spec_of(const struct sched_ops *ops)
{
    return strcmp(ops->name, "wcss") == 0 ? "wcss:k=5" : ops->name;
}

/* False: the sequence depends on who asks. */
static bool open_table(struct fixture *f, const char *scheme, int64_t n,
                       int workers)
{
    const struct sched_ops *ops;
    struct spec spec;
    struct error err = {""};
    f->loop = (struct sched_loop){
        .iterations = n, .workers = workers, .cost = f->cost};
    if (sched_parse(scheme, &ops, &spec, &err) != 0)
        fail_msg("%s", err.text);
    if (!sched_has_sequence(ops, &spec, &f->loop))
        return false;
    if (sched_table_build(&f->table, ops, &spec, &f->loop, 1, &err) != 0)
        fail_msg("%s: %s", scheme, err.text);
    return true;
}

/* ---- every chunk once ---- */

static void note_run(const void *instance, void *scratch, int64_t start,
                     int64_t size, void *output, const struct kernel_poll *poll)
{
    uint8_t *ran = ((struct fixture *)(uintptr_t)instance)->ran;
    (void)scratch, (void)output, (void)poll;
    for (int64_t i = start; i < start + size; i++)
        ran[i]++;
}

static const struct kernel_ops note_ops = {.run = note_run};

static void work(int thread, void *arg)
{
    struct fixture *f = arg;
    struct worker *worker = &f->worker[thread];
    source_table_open(&f->source[thread], thread, &f->table, &f->counter);
    f->source[thread].base.early = f->early;
    *worker = (struct worker){.source = &f->source[thread].base,
                              .kernel = &note_ops,
                              .instance = f,
                              .stamp = f->stamp};
    engine_team_barrier(f->team, &patience);
    parallel_run(worker);
}

/* Returns how many chunks were asked for early. */
static int64_t run_team(struct fixture *f, const char *scheme)
{
    int64_t chunks = 0, ahead = 0;
    memset(f->ran, 0, sizeof(f->ran));
    atomic_store(&f->counter.step, f->table.primed);
    engine_team_run(f->team, work, f);
    for (int64_t i = 0; i < f->loop.iterations; i++)
        if (f->ran[i] != 1)
            fail_msg("%s, %d workers, %" PRId64 " iterations: %" PRId64
                     " ran %d times",
                     scheme, f->loop.workers, f->loop.iterations, i, f->ran[i]);
    for (int w = 0; w < f->loop.workers; w++) {
        chunks += f->worker[w].chunks;
        ahead += f->source[w].base.ahead_count;
    }
    assert_int_equal(chunks, f->table.steps);
    /* Each has found nothing left once. */
    assert_int_equal(f->counter.step, f->table.steps + f->loop.workers);
    return ahead;
}

/* A worker that runs an early chunk asks for the next, which may be gone when
 * others are faster. */
static void check_ahead(const struct fixture *f, int64_t ahead)
{
    int64_t early = f->early.until - f->early.from;
    if (f->loop.workers == 1)
        assert_int_equal(ahead, early);
    assert_true(ahead >= 0 && ahead <= early);
}

static void run_scheme(struct fixture *f, const char *scheme, int64_t n,
                       int workers)
{
    if (!open_table(f, scheme, n, workers))
        return;
    for (int stamp = 0; stamp < 2; stamp++) {
        f->stamp = stamp;
        f->early = source_early_steps(&f->table, workers, &nothing);
        check_ahead(f, run_team(f, scheme));
        /* To the very end: the last request finds no chunk. */
        f->early = (struct source_early){f->table.primed, f->table.steps};
        run_team(f, scheme);
        f->early = (struct source_early){0, 0};
        assert_int_equal(run_team(f, scheme), 0);
    }
    sched_table_free(&f->table);
}

static void every_iteration_runs_once(void **state)
{
    struct fixture *f = *state;
    uint64_t seed = testing_say_seed(__func__);
    testing_costs(f->cost, ITERATIONS_MAX, &seed);
    for (int threads = 1; threads <= THREADS_MAX; threads++) {
        const int64_t sizes[] = {1, 2, threads - 1, threads, threads + 1, 1000};
        assert_int_equal(engine_team_start(&f->team, threads, NULL), 0);
        for (int s = 0; sched_schemes[s] != NULL; s++)
            for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
                if (sizes[i] > 0)
                    run_scheme(f, spec_of(sched_schemes[s]), sizes[i], threads);
        engine_team_stop(f->team);
    }
}

/* A loop whose chunks are all gone, or none. */
static void who_comes_late_runs_nothing(void **state)
{
    struct fixture *f = *state;
    open_table(f, "ss", 100, 1);
    assert_int_equal(engine_team_start(&f->team, 1, NULL), 0);
    f->early = source_early_steps(&f->table, 1, &nothing);
    for (int64_t gone = 97; gone <= 100; gone++) {
        atomic_store(&f->counter.step, gone);
        work(0, f);
        assert_int_equal(f->worker[0].chunks, 100 - gone);
        assert_int_equal(f->source[0].base.ahead_count, gone < 98);
    }
    engine_team_stop(f->team);
    sched_table_free(&f->table);
}

/* ---- which steps are early ---- */

/* Iterations of one time each. */
static struct source_took equal_costs(struct fixture *f, double each_s)
{
    for (int64_t i = 0; i <= ITERATIONS_MAX; i++)
        f->cost[i] = (double)i * each_s;
    return (struct source_took){.before = f->cost, .steps = 1};
}

static struct source_early early_of(struct fixture *f, const char *scheme,
                                    int64_t n, int workers,
                                    const struct source_took *took)
{
    assert_true(open_table(f, scheme, n, workers));
    struct source_early early = source_early_steps(&f->table, workers, took);
    sched_table_free(&f->table);
    return early;
}

static void assert_early(struct source_early early, int64_t from, int64_t until)
{
    assert_int_equal(early.from, from);
    assert_int_equal(early.until, until);
}

static void only_short_chunks_are_early(void **state)
{
    struct fixture *f = *state;
    const struct source_took unknown = {false};
    struct source_took took = equal_costs(f, SOURCE_SHORT_S / 10.5);
    assert_early(early_of(f, "ss", 1000, 3, &took), 0, 994);
    assert_early(early_of(f, "css:chunk=10", 1000, 3, &took), 0, 94);
    assert_early(early_of(f, "css:chunk=11", 1000, 3, &took), 0, 0);
    assert_early(early_of(f, "ss", 1000, 3, &unknown), 0, 0);
    assert_early(early_of(f, "css:chunk=11", 1000, 3, &nothing), 0, 85);
    /* 500, 250, ..., 8, 4, ... of 1000 */
    assert_early(early_of(f, "gss", 1000, 2, &took), 0, 0);
    /* 20, 19, ..., 1: the last eleven are short. */
    assert_early(early_of(f, "tss:first=20,last=1", 210, 2, &took), 10, 16);
    /* Too few for anybody to ask early. */
    assert_early(early_of(f, "ss", 6, 3, &took), 0, 0);
    assert_early(early_of(f, "ss", 7, 3, &took), 0, 1);
    assert_early(early_of(f, "static", 1000, 4, &nothing), 0, 0);
}

/* One long iteration, and all that is before it; in any time step. */
static void nothing_is_early_before_a_long_chunk(void **state)
{
    struct fixture *f = *state;
    struct source_took took = equal_costs(f, SOURCE_SHORT_S / 10);
    for (int64_t i = 401; i <= ITERATIONS_MAX; i++)
        f->cost[i] += 1e-3;
    assert_early(early_of(f, "ss", 1000, 2, &took), 401, 996);
    assert_early(early_of(f, "css:chunk=5", 1000, 2, &took), 81, 196);
    /* Two steps of 500 iterations, each with one more number: the long
     * iteration is number 400 of the first step. */
    took.steps = 2;
    assert_early(early_of(f, "ss", 500, 2, &took), 401, 496);
    for (int64_t i = 0; i <= ITERATIONS_MAX; i++)
        f->cost[i] = (double)i * SOURCE_SHORT_S / 10 + (i > 700 ? 1e-3 : 0);
    assert_early(early_of(f, "ss", 500, 2, &took), 200, 496);
}

/* ---- the bound ---- */

/* Seconds of a loop whose free workers take the next chunk, on a clock that
 * only chunks advance. */
static double play(const struct fixture *f, struct source_early early)
{
    double free_s[THREADS_MAX] = {0}, end_s = 0;
    int64_t held[THREADS_MAX], next = f->table.primed;
    int workers = f->loop.workers;
    for (int w = 0; w < workers; w++)
        held[w] = f->table.rank != NULL ? f->table.rank[w] : -1;
    for (int left = workers; left > 0;) {
        int w = 0;
        for (int i = 1; i < workers; i++)
            w = free_s[i] < free_s[w] ? i : w;
        int64_t step = held[w] >= 0 ? held[w] : next++;
        held[w] = -1;
        if (step >= f->table.steps) {
            end_s = free_s[w] > end_s ? free_s[w] : end_s;
            free_s[w] = INFINITY;
            left--;
            continue;
        }
        if (step >= early.from && step < early.until)
            held[w] = next++;
        struct chunk chunk = sched_table_chunk(&f->table, step);
        free_s[w] += f->cost[chunk.start + chunk.size] - f->cost[chunk.start];
    }
    return end_s;
}

/* Iterations of 1 to 100 times the same, or some of them 1000 times as long. */
static struct source_took random_costs(struct fixture *f, uint64_t *seed)
{
    double each_s = SOURCE_SHORT_S / (double)testing_between(seed, 1, 3000);
    int kind = (int)testing_between(seed, 0, 2);
    for (int64_t i = 0; i < ITERATIONS_MAX; i++) {
        double cost = kind == 0 ? 1 : (double)testing_between(seed, 1, 100);
        if (kind == 2)
            cost = testing_between(seed, 0, 300) == 0 ? 1000 : 1;
        f->cost[i + 1] = f->cost[i] + cost * each_s;
    }
    return (struct source_took){.before = f->cost, .steps = 1};
}

/* As source_early_steps promises.  The sums of doubles may be a little off. */
static void no_loop_ends_much_later(void **state)
{
    struct fixture *f = *state;
    uint64_t seed = testing_say_seed(__func__);
    double worst_s = 0;
    int64_t asked = 0;
    for (int round = 0; round < 200; round++)
        for (int s = 0; sched_schemes[s] != NULL; s++) {
            struct source_took took = random_costs(f, &seed);
            int64_t n = testing_between(&seed, 1, ITERATIONS_MAX);
            int workers = (int)testing_between(&seed, 1, THREADS_MAX);
            if (!open_table(f, spec_of(sched_schemes[s]), n, workers))
                continue;
            struct source_early early =
                source_early_steps(&f->table, workers, &took);
            double usual_s = play(f, (struct source_early){0, 0});
            double later_s = play(f, early) - usual_s;
            if (later_s > 2 * SOURCE_SHORT_S + 1e-9 * usual_s)
                fail_msg("%s: %g s later", sched_schemes[s]->name, later_s);
            worst_s = later_s > worst_s ? later_s : worst_s;
            asked += early.until - early.from;
            sched_table_free(&f->table);
        }
    print_message("at worst %.0f ns later, %" PRId64 " chunks asked early\n",
                  1e9 * worst_s, asked);
    assert_true(asked > 100000);
}

static int setup(void **state)
{
    struct fixture *f = aligned_alloc(128, (sizeof(*f) + 127) / 128 * 128);
    if (f != NULL)
        memset(f, 0, sizeof(*f));
    *state = f;
    return f == NULL;
}

static int teardown(void **state)
{
    free(*state);
    return 0;
}

TESTS(cmocka_unit_test_setup_teardown(every_iteration_runs_once, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(who_comes_late_runs_nothing, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(only_short_chunks_are_early, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(nothing_is_early_before_a_long_chunk,
                                      setup, teardown),
      cmocka_unit_test_setup_teardown(no_loop_ends_much_later, setup, teardown))
