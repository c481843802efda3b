/* Stealing between ranks, with an MPI whose messages arrive in random order.
 * For any number of ranks and threads and any requests, each iteration is
 * handed out exactly once.  The end comes, and no message is under way after
 * it. */
#include "harness/testing.h"

#include "harness/messages/mpi_testing.h"
#include "harness/transport/steal/steal.h"
#include "sched/schemes/scheme_registry.h"

enum { WORLDS = 200, RANKS = 7, THREADS = 3, ITERATIONS = 400 };
enum { REPETITIONS = 2 };

static const char *const schemes[] = {"ss", "gss", "css:chunk=3", "tss"};

struct world {
    int ranks, threads, workers;
    int rank_worker[RANKS + 1], worker_rank[RANKS * THREADS];
    struct tree tree;
    const struct sched_ops *ops;
    struct spec spec;
    struct sched_loop loop;
    double power[RANKS * THREADS];
    struct steal_loop steal_loop;
    _Atomic(uint8_t) ran[ITERATIONS];
    pthread_barrier_t together;
};

struct rank {
    struct world *world;
    struct comm comm;
    struct engine_lock lock;
    struct steal steal;
    struct steal_source source[THREADS];
    uint64_t seed;
};

struct thread {
    struct rank *rank;
    int number;
};

/* Thread 0 answers others while it computes; it is the last that leaves. */
static void *run_thread(void *arg)
{
    struct thread *thread = arg;
    struct rank *rank = thread->rank;
    uint64_t seed = rank->seed + (uint64_t)thread->number;
    struct chunk chunk;
    while (source_next(&rank->source[thread->number].base, &chunk)) {
        for (int64_t i = chunk.start; i < chunk.start + chunk.size; i++) {
            rank->world->ran[i]++;
            if (thread->number == 0 && testing_random(&seed) % 4 == 0)
                steal_poll(&rank->steal);
        }
    }
    return NULL;
}

static void *run_rank(void *arg)
{
    struct rank *rank = arg;
    struct world *w = rank->world;
    int first = w->rank_worker[rank->comm.rank];
    pthread_t other[THREADS];
    struct thread thread[THREADS];
    steal_reset(&rank->steal);
    for (int t = 0; t < w->threads; t++)
        steal_source_open(&rank->source[t], &rank->steal, first + t);
    steal_listen(&rank->steal);
    pthread_barrier_wait(&w->together);
    for (int t = 0; t < w->threads; t++) {
        thread[t] = (struct thread){.rank = rank, .number = t};
        if (t > 0)
            pthread_create(&other[t], NULL, run_thread, &thread[t]);
    }
    run_thread(&thread[0]);
    for (int t = 1; t < w->threads; t++)
        pthread_join(other[t], NULL);
    steal_finish(&rank->steal);
    return NULL;
}

/* ---- a world ---- */

static void make_world(struct world *w, uint64_t *seed)
{
    struct error err = {""};
    *w = (struct world){.ranks = (int)testing_between(seed, 2, RANKS),
                        .threads = (int)testing_between(seed, 1, THREADS)};
    w->workers = w->ranks * w->threads;
    for (int r = 0; r <= w->ranks; r++)
        w->rank_worker[r] = r * w->threads;
    for (int i = 0; i < w->workers; i++) {
        w->worker_rank[i] = i / w->threads;
        /* Shares may be empty. */
        w->power[i] = (double)testing_between(seed, 1, 100);
    }
    w->tree = (struct tree){.ranks = w->ranks,
                            .threads = w->threads,
                            .workers = w->workers,
                            .rank_worker = w->rank_worker,
                            .worker_rank = w->worker_rank};
    w->loop =
        (struct sched_loop){.iterations = testing_between(seed, 1, ITERATIONS),
                            .workers = w->workers,
                            .power = w->power};
    const char *scheme =
        schemes[testing_random(seed) % (sizeof(schemes) / sizeof(schemes[0]))];
    assert_int_equal(sched_parse(scheme, &w->ops, &w->spec, &err), 0);
    const struct steal_choice choice = {.scheme = w->ops,
                                        .spec = &w->spec,
                                        .min_chunk =
                                            testing_between(seed, 1, 3),
                                        .seed = testing_random(seed)};
    if (steal_loop_open(&w->steal_loop, &w->loop, &w->tree, &choice, &err) != 0)
        fail_msg("%s of %" PRId64 ": %s", scheme, w->loop.iterations, err.text);
}

static void open_rank(struct rank *rank, struct world *w, int r, uint64_t seed)
{
    struct error err = {""};
    memset(rank, 0, sizeof(*rank));
    rank->world = w;
    rank->seed = seed;
    rank->comm = mpi_testing_rank(r, w->ranks, &rank->lock);
    rank->comm.threaded = true;
    assert_int_equal(steal_open(&rank->steal, &w->steal_loop, &rank->comm,
                                &w->tree, &rank->comm.patience, &err),
                     0);
}

static void check(const struct world *w, const struct rank *rank)
{
    int64_t received = 0, given = 0;
    for (int64_t i = 0; i < w->loop.iterations; i++)
        assert_int_equal(w->ran[i], 1);
    for (int r = 0; r < w->ranks; r++) {
        received += rank[r].steal.ranks.received;
        given += rank[r].steal.ranks.given;
        assert_int_equal(rank[r].steal.loaded, 0);
    }
    assert_int_equal(received, given);
    assert_int_equal(mpi_testing_left(), 0);
}

static void run_together(struct world *w, struct rank *rank)
{
    memset((void *)w->ran, 0, sizeof(w->ran));
    pthread_barrier_init(&w->together, NULL, (unsigned)w->ranks);
    mpi_testing_run(run_rank, rank, w->ranks, sizeof(*rank));
    pthread_barrier_destroy(&w->together);
    check(w, rank);
}

static void run_world(uint64_t seed)
{
    static struct rank rank[RANKS];
    static struct world w;
    make_world(&w, &seed);
    mpi_testing_start(seed);
    for (int r = 0; r < w.ranks; r++)
        open_rank(&rank[r], &w, r, testing_random(&seed));
    for (int i = 0; i < REPETITIONS; i++)
        run_together(&w, rank);
    for (int r = 0; r < w.ranks; r++)
        steal_close(&rank[r].steal);
    steal_loop_close(&w.steal_loop);
    mpi_testing_end();
}

static void every_iteration_runs_once(void **unused)
{
    mpi_testing_worlds(__func__, WORLDS, run_world);
}

TESTS(cmocka_unit_test(every_iteration_runs_once))
