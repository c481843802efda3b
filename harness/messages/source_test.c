/* Sources in one process and between processes: whoever asks, however many
 * at once, every iteration is handed out exactly once.  Needs no MPI, so that
 * the thread sanitizer can watch it. */
#include "harness/testing.h"

#include "harness/engine/engine.h"
#include "harness/messages/source.h"
#include "sched/schemes/scheme_registry.h"

#include <sys/mman.h>
#include <sys/wait.h>

enum { ITERATIONS_MAX = 5000, THREADS_MAX = 4 };

static const struct engine_patience patience = {.spin_s = 1e-4};

/* A worker's end of either kind. */
union end {
    struct source base;
    struct source_table table;
    struct source_state state;
};

struct shared {
    struct source_counter counter;
    struct engine_lock lock;
    uint64_t state[1 << 14]; /* sched_bytes of it */
};

/* A loop under a scheme, asked by several workers. */
struct asked {
    const struct sched_ops *ops;
    struct spec spec;
    struct sched_loop loop;
    double power[THREADS_MAX];
    double cost[ITERATIONS_MAX + 1];
    int64_t min_chunk;
    struct sched_table table, order;
    struct sched sched;
    struct shared *shared;
    union end end[THREADS_MAX];
    struct engine_team *team;
    /* Not atomic on purpose: two who run one iteration are a race. */
    uint8_t ran[ITERATIONS_MAX];
    int64_t chunks[THREADS_MAX];
    uint8_t step_taken[ITERATIONS_MAX];
    int64_t first_step[THREADS_MAX]; /* of each worker's first chunk */
};

static void *shared_memory(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    return memory;
}

static const char *spec_of(const struct sched_ops *ops)
{
    return strcmp(ops->name, "wcss") == 0 ? "wcss:k=5" : ops->name;
}

static void choose(struct asked *a, const struct sched_ops *ops, int workers,
                   bool unequal, uint64_t *seed)
{
    struct error err = {""};
    struct shared *shared = a->shared;
    sched_table_free(&a->order);
    memset(a, 0, sizeof(*a));
    memset(shared, 0, sizeof(*shared));
    a->shared = shared;
    if (sched_parse(spec_of(ops), &a->ops, &a->spec, &err) != 0)
        fail_msg("%s", err.text);
    for (int w = 0; w < workers; w++)
        a->power[w] = (double)testing_between(seed, 1, 8) / 2;
    a->loop = (struct sched_loop){.iterations =
                                      testing_between(seed, 1, ITERATIONS_MAX),
                                  .workers = workers,
                                  .power = unequal ? a->power : NULL,
                                  .cost = a->cost};
    testing_costs(a->cost, a->loop.iterations, seed);
    a->min_chunk = testing_between(seed, 1, 7);
}

static void open_table(struct asked *a)
{
    struct error err = {""};
    if (sched_table_build(&a->table, a->ops, &a->spec, &a->loop, a->min_chunk,
                          &err) != 0)
        fail_msg("%s: %s", a->ops->name, err.text);
    atomic_store(&a->shared->counter.step, a->table.primed);
    for (int w = 0; w < a->loop.workers; w++)
        source_table_open(&a->end[w].table, w, &a->table, &a->shared->counter);
}

static void open_state(struct asked *a)
{
    struct error err = {""};
    assert_true(sched_bytes(a->ops, &a->loop) <= sizeof(a->shared->state));
    a->loop.order = &a->order;
    testing_order(&a->order, a->ops, &a->spec, &a->loop, a->min_chunk);
    if (sched_init(&a->sched, a->shared->state, a->ops, &a->spec, &a->loop,
                   a->min_chunk, &err) != 0)
        fail_msg("%s: %s", a->ops->name, err.text);
    for (int w = 0; w < a->loop.workers; w++)
        source_state_open(&a->end[w].state, w, &a->sched, &a->shared->lock,
                          a->ops->feedback != NULL, 0);
}

/* As the run does with equal powers. */
static void open_equal(struct asked *a)
{
    if (sched_has_sequence(a->ops, &a->spec, &a->loop))
        open_table(a);
    else
        open_state(a);
}

static void take_all(struct asked *a, int worker, uint8_t *ran,
                     uint8_t *step_taken)
{
    struct source *source = &a->end[worker].base;
    struct chunk chunk;
    a->first_step[worker] = -1;
    while (source_next(source, &chunk)) {
        for (int64_t i = chunk.start; i < chunk.start + chunk.size; i++)
            ran[i]++;
        step_taken[chunk.step]++;
        if (a->chunks[worker]++ == 0)
            a->first_step[worker] = chunk.step;
    }
}

static void take_in_team(int thread, void *arg)
{
    struct asked *a = arg;
    engine_team_barrier(a->team, &patience);
    take_all(a, thread, a->ran, a->step_taken);
}

static void check(struct asked *a)
{
    int64_t chunks = 0;
    struct chunk chunk;
    for (int64_t i = 0; i < a->loop.iterations; i++)
        if (a->ran[i] != 1)
            fail_msg("%s: iteration %" PRId64 " ran %d times", a->ops->name, i,
                     a->ran[i]);
    for (int w = 0; w < a->loop.workers; w++)
        chunks += a->chunks[w];
    for (int64_t step = 0; step < ITERATIONS_MAX; step++)
        assert_int_equal(a->step_taken[step], step < chunks);
    if (a->table.steps > 0)
        assert_int_equal(chunks, a->table.steps);
    /* Nothing is left, and never again. */
    for (int w = 0; w < 3 * a->loop.workers; w++)
        assert_false(source_next(&a->end[w % a->loop.workers].base, &chunk));
}

/* A worker's primed chunk is its first.  In a short loop some have none: they
 * get nothing where these chunks are the whole loop, else whoever asks first
 * gets the next chunk. */
static void check_primed(struct asked *a)
{
    struct sched_primed_view {
        struct sched sched;
        struct chunk chunk;
    } view;
    void *memory = malloc(sched_bytes(a->ops, &a->loop));
    assert_non_null(memory);
    assert_int_equal(sched_init(&view.sched, memory, a->ops, &a->spec, &a->loop,
                                a->min_chunk, NULL),
                     0);
    int64_t left = a->loop.iterations, first[THREADS_MAX];
    for (int w = 0; w < a->loop.workers; w++) {
        first[w] = -1;
        if (!sched_take_primed(&view.sched, w, &view.chunk))
            continue;
        first[w] = view.chunk.step;
        left -= view.chunk.size;
    }
    for (int w = 0; w < a->loop.workers; w++)
        if (first[w] >= 0 || left == 0)
            assert_int_equal(a->first_step[w], first[w]);
    free(memory);
}

static void run_threads(struct asked *a, struct engine_team *team)
{
    a->team = team;
    engine_team_run(team, take_in_team, a);
    check(a);
    if (a->ops->flags & SCHED_PRIMED)
        check_primed(a);
}

static void every_scheme_from_threads(void **unused)
{
    uint64_t seed = testing_say_seed(__func__);
    struct asked *a = calloc(1, sizeof(*a));
    assert_non_null(a);
    a->shared = shared_memory(sizeof(*a->shared));
    for (int threads = 1; threads <= THREADS_MAX; threads++) {
        struct engine_team *team;
        assert_int_equal(engine_team_start(&team, threads, NULL), 0);
        for (int round = 0; round < 6; round++) {
            for (int s = 0; sched_schemes[s] != NULL; s++) {
                choose(a, sched_schemes[s], threads, false, &seed);
                open_equal(a);
                run_threads(a, team);
                sched_table_free(&a->table);
                choose(a, sched_schemes[s], threads, round % 2, &seed);
                open_state(a);
                run_threads(a, team);
            }
        }
        engine_team_stop(team);
    }
    munmap(a->shared, sizeof(*a->shared));
    sched_table_free(&a->order);
    free(a);
}

/* A window of one host: the counter, or the state and its lock, in memory
 * that two processes share. */
static void run_processes(struct asked *a)
{
    uint8_t *ran = shared_memory(2 * ITERATIONS_MAX);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        take_all(a, 1, ran, ran + ITERATIONS_MAX);
        _exit(0);
    }
    uint8_t mine[2 * ITERATIONS_MAX] = {0};
    int status = -1;
    take_all(a, 0, mine, mine + ITERATIONS_MAX);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    for (int64_t i = 0; i < a->loop.iterations; i++)
        if (mine[i] + ran[i] != 1)
            fail_msg("%s: iteration %" PRId64 " ran %d times", a->ops->name, i,
                     mine[i] + ran[i]);
    munmap(ran, 2 * ITERATIONS_MAX);
}

static void every_scheme_from_processes(void **unused)
{
    uint64_t seed = testing_say_seed(__func__);
    struct asked *a = calloc(1, sizeof(*a));
    assert_non_null(a);
    a->shared = shared_memory(sizeof(*a->shared));
    for (int s = 0; sched_schemes[s] != NULL; s++) {
        choose(a, sched_schemes[s], 2, false, &seed);
        open_equal(a);
        run_processes(a);
        sched_table_free(&a->table);
        choose(a, sched_schemes[s], 2, true, &seed);
        open_state(a);
        run_processes(a);
    }
    munmap(a->shared, sizeof(*a->shared));
    sched_table_free(&a->order);
    free(a);
}

/* Makes as if the chunk had taken so many ticks per iteration, and asks for
 * the next.  So many that a test that loses its core changes nothing.  Returns
 * the size of the next. */
static int64_t spend(struct source_state *source, int64_t ticks)
{
    struct chunk chunk;
    uint64_t before = engine_ticks();
    source->since = before - (uint64_t)(source->size * ticks);
    assert_true(source_next(&source->base, &chunk));
    assert_true(source->since >= before && source->since <= engine_ticks());
    assert_int_equal(source->size, chunk.size);
    return chunk.size;
}

/* A worker four times as slow comes to chunks of a quarter, or less where R is
 * not the same for both.  Without the times they would be 1 to 1 or 4 to 3. */
static void schemes_that_learn_are_told_the_times(void **unused)
{
    static const char *const scheme[] = {"awf-b", "awf-c", "awf-d", "awf-e"};
    struct asked *a = calloc(1, sizeof(*a));
    assert_non_null(a);
    a->shared = shared_memory(sizeof(*a->shared));
    for (size_t i = 0; i < sizeof(scheme) / sizeof(scheme[0]); i++) {
        int64_t fast = 0, slow = 0;
        struct error err = {""};
        memset(a->shared, 0, sizeof(*a->shared));
        assert_int_equal(sched_parse(scheme[i], &a->ops, &a->spec, &err), 0);
        a->loop = (struct sched_loop){.iterations = 100000, .workers = 2};
        a->min_chunk = 1;
        open_state(a);
        for (int k = 0; k < 6; k++) {
            fast = spend(&a->end[0].state, 100000000);
            slow = spend(&a->end[1].state, 400000000);
        }
        if (fast < 3 * slow || fast > 8 * slow)
            fail_msg("%s: chunks of %" PRId64 " and %" PRId64, scheme[i], fast,
                     slow);
    }
    munmap(a->shared, sizeof(*a->shared));
    sched_table_free(&a->order);
    free(a);
}

/* Steps that outnumber any table: one fixed size, 2^40 iterations. */
static void fixed_sizes_have_no_limit(void **unused)
{
    const struct sched_ops *ops;
    struct spec spec;
    struct sched_table table;
    struct sched_loop loop = {.iterations = (int64_t)1 << 40, .workers = 2};
    struct source_counter counter = {.step = ((int64_t)1 << 40) - 2};
    struct source_table source;
    struct chunk chunk;
    assert_int_equal(sched_parse("ss", &ops, &spec, NULL), 0);
    assert_int_equal(sched_table_build(&table, ops, &spec, &loop, 1, NULL), 0);
    source_table_open(&source, 1, &table, &counter);
    for (int i = 2; i > 0; i--) {
        assert_true(source_next(&source.base, &chunk));
        assert_true(chunk.start == loop.iterations - i && chunk.size == 1);
    }
    assert_false(source_next(&source.base, &chunk));
    sched_table_free(&table);
}

static void counters_have_a_line_of_their_own(void **unused)
{
    assert_int_equal(sizeof(struct source_counter), 128);
    assert_int_equal(_Alignof(struct source_counter), 128);
}

TESTS(cmocka_unit_test(every_scheme_from_threads),
      cmocka_unit_test(every_scheme_from_processes),
      cmocka_unit_test(schemes_that_learn_are_told_the_times),
      cmocka_unit_test(fixed_sizes_have_no_limit),
      cmocka_unit_test(counters_have_a_line_of_their_own))
