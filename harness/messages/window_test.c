/* Windows against an MPI that promises little: random ranks, threads, schemes
 * and repetitions, targets that must enter MPI; every iteration is handed out
 * once in each repetition. */
#include "harness/testing.h"

#include "harness/messages/mpi_testing_windows.h"
#include "harness/messages/source_rma.h"
#include "sched/schemes/scheme_registry.h"

#include <errno.h>

enum {
    WORLDS = 150,
    RANKS = 6,
    THREADS = 3,
    REPETITIONS = 3,
    ITERATIONS = 300,
};

static const char *const schemes[] = {"ss",  "css:chunk=7", "gss",
                                      "fss", "tss",         "static"};

struct world {
    int ranks, threads;
    bool shared;
    struct sched_table table;
    int64_t iterations;
    _Atomic uint8_t ran[ITERATIONS];
    _Atomic int wrong; /* threads cannot fail a test by themselves */
};

struct rank {
    struct world *world;
    struct comm comm;
    struct engine_lock lock;
    struct window window;
    struct error err;
    uint64_t seed;
    int code;
    double progress_s;
};

struct thread {
    struct rank *rank;
    int number;
    uint64_t seed;
};

union end {
    struct source base;
    struct source_table table;
    struct source_rma rma;
};

static void open_end(union end *end, struct rank *rank, int worker)
{
    struct world *w = rank->world;
    if (w->shared)
        source_table_open(&end->table, worker, &w->table, rank->window.memory);
    else
        source_rma_open(&end->rma, worker, &rank->window, &w->table);
}

static void *run_thread(void *arg)
{
    struct thread *thread = arg;
    struct rank *rank = thread->rank;
    struct world *w = rank->world;
    union end end;
    struct chunk chunk;
    open_end(&end, rank, rank->comm.rank * w->threads + thread->number);
    while (source_next(&end.base, &chunk)) {
        for (int64_t i = chunk.start; i < chunk.start + chunk.size; i++)
            w->ran[i]++;
        if (!w->shared && testing_random(&thread->seed) % 4 == 0)
            window_progress(&rank->window);
    }
    return NULL;
}

/* As a transport before a repetition. */
static void rewind_window(struct rank *rank)
{
    struct world *w = rank->world;
    struct source_counter *counter = rank->window.memory;
    if (rank->comm.rank == 0 && w->shared)
        atomic_store(&counter->step, w->table.primed);
    else if (rank->comm.rank == 0)
        window_set_counter(&rank->window, w->table.primed);
    comm_quiet_barrier(&rank->comm);
}

static void run_threads(struct rank *rank)
{
    pthread_t other[THREADS];
    struct thread thread[THREADS];
    for (int t = 0; t < rank->world->threads; t++) {
        thread[t] = (struct thread){rank, t, testing_random(&rank->seed)};
        if (t > 0)
            pthread_create(&other[t], NULL, run_thread, &thread[t]);
    }
    run_thread(&thread[0]);
    for (int t = 1; t < rank->world->threads; t++)
        pthread_join(other[t], NULL);
}

/* Shared memory is zeroed, aligned, and the same for all. */
static void check_memory(struct rank *rank)
{
    _Atomic int64_t *number = rank->window.memory;
    rank->world->wrong += (uintptr_t)number % 128 != 0;
    rank->world->wrong += atomic_fetch_add(number, 1) >= rank->comm.ranks;
    comm_quiet_barrier(&rank->comm);
    rank->world->wrong += atomic_load(number) != rank->comm.ranks;
    comm_quiet_barrier(&rank->comm);
}

/* A counter begins at 0. */
static void check_counter(struct rank *rank)
{
    int64_t step = window_fetch_step(&rank->window);
    rank->world->wrong += step < 0 || step >= rank->comm.ranks;
    comm_quiet_barrier(&rank->comm);
}

static void *run_rank(void *arg)
{
    struct rank *rank = arg;
    const struct world *w = rank->world;
    rank->code = window_open(&rank->window, &rank->comm, w->shared,
                             sizeof(struct source_counter), &rank->err);
    if (rank->code != 0)
        return NULL;
    if (w->shared)
        check_memory(rank);
    else
        check_counter(rank);
    for (int i = 0; i < REPETITIONS; i++) {
        rewind_window(rank);
        run_threads(rank);
        comm_quiet_barrier(&rank->comm);
    }
    window_close(&rank->window);
    return NULL;
}

/* ---- worlds ---- */

static void open_ranks(struct rank *rank, struct world *w, uint64_t seed)
{
    mpi_testing_windows(w->ranks, &seed);
    for (int r = 0; r < w->ranks; r++) {
        rank[r] = (struct rank){.world = w, .seed = testing_random(&seed)};
        rank[r].comm = mpi_testing_rank(r, w->ranks, &rank[r].lock);
        rank[r].comm.one_host = true;
        rank[r].comm.host_ranks = w->ranks;
        rank[r].comm.threaded = w->threads > 1;
        fake_windows.handler[r] = MPI_ERRORS_ARE_FATAL;
    }
}

static void open_table(struct world *w, uint64_t *seed)
{
    struct sched_loop loop = {.iterations = w->iterations,
                              .workers = w->ranks * w->threads};
    const struct sched_ops *ops;
    struct spec spec;
    struct error err = {""};
    uint64_t which =
        testing_random(seed) % (sizeof(schemes) / sizeof(schemes[0]));
    if (sched_parse(schemes[which], &ops, &spec, &err) != 0 ||
        sched_table_build(&w->table, ops, &spec, &loop, 1, &err) != 0)
        fail_msg("%s", err.text);
}

/* Every worker asks once too often, and not for the chunk that is kept for
 * it. */
static void check_counts(const struct world *w)
{
    for (int64_t i = 0; i < w->iterations; i++)
        assert_int_equal(w->ran[i], REPETITIONS);
}

static void run_world(uint64_t seed)
{
    struct rank rank[RANKS];
    struct world w = {.ranks = (int)testing_between(&seed, 1, RANKS),
                      .threads = (int)testing_between(&seed, 1, THREADS),
                      .shared = testing_random(&seed) % 2,
                      .iterations = testing_between(&seed, 1, ITERATIONS)};
    open_table(&w, &seed);
    open_ranks(rank, &w, seed);
    mpi_testing_run(run_rank, rank, w.ranks, sizeof(*rank));
    assert_int_equal(w.wrong, 0);
    check_counts(&w);
    for (int r = 0; r < w.ranks; r++)
        assert_int_equal(rank[r].code, 0);
    assert_int_equal(mpi_testing_left() + mpi_testing_windows_left(), 0);
    mpi_testing_end();
    sched_table_free(&w.table);
}

static void every_iteration_is_handed_out_once(void **unused)
{
    mpi_testing_worlds(__func__, WORLDS, run_world);
}

/* ---- what is refused ---- */

static void one_rank_without_a_window_is_all_of_them(void **unused)
{
    for (int refusing = 0; refusing < RANKS; refusing++) {
        struct rank rank[RANKS];
        struct world w = {.ranks = RANKS, .shared = refusing % 2};
        open_ranks(rank, &w, 1);
        fake_windows.refusing = refusing;
        mpi_testing_run(run_rank, rank, w.ranks, sizeof(*rank));
        for (int r = 0; r < w.ranks; r++) {
            assert_int_equal(rank[r].code, -ENOTSUP);
            assert_non_null(strstr(rank[r].err.text, w.shared
                                                         ? "no shared window"
                                                         : "no rma window"));
            assert_int_equal(fake_windows.handler[r], MPI_ERRORS_ARE_FATAL);
        }
        mpi_testing_end();
    }
}

static void several_hosts_share_no_memory(void **unused)
{
    struct comm comm = {.ranks = 4, .host_ranks = 2};
    struct window window;
    struct error err = {""};
    assert_int_equal(window_open(&window, &comm, true, 8, &err), -ENOTSUP);
    assert_non_null(strstr(err.text, "(2 of 4 are here)"));
}

/* ---- progress ---- */

static void *measure_rank(void *arg)
{
    struct rank *rank = arg;
    rank->code = window_open(&rank->window, &rank->comm, false, 0, &rank->err);
    rank->progress_s = window_measure_progress(&rank->window, 1e-4);
    window_close(&rank->window);
    return NULL;
}

static void what_rank_1_waited_is_known_at_rank_0(void **unused)
{
    for (int ranks = 1; ranks <= 3; ranks++) {
        struct rank rank[RANKS];
        struct world w = {.ranks = ranks};
        open_ranks(rank, &w, (uint64_t)ranks);
        mpi_testing_run(measure_rank, rank, ranks, sizeof(*rank));
        if (ranks == 1) {
            assert_true(rank[0].progress_s == -1);
        } else {
            assert_true(rank[0].progress_s > 0);
            assert_true(rank[0].progress_s == rank[1].progress_s);
        }
        assert_int_equal(mpi_testing_left() + mpi_testing_windows_left(), 0);
        mpi_testing_end();
    }
}

TESTS(cmocka_unit_test(every_iteration_is_handed_out_once),
      cmocka_unit_test(one_rank_without_a_window_is_all_of_them),
      cmocka_unit_test(several_hosts_share_no_memory),
      cmocka_unit_test(what_rank_1_waited_is_known_at_rank_0))
