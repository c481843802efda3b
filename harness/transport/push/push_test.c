/* A master that sends load by a plan to ranks of one thread, with an MPI whose
 * messages come in random order.  Plans are random, with and without overlap,
 * dedicated and computing masters, and replanned rounds.  Every chunk arrives
 * once, in the order of the plan and with its data; its results are where they
 * are collected. */
#include "harness/testing.h"

#include "harness/messages/mpi_testing.h"
#include "harness/transport/push/push.h"

enum { WORLDS = 200, RANKS = 6, ITERATIONS = 120, REPETITIONS = 2 };
enum { NUMBERS = 3 /* of an iteration's data, at most */ };

struct world {
    int ranks, workers;
    int worker_rank[RANKS];
    struct tree tree;
    struct push_chunk plan[ITERATIONS];
    int64_t iterations, chunks;
    bool data, overlap, collect, replan;
    struct divisible_worker speed[RANKS];
    struct push_replan rounds;
    int64_t before[ITERATIONS + 1];
    uint64_t store[ITERATIONS * NUMBERS];
    int repetition;
    pthread_barrier_t together;
};

struct rank {
    struct world *world;
    struct comm comm;
    struct input input;
    struct push push;
    uint64_t landing[LANDINGS][ITERATIONS * NUMBERS];
    uint64_t output[ITERATIONS], inbox[ITERATIONS];
    int ran[ITERATIONS];
    uint64_t seed;
    int wrong; /* threads cannot fail a test by themselves */
};

static uint64_t result_of(const struct world *w, int64_t i)
{
    return ((uint64_t)i + 1) * 0x9e3779b97f4a7c15u + (uint64_t)w->repetition;
}

static void check_data(struct rank *rank, const struct push_source *source,
                       const struct chunk *chunk)
{
    const struct world *w = rank->world;
    const int64_t *before = w->before;
    if (w->data && memcmp(source->data, (char *)w->store + before[chunk->start],
                          (size_t)(before[chunk->start + chunk->size] -
                                   before[chunk->start])) != 0)
        rank->wrong++;
}

/* The data must be there from the beginning of the chunk to its end. */
static void compute(struct rank *rank, const struct push_source *source,
                    const struct chunk *chunk)
{
    check_data(rank, source, chunk);
    for (int64_t i = chunk->start; i < chunk->start + chunk->size; i++) {
        rank->output[i] = result_of(rank->world, i);
        rank->ran[i]++;
        if (push_polls(&rank->push) && testing_random(&rank->seed) % 2)
            push_poll(&rank->push);
    }
    check_data(rank, source, chunk);
}

/* The next chunk of a worker in the plan, from *at on. */
static const struct chunk *planned(const struct world *w, int worker,
                                   int64_t *at)
{
    while (*at < w->chunks)
        if (w->plan[(*at)++].worker == worker)
            return &w->plan[*at - 1].chunk;
    return NULL;
}

static void work(struct rank *rank, int worker)
{
    struct push_source source;
    struct chunk chunk;
    int64_t at = 0;
    push_source_open(&source, &rank->push, worker);
    while (source_next(&source.base, &chunk)) {
        const struct chunk *due =
            rank->world->replan ? &chunk : planned(rank->world, worker, &at);
        if (due == NULL || due->start != chunk.start ||
            due->size != chunk.size) {
            rank->wrong++;
            return;
        }
        compute(rank, &source, &chunk);
    }
    rank->wrong +=
        !rank->world->replan && planned(rank->world, worker, &at) != NULL;
}

static void *run_rank(void *arg)
{
    struct rank *rank = arg;
    struct world *w = rank->world;
    push_reset(&rank->push);
    push_listen(&rank->push);
    pthread_barrier_wait(&w->together);
    for (int worker = 0; worker < w->workers; worker++)
        if (w->worker_rank[worker] == rank->comm.rank)
            work(rank, worker);
    push_finish(&rank->push);
    return NULL;
}

/* ---- a world ---- */

static void plan(struct world *w, uint64_t *seed)
{
    int64_t i = 0;
    w->iterations = testing_between(seed, 0, ITERATIONS);
    while (i < w->iterations) {
        int64_t size = testing_between(seed, 1, 12);
        size = size < w->iterations - i ? size : w->iterations - i;
        w->plan[w->chunks++] = (struct push_chunk){
            .worker = (int)testing_between(seed, 0, w->workers - 1),
            .chunk = {.start = i, .size = size}};
        i += size;
    }
    for (i = 0; i < w->iterations; i++)
        w->before[i + 1] = w->before[i] + 8 * testing_between(seed, 0, NUMBERS);
    for (i = 0; i < w->before[w->iterations] / 8; i++)
        w->store[i] = testing_random(seed);
}

/* Rounds over workers of any speed; a round of lp-fixed may be the only one. */
static void plan_anew(struct world *w, bool dedicated, uint64_t *seed)
{
    static const double periods[] = {0, 0, 30, 1e4};
    for (int i = 0; i < w->workers; i++)
        w->speed[i] =
            (struct divisible_worker){.g = dedicated + i > 0 ? 0.1 : 0,
                                      .G = dedicated + i > 0 ? 0.01 * i : 0,
                                      .w = (double)testing_between(seed, 1, 9)};
    w->rounds = (struct push_replan){
        .periods = {.program = DIVISIBLE_SUM_LATENCIES,
                    .period = periods[testing_between(seed, 0, 3)],
                    .adaptive = testing_random(seed) % 2,
                    .replan = true},
        .platform = {.workers = w->workers,
                     .worker = w->speed,
                     .overlap = w->overlap,
                     .own = !dedicated},
        .iterations = w->iterations};
}

/* The master is rank 0; it computes or not. */
static void make_world(struct world *w, uint64_t *seed)
{
    bool dedicated = testing_random(seed) % 2;
    *w = (struct world){.ranks = (int)testing_between(seed, 2, RANKS),
                        .data = testing_random(seed) % 4 > 0,
                        .overlap = testing_random(seed) % 2,
                        .collect = testing_random(seed) % 4 > 0};
    w->workers = w->ranks - dedicated;
    for (int worker = 0; worker < w->workers; worker++)
        w->worker_rank[worker] = worker + dedicated;
    w->tree = (struct tree){.ranks = w->ranks,
                            .workers = w->workers,
                            .worker_rank = w->worker_rank};
    plan(w, seed);
    w->replan = w->iterations > 0 && testing_random(seed) % 2;
    if (w->replan)
        plan_anew(w, dedicated, seed);
}

static void open_rank(struct rank *rank, struct world *w, int r, uint64_t seed)
{
    struct error err = {""};
    memset(rank, 0, sizeof(*rank));
    rank->world = w;
    rank->seed = seed;
    rank->comm = mpi_testing_rank(r, w->ranks, NULL);
    rank->input = (struct input){.before = w->data ? w->before : NULL,
                                 .iterations = w->iterations,
                                 .store = r == 0 ? (char *)w->store : NULL,
                                 .landing = (char *)rank->landing,
                                 .stride = sizeof(rank->landing[0])};
    const struct push_setup setup = {.comm = &rank->comm,
                                     .tree = &w->tree,
                                     .input = &rank->input,
                                     .list = w->plan,
                                     .count = w->chunks,
                                     .replan = w->replan ? &w->rounds : NULL,
                                     .overlap = w->overlap,
                                     .collect = w->collect,
                                     .patience = rank->comm.patience,
                                     .output = rank->output,
                                     .inbox = rank->inbox,
                                     .output_bytes = sizeof(uint64_t)};
    assert_int_equal(push_open(&rank->push, &setup, &err), 0);
}

static void check_results(const struct world *w, const struct rank *rank)
{
    int64_t next = 0;
    for (int64_t c = 0; c < rank[0].push.count; c++) {
        const struct push_chunk *chunk = &rank[0].push.list[c];
        bool collects = push_collects(&rank[0].push, chunk);
        int home = w->worker_rank[chunk->worker];
        const uint64_t *result = collects ? rank[0].inbox : rank[home].output;
        assert_int_equal(collects, w->collect && home != 0);
        assert_int_equal(chunk->chunk.start, next);
        next += chunk->chunk.size;
        for (int64_t i = 0; i < chunk->chunk.size; i++) {
            int64_t at = chunk->chunk.start + i;
            assert_true(result[at] == result_of(w, at));
            for (int r = 0; r < w->ranks; r++)
                assert_int_equal(rank[r].ran[at], r == home);
        }
    }
    assert_int_equal(next, w->iterations);
}

static void run_together(struct world *w, struct rank *rank)
{
    pthread_barrier_init(&w->together, NULL, (unsigned)w->ranks);
    for (int r = 0; r < w->ranks; r++) {
        memset(rank[r].ran, 0, sizeof(rank[r].ran));
        memset(rank[r].output, 0, sizeof(rank[r].output));
    }
    mpi_testing_run(run_rank, rank, w->ranks, sizeof(*rank));
    pthread_barrier_destroy(&w->together);
    for (int r = 0; r < w->ranks; r++)
        assert_int_equal(rank[r].wrong, 0);
    check_results(w, rank);
    assert_int_equal(mpi_testing_left(), 0);
}

static void run_world(uint64_t seed)
{
    static struct rank rank[RANKS];
    static struct world w;
    make_world(&w, &seed);
    mpi_testing_start(seed);
    for (int r = 0; r < w.ranks; r++)
        open_rank(&rank[r], &w, r, testing_random(&seed));
    for (w.repetition = 0; w.repetition < REPETITIONS; w.repetition++)
        run_together(&w, rank);
    for (int r = 0; r < w.ranks; r++)
        push_close(&rank[r].push);
    mpi_testing_end();
}

static void every_chunk_comes_with_its_data(void **unused)
{
    mpi_testing_worlds(__func__, WORLDS, run_world);
}

TESTS(cmocka_unit_test(every_chunk_comes_with_its_data))
