/* The relay of every rank against an MPI whose messages arrive in random
 * order: random trees, schemes, dedicated and computing masters, node pools,
 * requests ahead, answers that wait for results.  Each iteration runs once, and
 * its result is where results are collected: before the answer, if that
 * waits. */
#include "harness/testing.h"

#include "harness/check/cell_transport.h"
#include "harness/check/setup.h"
#include "harness/messages/mpi_testing.h"
#include "harness/transport/master/relay.h"
#include "sched/schemes/pair.h"

enum { WORLDS = 300, RANKS = 8, REPETITIONS = 2 };

/* Sequences, schemes whose sizes depend on who asks, one that keeps first
 * chunks for its workers, and schemes that learn. */
static const char *const schemes[] = {"ss",     "gss",  "tss",   "wf", "dtss",
                                      "static", "wcss", "awf-b", "af", "awf-e"};

struct world {
    struct cell cell;
    struct tree tree;
    struct sched_pair pair;
    struct sched_loop loop;
    struct sched sched;
    double *power;
    void *memory;
    pthread_barrier_t together;
    int repetition;
    bool first;        /* answer: collected */
    _Atomic int early; /* answers before their results */
    uint64_t seed;
    struct rank *rank;
};

/* A rank with its threads; what it computed, and what was collected there. */
struct rank {
    struct world *world;
    struct comm comm;
    struct engine_lock lock;
    struct relay relay;
    uint64_t *output, *inbox;
    _Atomic(uint8_t) *ran; /* here, and its result needs no message */
};

struct thread {
    struct rank *rank;
    int number;
};

static uint64_t result_of(const struct world *w, int64_t i)
{
    return ((uint64_t)i + 1) * 0x9e3779b97f4a7c15u + (uint64_t)w->repetition;
}

/* Whether the results of this worker stay in its rank. */
static bool keeps(const struct world *w, int worker)
{
    int leaf = w->tree.worker_master[worker];
    if (w->tree.master[leaf].pool)
        leaf = w->tree.master[leaf].parent;
    return w->tree.master[leaf].rank == w->tree.worker_rank[worker];
}

static void compute(struct rank *rank, int worker, struct source *source,
                    const struct chunk *chunk, uint64_t *seed)
{
    struct world *w = rank->world;
    uint64_t *to = keeps(w, worker) ? rank->inbox : rank->output;
    int64_t ahead = chunk->size < source->ahead ? chunk->size : source->ahead;
    for (int64_t i = 0; i < chunk->size; i++) {
        if (i == chunk->size - ahead && source->ask_ahead != NULL)
            source->ask_ahead(source);
        to[chunk->start + i] = result_of(w, chunk->start + i);
        if (keeps(w, worker))
            rank->ran[chunk->start + i]++;
        if (testing_random(seed) % 8 == 0)
            relay_poll(&rank->relay);
    }
}

/* By a worker elsewhere that has got its next chunk. */
static void look_for_results(struct world *w, const struct relay_source *source,
                             const struct chunk *before)
{
    const struct rank *master = &w->rank[w->tree.master[source->leaf].rank];
    bool there = true;
    for (int64_t i = before->start; i < before->start + before->size; i++)
        there = there && master->inbox[i] == result_of(w, i);
    w->early += !there;
}

/* One worker's part of a repetition; thread 0 also stays until all is over. */
static void *run_thread(void *arg)
{
    struct thread *thread = arg;
    struct rank *rank = thread->rank;
    const struct tree *tree = &rank->world->tree;
    int worker = tree->rank_worker[rank->comm.rank] + thread->number;
    uint64_t seed = rank->world->seed ^ (uint64_t)(worker * 2 + 1);
    if (worker < tree->rank_worker[rank->comm.rank + 1]) {
        struct relay_source source;
        struct chunk chunk, before = {0};
        relay_source_open(&source, &rank->relay, worker);
        while (source_next(&source.base, &chunk)) {
            if (rank->world->first && source.master == NULL &&
                source.base.ask_ahead == NULL)
                look_for_results(rank->world, &source, &before);
            before = chunk;
            compute(rank, worker, &source.base, &chunk, &seed);
        }
        relay_leave(&rank->relay);
    }
    if (thread->number == 0)
        relay_finish(&rank->relay);
    return NULL;
}

static void open_rank(struct rank *rank, struct error *err)
{
    struct world *w = rank->world;
    struct relay_setup setup = {.comm = &rank->comm,
                                .tree = &w->tree,
                                .collect = true,
                                .prefetch = w->cell.prefetch,
                                .ahead = 3,
                                .first = w->first,
                                .patience = {.nap_ns = 2000},
                                .scheme = &w->sched,
                                .pair = &w->pair,
                                .iterations = w->loop.iterations,
                                .min_chunk = 1,
                                .output = rank->output,
                                .inbox = rank->inbox,
                                .output_bytes = sizeof(uint64_t)};
    assert_int_equal(relay_open(&rank->relay, &setup, err), 0);
}

static void *run_rank(void *arg)
{
    struct rank *rank = arg;
    struct world *w = rank->world;
    int threads = w->cell.threads;
    pthread_t other[16];
    struct thread thread[16];
    relay_reset(&rank->relay, false);
    pthread_barrier_wait(&w->together);
    relay_listen(&rank->relay);
    for (int t = 0; t < threads; t++) {
        thread[t] = (struct thread){.rank = rank, .number = t};
        if (t > 0)
            pthread_create(&other[t], NULL, run_thread, &thread[t]);
    }
    run_thread(&thread[0]);
    for (int t = 1; t < threads; t++)
        pthread_join(other[t], NULL);
    return NULL;
}

/* ---- a world ---- */

static void random_cell(struct cell *cell, uint64_t *seed)
{
    struct error err;
    do {
        struct hierarchy h = {.node = testing_random(seed) % 2};
        h.levels = (int)testing_between(seed, 0, 2);
        for (int i = 0; i < h.levels; i++)
            h.fan[i] = (int)testing_between(seed, 1, 3);
        cell_defaults(cell, testing_texts());
        cell->kernel = "null";
        cell->scheme = "ss";
        cell->transport = "master";
        char hierarchy[CELL_WORD_MAX];
        hierarchy_format(&h, hierarchy, sizeof(hierarchy));
        cell->hierarchy = cell_keep(cell, hierarchy);
        if (testing_random(seed) % 2)
            cell->master = "dedicated";
        cell->prefetch = testing_random(seed) % 2;
        cell->threads = (int)testing_between(seed, 1, 3);
        cell->ranks = (int)testing_between(seed, 2, RANKS);
    } while (cell_check(cell, &err) != 0);
}

static void open_scheme(struct world *w, const char *text, int64_t iterations)
{
    struct error err;
    assert_int_equal(sched_pair_parse(text, &w->pair, &err), 0);
    w->loop = (struct sched_loop){.iterations = iterations,
                                  .workers = w->tree.workers,
                                  .power = w->power};
    w->memory = malloc(sched_bytes(w->pair.outer, &w->loop));
    assert_non_null(w->memory);
}

static void open_ranks(struct world *w)
{
    size_t n = (size_t)w->loop.iterations;
    struct error err = {""};
    w->rank = calloc((size_t)w->cell.ranks, sizeof(*w->rank));
    assert_non_null(w->rank);
    for (int r = 0; r < w->cell.ranks; r++) {
        struct rank *rank = &w->rank[r];
        *rank = (struct rank){
            .world = w,
            .comm = mpi_testing_rank(r, w->cell.ranks, &rank->lock),
            .output = calloc(n, sizeof(uint64_t)),
            .inbox = calloc(n, sizeof(uint64_t)),
            .ran = calloc(n, 1)};
        rank->comm.posted = 1 + r % 3;
        rank->comm.late = r % 2; /* asks where it listens already, or not */
        rank->comm.threaded = true;
        open_rank(rank, &err);
    }
}

static void close_world(struct world *w)
{
    for (int r = 0; r < w->cell.ranks; r++) {
        relay_close(&w->rank[r].relay);
        free(w->rank[r].output);
        free(w->rank[r].inbox);
        free((void *)w->rank[r].ran);
    }
    free(w->rank);
    free(w->memory);
    free(w->power);
    tree_free(&w->tree);
}

/* ---- one repetition, and what must hold after it ---- */

static void run_together(struct world *w)
{
    struct error err = {""};
    for (int r = 0; r < w->cell.ranks; r++)
        memset((void *)w->rank[r].ran, 0, (size_t)w->loop.iterations);
    assert_int_equal(sched_init(&w->sched, w->memory, w->pair.outer,
                                &w->pair.outer_spec, &w->loop, 1, &err),
                     0);
    pthread_barrier_init(&w->together, NULL, (unsigned)w->cell.ranks);
    mpi_testing_run(run_rank, w->rank, w->cell.ranks, sizeof(*w->rank));
    pthread_barrier_destroy(&w->together);
}

static void check_results(const struct world *w)
{
    size_t n = (size_t)w->loop.iterations;
    uint8_t *seen = calloc(n, 1);
    for (int r = 0; r < w->cell.ranks; r++) {
        const struct rank *rank = &w->rank[r];
        for (size_t i = 0; i < n; i++)
            seen[i] = (uint8_t)(seen[i] + rank->ran[i]);
        int64_t cursor = 0, start, size;
        while (result_collector_next(&rank->relay.results, &cursor, &start,
                                     &size)) {
            for (int64_t i = start; i < start + size; i++) {
                assert_true(rank->inbox[i] == result_of(w, i));
                seen[i]++;
            }
        }
    }
    for (size_t i = 0; i < n; i++)
        assert_int_equal(seen[i], 1);
    free(seen);
}

static void run_world(uint64_t seed)
{
    struct world w = {.seed = seed, .first = testing_random(&seed) % 2};
    random_cell(&w.cell, &seed);
    assert_int_equal(cell_tree_build(&w.cell, &w.tree, NULL), 0);
    w.power = calloc((size_t)w.tree.workers, sizeof(*w.power));
    for (int i = 0; i < w.tree.workers; i++)
        w.power[i] = (double)testing_between(&seed, 1, 4);
    open_scheme(
        &w,
        schemes[testing_random(&seed) % (sizeof(schemes) / sizeof(schemes[0]))],
        testing_scale(&seed, 200));
    mpi_testing_start(seed);
    open_ranks(&w);
    for (w.repetition = 0; w.repetition < REPETITIONS; w.repetition++) {
        run_together(&w);
        check_results(&w);
        assert_int_equal(mpi_testing_left(), 0);
        assert_int_equal(w.early, 0);
    }
    close_world(&w);
    mpi_testing_end();
}

static void every_result_is_collected_once(void **unused)
{
    mpi_testing_worlds(__func__, WORLDS, run_world);
}

TESTS(cmocka_unit_test(every_result_is_collected_once))
