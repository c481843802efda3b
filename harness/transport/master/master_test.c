/* Masters and their pools without messages: random trees, random orders of
 * requests, and a slow messenger.  In every case each iteration is handed out
 * exactly once, primed chunks go to their worker, and an answer "nothing is
 * left" stays true.  Needs no MPI, so that the thread sanitizer can check
 * it. */
#include "harness/testing.h"

#include "harness/check/cell_transport.h"
#include "harness/check/setup.h"
#include "harness/engine/engine.h"
#include "harness/hierarchy/hierarchy.h"
#include "harness/transport/master/cells_testing.h"
#include "harness/transport/master/master.h"
#include "sched/schemes/scheme_registry.h"

enum { ITERATIONS_MAX = 4000, WORKERS_MAX = 150 };

/* Worlds of each scheme; sanitizers take their time. */
#ifdef DLSBENCH_SANITIZED
enum { ROUNDS = 16 };
#else
enum { ROUNDS = 200 };
#endif

/* One loop below a tree of masters, all in this process.  Where `remote` is
 * set, a master and its parent only hear of each other by the messenger. */
struct world {
    struct cell cell;
    struct tree tree;
    struct sched_pair pair; /* inner: two schemes */
    struct range_units units;
    struct sched_loop all, loop; /* of the outer scheme */
    int workers;
    double power[WORKERS_MAX];
    double cost[ITERATIONS_MAX + 1];
    struct sched_table order;
    int64_t min_chunk;
    struct sched sched;
    void *memory;
    struct sched_table table; /* pools below a window */
    struct source_counter counter;
    struct engine_lock lock;
    union {
        struct source base;
        struct source_table table;
        struct source_state state;
    } end[WORKERS_MAX];
    struct source *source[WORKERS_MAX];
    struct master_upstream upstream[WORKERS_MAX * 3]; /* of each master */
    struct master *master;
    bool remote[WORKERS_MAX * 3];
    struct chunk primed[WORKERS_MAX]; /* size 0: none */
    uint8_t ran[ITERATIONS_MAX];
    bool done[WORKERS_MAX];
    struct engine_team *team;
};

static const char *spec_of(const struct sched_ops *ops)
{
    return strcmp(ops->name, "wcss") == 0 ? "wcss:k=5" : ops->name;
}

static bool can_be_half(const struct sched_ops *ops)
{
    return ops->feedback == NULL && ops->available == NULL;
}

static const struct sched_ops *random_half(uint64_t *seed)
{
    int count = 0, pick;
    while (sched_schemes[count] != NULL)
        count++;
    do
        pick = (int)testing_between(seed, 0, count - 1);
    while (!can_be_half(sched_schemes[pick]) || sched_schemes[pick]->order);
    return sched_schemes[pick];
}

/* ---- making a world ---- */

/* The reserved chunks, from a separate state. */
static void find_primed(struct world *w)
{
    struct sched sched;
    if ((w->pair.outer->flags & SCHED_PRIMED) == 0)
        return;
    void *memory = malloc(sched_bytes(w->pair.outer, &w->loop));
    assert_non_null(memory);
    assert_int_equal(sched_init(&sched, memory, w->pair.outer,
                                &w->pair.outer_spec, &w->loop, w->min_chunk,
                                NULL),
                     0);
    for (int i = 0; i < w->loop.workers; i++)
        if (!sched_take_primed(&sched, i, &w->primed[i]))
            w->primed[i].size = 0;
    free(memory);
}

static void choose_schemes(struct world *w, const struct sched_ops *ops,
                           bool two, uint64_t *seed)
{
    struct error err = {""};
    char text[128];
    snprintf(text, sizeof(text), "%s", spec_of(ops));
    if (two && w->tree.count > 1 && can_be_half(ops))
        snprintf(text, sizeof(text), "%s/%s", spec_of(ops),
                 spec_of(random_half(seed)));
    if (sched_pair_parse(text, &w->pair, &err) != 0)
        fail_msg("%s", err.text);
}

static void make_loop(struct world *w, bool unequal, uint64_t *seed)
{
    struct error err = {""};
    w->workers = w->tree.workers;
    for (int i = 0; i < w->workers; i++)
        w->power[i] = unequal ? (double)testing_between(seed, 1, 8) / 2 : 1;
    w->loop =
        (struct sched_loop){.iterations = testing_scale(seed, ITERATIONS_MAX),
                            .workers = w->workers,
                            .power = w->power,
                            .cost = w->cost,
                            .order = &w->order};
    testing_costs(w->cost, w->loop.iterations, seed);
    w->all = w->loop;
    if (w->pair.inner != NULL) {
        assert_int_equal(range_units_open(&w->units, &w->tree, 0, w->power), 0);
        w->loop.workers = w->units.count;
        w->loop.power = w->units.power;
    }
    w->min_chunk = testing_between(seed, 1, 5);
    w->memory = malloc(sched_bytes(w->pair.outer, &w->loop));
    assert_non_null(w->memory);
    testing_order(&w->order, w->pair.outer, &w->pair.outer_spec, &w->loop,
                  w->min_chunk);
    if (sched_init(&w->sched, w->memory, w->pair.outer, &w->pair.outer_spec,
                   &w->loop, w->min_chunk, &err) != 0)
        fail_msg("%s: %s", w->pair.canonical, err.text);
    if (w->pair.inner == NULL)
        find_primed(w);
}

/* As the relay does; masters on other ranks are remote. */
static void open_masters(struct world *w)
{
    w->master = calloc((size_t)w->tree.count, sizeof(*w->master));
    assert_non_null(w->master);
    for (int m = 0; m < w->tree.count; m++) {
        const struct tree_master *place = &w->tree.master[m];
        if (place->rank < 0)
            continue;
        assert_int_equal(master_open(&w->master[m], &w->tree, m), 0);
        if (w->pair.inner != NULL && place->parent < 0)
            w->master[m].units = &w->units;
        else if (w->pair.inner != NULL)
            assert_int_equal(master_open_range(&w->master[m], &w->tree,
                                               &w->pair, &w->all, w->min_chunk,
                                               NULL),
                             0);
        master_reset(&w->master[m], false);
        if (place->parent < 0)
            w->master[m].scheme = &w->sched;
        else if (w->tree.master[place->parent].rank == place->rank)
            w->master[m].parent = &w->master[place->parent];
        else
            w->remote[m] = place->rank >= 0;
    }
}

/* Pools below a window: each worker's end of a table, or of the state where
 * the powers matter. */
static void open_window(struct world *w)
{
    struct error err = {""};
    const struct sched_ops *ops = w->pair.outer;
    bool table = sched_has_sequence(ops, &w->pair.outer_spec, &w->loop);
    if (table && sched_table_build(&w->table, ops, &w->pair.outer_spec,
                                   &w->loop, w->min_chunk, &err) != 0)
        fail_msg("%s: %s", ops->name, err.text);
    atomic_store(&w->counter.step, w->table.primed);
    for (int i = 0; i < w->loop.workers; i++) {
        w->source[i] = &w->end[i].base;
        if (table)
            source_table_open(&w->end[i].table, i, &w->table, &w->counter);
        else
            source_state_open(&w->end[i].state, i, &w->sched, &w->lock, false,
                              0);
    }
    for (int m = 1; m < w->tree.count; m++) {
        bool two = w->pair.inner != NULL;
        struct master *master = &w->master[m];
        w->upstream[m] = (struct master_upstream){
            .source = w->source + (two ? m - 1 : master->first_worker),
            .sources = two ? 1 : master->workers,
            .primed = table ? w->table.primed : w->sched.head->kept};
        master->upstream = &w->upstream[m];
        w->remote[m] = false;
    }
}

static struct world *make_world(const char *transport,
                                const struct sched_ops *ops, bool unequal,
                                bool two, uint64_t *seed)
{
    struct world *w = calloc(1, sizeof(*w));
    bool window = strcmp(transport, "window") == 0;
    assert_non_null(w);
    do {
        tree_free(&w->tree);
        random_cell(&w->cell, transport, WORKERS_MAX, seed);
        assert_int_equal(cell_tree_build(&w->cell, &w->tree, NULL), 0);
    } while (w->tree.workers > WORKERS_MAX || (window && w->tree.count < 2));
    choose_schemes(w, ops, two, seed);
    make_loop(w, unequal, seed);
    open_masters(w);
    if (window)
        open_window(w);
    return w;
}

static void free_world(struct world *w)
{
    for (int m = 0; m < w->tree.count; m++)
        master_close(&w->master[m]);
    sched_table_free(&w->table);
    sched_table_free(&w->order);
    free(w->master);
    free(w->memory);
    range_units_close(&w->units);
    tree_free(&w->tree);
    free(w);
}

static void wrong(const struct world *w, const char *what, int64_t number)
{
    fail_msg("%s %" PRId64 ": %s, %s %dx%d %s %s, I=%" PRId64, what, number,
             w->pair.canonical, w->cell.transport, w->cell.ranks,
             w->cell.threads, w->cell.hierarchy, w->cell.master,
             w->loop.iterations);
}

static void run_chunk(struct world *w, int worker, const struct chunk *chunk)
{
    if (chunk->size < 1 || chunk->start < 0 ||
        chunk->start + chunk->size > w->loop.iterations)
        wrong(w, "no such chunk", chunk->step);
    for (int64_t i = chunk->start; i < chunk->start + chunk->size; i++)
        if (w->ran[i]++ != 0)
            wrong(w, "ran twice: iteration", i);
    for (int v = 0; v < w->workers; v++)
        if (w->primed[v].size > 0 && w->primed[v].start == chunk->start &&
            v != worker)
            wrong(w, "primed chunk of another: worker", worker);
}

static enum master_answer ask(struct world *w, int worker, struct chunk *chunk)
{
    enum master_answer answer =
        master_take(&w->master[w->tree.worker_master[worker]], worker, chunk);
    if (w->done[worker] && answer != MASTER_DONE)
        wrong(w, "something after nothing: worker", worker);
    if (answer == MASTER_DONE)
        w->done[worker] = true;
    return answer;
}

static void pools_have_room(const struct world *w)
{
    for (int m = 0; m < w->tree.count; m++) {
        const struct task_pool *pool = &w->master[m].pool;
        if (pool->count > pool->room || pool->reserved > pool->count)
            wrong(w, "pool overrun: master", m);
    }
}

static void all_ran(const struct world *w)
{
    for (int64_t i = 0; i < w->loop.iterations; i++)
        if (w->ran[i] != 1)
            wrong(w, "never ran: iteration", i);
    for (int m = 0; m < w->tree.count; m++)
        if (w->master[m].pool.count != 0)
            wrong(w, "tasks left at master", m);
}

/* ---- one process, one thread ---- */

/* Some ask often, some rarely. */
static int random_worker(const struct world *w, uint64_t *seed)
{
    if (testing_random(seed) % 2)
        return (int)testing_between(seed, 0, (w->workers - 1) / 3);
    return (int)testing_between(seed, 0, w->workers - 1);
}

static void ask_until_done(struct world *w, uint64_t *seed)
{
    struct chunk chunk;
    int left = w->workers;
    while (left > 0) {
        int worker = random_worker(w, seed);
        bool before = w->done[worker];
        enum master_answer answer = ask(w, worker, &chunk);
        if (answer == MASTER_LATER)
            wrong(w, "later, without anybody above: worker", worker);
        if (answer == MASTER_CHUNK)
            run_chunk(w, worker, &chunk);
        left -= !before && w->done[worker];
        pools_have_room(w);
    }
    all_ran(w);
}

static void every_scheme(const char *transport, int rounds,
                         void (*drive)(struct world *w, uint64_t *seed),
                         uint64_t *seed)
{
    for (int round = 0; round < rounds; round++) {
        for (int s = 0; sched_schemes[s] != NULL; s++) {
            struct world *w = make_world(transport, sched_schemes[s], round % 2,
                                         round % 3 == 1, seed);
            drive(w, seed);
            free_world(w);
        }
    }
}

static void trees_in_one_process(void **unused)
{
    uint64_t seed = testing_say_seed(__func__);
    every_scheme("shared", ROUNDS, ask_until_done, &seed);
}

static void pools_below_a_window(void **unused)
{
    uint64_t seed = testing_say_seed(__func__);
    every_scheme("window", ROUNDS, ask_until_done, &seed);
}

/* ---- many ranks, and a messenger ---- */

enum { MESSAGES_MAX = 1000 };

/* A question on its way up, waiting there, or an answer on its way down. */
struct message {
    int master; /* the asking worker */
    bool answer;
    int count;
    struct task task[WORKERS_MAX];
};

struct traffic {
    struct world *w;
    uint64_t *seed;
    struct message *message[MESSAGES_MAX];
    int count;
    bool waits[WORKERS_MAX * 3]; /* its question waits for a refill */
};

static void send(struct traffic *traffic, int m, const struct message *answer)
{
    struct message *message = calloc(1, sizeof(*message));
    assert_non_null(message);
    assert_true(traffic->count < MESSAGES_MAX);
    if (answer != NULL)
        *message = *answer;
    message->master = m;
    traffic->message[traffic->count++] = message;
}

static void collect_questions(struct traffic *traffic)
{
    struct world *w = traffic->w;
    for (int m = 0; m < w->tree.count; m++) {
        if (!atomic_exchange(&w->master[m].must_ask, false))
            continue;
        if (!w->remote[m])
            wrong(w, "asks by message, but its parent is here: master", m);
        for (int i = 0; i < traffic->count; i++)
            if (traffic->message[i]->master == m)
                wrong(w, "asks twice: master", m);
        if (traffic->waits[m])
            wrong(w, "asks twice: master", m);
        send(traffic, m, NULL);
    }
}

static void answer_question(struct traffic *traffic, int m)
{
    struct world *w = traffic->w;
    const struct tree_master *place = &w->tree.master[m];
    struct message answer = {.answer = true};
    enum master_answer got =
        master_take_batch(&w->master[place->parent], place->first_worker,
                          place->workers, answer.task, &answer.count);
    traffic->waits[m] = got == MASTER_LATER;
    if (got == MASTER_LATER)
        return;
    if ((got == MASTER_CHUNK) != (answer.count > 0) ||
        answer.count > place->workers)
        wrong(w, "a batch of the wrong size: master", m);
    for (int i = 0; i < answer.count; i++)
        if (answer.task[i].reserved &&
            (answer.task[i].worker < place->first_worker ||
             answer.task[i].worker >= place->first_worker + place->workers))
            wrong(w, "a primed chunk on the way to the wrong master", m);
    send(traffic, m, &answer);
}

static void deliver(struct traffic *traffic)
{
    struct world *w = traffic->w;
    int i = (int)testing_between(traffic->seed, 0, traffic->count - 1);
    struct message *message = traffic->message[i];
    traffic->message[i] = traffic->message[--traffic->count];
    if (!message->answer) {
        answer_question(traffic, message->master);
    } else {
        master_fill(&w->master[message->master], message->task, message->count);
        pools_have_room(w);
        /* Waiters in the same rank look again, as in the relay. */
        int rank = w->tree.master[message->master].rank;
        for (int m = 1; m < w->tree.count; m++)
            if (traffic->waits[m] &&
                w->tree.master[w->tree.master[m].parent].rank == rank)
                answer_question(traffic, m);
    }
    free(message);
    collect_questions(traffic);
}

/* Nobody may wait for something that is not on its way. */
static void everybody_waits(struct traffic *traffic, bool *stuck)
{
    struct chunk chunk;
    *stuck = true;
    for (int v = 0; v < traffic->w->workers; v++) {
        enum master_answer answer =
            traffic->w->done[v] ? MASTER_LATER : ask(traffic->w, v, &chunk);
        if (answer == MASTER_CHUNK)
            run_chunk(traffic->w, v, &chunk);
        *stuck = *stuck && answer == MASTER_LATER;
    }
    collect_questions(traffic);
    *stuck = *stuck && traffic->count == 0;
}

static void step(struct traffic *traffic)
{
    struct world *w = traffic->w;
    struct chunk chunk;
    int worker = random_worker(w, traffic->seed);
    enum master_answer answer = ask(w, worker, &chunk);
    if (answer == MASTER_CHUNK)
        run_chunk(w, worker, &chunk);
    if (testing_random(traffic->seed) % 4 == 0)
        master_ask_ahead(
            &w->master[w->tree.worker_master[random_worker(w, traffic->seed)]]);
    collect_questions(traffic);
    pools_have_room(w);
}

static bool all_done(const struct world *w)
{
    for (int v = 0; v < w->workers; v++)
        if (!w->done[v])
            return false;
    return true;
}

static void ask_by_messages(struct world *w, uint64_t *seed)
{
    struct traffic *traffic = calloc(1, sizeof(*traffic));
    assert_non_null(traffic);
    traffic->w = w;
    traffic->seed = seed;
    int delay = (int)testing_between(seed, 1, 20), quiet = 0;
    while (!all_done(w)) {
        step(traffic);
        if (traffic->count > 0 && testing_between(seed, 1, delay) == 1)
            deliver(traffic);
        bool stuck = false;
        if (traffic->count == 0 && ++quiet % 16 == 0)
            everybody_waits(traffic, &stuck);
        if (stuck && !all_done(w))
            wrong(w, "all wait for ever, workers:", w->workers);
    }
    /* Questions asked ahead are still answered: there is no more. */
    while (traffic->count > 0)
        deliver(traffic);
    for (int m = 0; m < w->tree.count; m++)
        if (traffic->waits[m])
            wrong(w, "a question was never answered: master", m);
    for (int v = 0; v < 2 * w->workers; v++)
        step(traffic);
    assert_int_equal(traffic->count, 0);
    all_ran(w);
    free(traffic);
}

static void trees_over_slow_messages(void **unused)
{
    uint64_t seed = testing_say_seed(__func__);
    every_scheme("master", ROUNDS, ask_by_messages, &seed);
}

/* ---- threads ---- */

static const struct engine_patience patience = {.spin_s = 1e-4};

/* Thread t asks for the workers t, t + threads, ... */
static void ask_in_team(int thread, void *arg)
{
    struct world *w = arg;
    uint64_t seed = testing_seed() + (uint64_t)thread;
    enum { THREADS = 4 };
    engine_team_barrier(w->team, &patience);
    bool more = true;
    while (more) {
        more = false;
        for (int v = thread; v < w->workers; v += THREADS) {
            struct chunk chunk;
            int times = (int)testing_between(&seed, 1, 3);
            enum master_answer answer = MASTER_CHUNK;
            for (int i = 0; i < times && answer == MASTER_CHUNK; i++)
                if ((answer = ask(w, v, &chunk)) == MASTER_CHUNK)
                    run_chunk(w, v, &chunk);
            more = more || answer == MASTER_CHUNK;
        }
    }
}

static void ask_from_threads(struct world *w, uint64_t *seed)
{
    (void)seed;
    assert_int_equal(engine_team_start(&w->team, 4, NULL), 0);
    engine_team_run(w->team, ask_in_team, w);
    engine_team_stop(w->team);
    for (int v = 0; v < w->workers; v++)
        assert_true(w->done[v]);
    all_ran(w);
}

static void trees_asked_by_threads(void **unused)
{
    uint64_t seed = testing_say_seed(__func__);
    every_scheme("shared", 1 + ROUNDS / 20, ask_from_threads, &seed);
    every_scheme("window", 1 + ROUNDS / 20, ask_from_threads, &seed);
}

/* ---- the order in a pool ---- */

static struct task task(int64_t step, int worker, bool reserved)
{
    return (struct task){
        .chunk = {.start = 10 * step, .size = 10, .step = step},
        .worker = worker,
        .reserved = reserved};
}

static void takes(struct master *master, int worker, int64_t step)
{
    struct chunk chunk;
    assert_int_equal(master_take(master, worker, &chunk), MASTER_CHUNK);
    assert_int_equal(chunk.step, step);
}

static void pools_are_first_in_first_out(void **unused)
{
    struct cell cell;
    struct tree tree;
    struct master master;
    struct chunk chunk;
    cell_defaults(&cell, testing_texts());
    cell.transport = "master";
    cell.hierarchy = "1";
    cell.ranks = 4;
    assert_int_equal(cell_tree_build(&cell, &tree, NULL), 0);
    assert_int_equal(master_open(&master, &tree, 1), 0);
    for (int round = 0; round < 2; round++) {
        master_reset(&master, false);
        assert_int_equal(master_take(&master, 1, &chunk), MASTER_LATER);
        assert_true(atomic_exchange(&master.must_ask, false));
        assert_int_equal(master_take(&master, 2, &chunk), MASTER_LATER);
        assert_false(atomic_load(&master.must_ask)); /* one question */
        const struct task first[] = {task(0, 3, true), task(1, 1, false),
                                     task(2, 2, true), task(3, 0, false)};
        master_fill(&master, first, 4);
        master_ask_ahead(&master);
        assert_false(atomic_load(&master.must_ask)); /* not empty */
        takes(&master, 0, 1); /* the first unreserved one */
        takes(&master, 2, 2); /* its own before others */
        takes(&master, 2, 3);
        assert_int_equal(master_take(&master, 2, &chunk), MASTER_LATER);
        assert_true(atomic_exchange(&master.must_ask, false));
        const struct task second[] = {task(4, 0, false), task(5, 1, false),
                                      task(6, 2, false), task(7, 1, true)};
        master_fill(&master, second, 4);
        takes(&master, 1, 7); /* earlier ones stay in order */
        takes(&master, 1, 4);
        takes(&master, 3, 0); /* kept all the time */
        takes(&master, 3, 5);
        takes(&master, 3, 6);
        master_ask_ahead(&master);
        assert_true(atomic_exchange(&master.must_ask, false));
        master_fill(&master, NULL, 0);
        for (int v = 0; v < 4; v++)
            assert_int_equal(master_take(&master, v, &chunk), MASTER_DONE);
        master_ask_ahead(&master);
        assert_false(atomic_load(&master.must_ask));
    }
    master_close(&master);
    tree_free(&tree);
}

TESTS(cmocka_unit_test(pools_are_first_in_first_out),
      cmocka_unit_test(trees_in_one_process),
      cmocka_unit_test(pools_below_a_window),
      cmocka_unit_test(trees_over_slow_messages),
      cmocka_unit_test(trees_asked_by_threads))
