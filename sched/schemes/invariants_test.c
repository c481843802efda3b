/* Properties of every scheme for any loop: random iterations, workers, powers,
 * minimum chunks, keys and orders of requests.  DLSBENCH_SEED sets the first
 * seed; a failure prints the seed of its case. */
#include "sched/schemes/cases_testing.h"

#include <errno.h>

enum {
    CASES = 150,       /* per scheme */
    STEPS_MAX = 20000, /* longer sequences are checked that far */
};

/* The chunks of one run by their step. */
struct sequence {
    int64_t steps;
    bool complete; /* nothing is left for anybody */
    struct chunk chunk[STEPS_MAX + WORKERS_MAX];
    bool taken[STEPS_MAX + WORKERS_MAX];
};

#define FAIL_CASE(c, ...)                                                      \
    do {                                                                       \
        print_error("seed %" PRIu64 ": %s, I = %" PRId64 ", p = %d, minimum "  \
                    "chunk %" PRId64 ", powers %s: ",                          \
                    (c)->seed, (c)->text, (c)->loop.iterations,                \
                    (c)->loop.workers, (c)->min_chunk,                         \
                    (c)->equal ? "equal" : "unequal");                         \
        print_error(__VA_ARGS__);                                              \
        print_error("\n");                                                     \
        fail();                                                                \
    } while (0)

/* ---- one run ---- */

static void record(const struct test_case *c, struct sequence *s,
                   const struct chunk *chunk)
{
    if (chunk->step < 0 || chunk->step >= STEPS_MAX + WORKERS_MAX ||
        s->taken[chunk->step])
        FAIL_CASE(c, "step %" PRId64 " is given twice or out of range",
                  chunk->step);
    s->taken[chunk->step] = true;
    s->chunk[chunk->step] = *chunk;
    s->steps++;
}

/* Asks every worker until nothing is left for it; workers with a reserved chunk
 * still get that one. */
static void drain(const struct test_case *c, struct sched *sched,
                  struct sequence *s)
{
    struct chunk chunk;
    for (int j = 0; j < c->loop.workers; j++)
        while (s->steps < STEPS_MAX && sched_next(sched, j, &chunk))
            record(c, s, &chunk);
    if (s->steps >= STEPS_MAX)
        return;
    s->complete = true;
    for (int j = 0; j < c->loop.workers; j++)
        for (int again = 0; again < 2; again++)
            if (sched_next(sched, j, &chunk))
                FAIL_CASE(c, "a chunk for worker %d after the end", j);
}

/* Moves the loop to other memory: the state must be flat. */
static void move(struct testing_loop *t)
{
    void *copy = malloc(t->bytes);
    assert_non_null(copy);
    memcpy(copy, t->memory, t->bytes);
    memset(t->memory, 0xa5, t->bytes);
    free(t->memory);
    t->memory = copy;
    t->sched.head = copy;
}

/* Times of any size, some of none, for chunks that may be another's. */
static void tell_anything(struct testing_loop *t, uint64_t *random, int worker,
                          int64_t size)
{
    double time = ldexp((double)testing_between(random, -1, 1000),
                        (int)testing_between(random, -60, 60));
    if (testing_between(random, 0, 3) > 0)
        sched_feedback(&t->sched, worker, size, time);
}

/* Requests in a random order by `order`.  Every worker asks once at the start,
 * so that no primed chunk is missing when the run is cut short.  tells: schemes
 * that learn get times. */
static void run(const struct test_case *c, uint64_t order, bool moves,
                bool tells, struct sequence *s)
{
    struct testing_loop t;
    struct chunk chunk;
    int64_t asked = 0;
    int last = c->loop.workers - 1;
    memset(s, 0, sizeof(*s));
    testing_open(&t, c->text, &c->loop, c->min_chunk);
    while (s->steps < STEPS_MAX) {
        int worker = asked < c->loop.workers
                         ? (int)asked
                         : (int)testing_between(&order, 0, last);
        asked++;
        if (moves && asked % 7 == 3)
            move(&t);
        if (sched_next(&t.sched, worker, &chunk)) {
            record(c, s, &chunk);
            if (tells)
                tell_anything(&t, &order, worker, chunk.size);
        } else if (asked > c->loop.workers)
            break;
    }
    drain(c, &t.sched, s);
    testing_close(&t);
}

/* ---- what must hold ---- */

static int by_start(const void *a, const void *b)
{
    const struct chunk *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* A copy whose chunks ascend, to be freed. */
static const struct sequence *in_order(const struct sequence *s)
{
    struct sequence *copy = malloc(sizeof(*copy));
    assert_non_null(copy);
    *copy = *s;
    qsort(copy->chunk, (size_t)s->steps, sizeof(*s->chunk), by_start);
    return copy;
}

static void check_cover(const struct test_case *c, const struct sequence *s)
{
    int64_t start = 0;
    if (c->ops->order != NULL)
        s = in_order(s);
    for (int64_t i = 0; i < s->steps; i++) {
        const struct chunk *chunk = &s->chunk[i];
        if (!s->taken[i] || chunk->start != start)
            FAIL_CASE(c, "step %" PRId64 " does not start at %" PRId64, i,
                      start);
        bool last = chunk->start + chunk->size == c->loop.iterations;
        if (chunk->size < 1 || (chunk->size < c->min_chunk && !last))
            FAIL_CASE(c, "step %" PRId64 " has size %" PRId64, i, chunk->size);
        start += chunk->size;
    }
    if (start > c->loop.iterations ||
        (s->complete && start != c->loop.iterations))
        FAIL_CASE(c, "%" PRId64 " iterations are handed out", start);
    if (c->ops->order != NULL)
        free((void *)s);
}

static void check_same(const struct test_case *c, const struct sequence *a,
                       const struct sequence *b, const char *what)
{
    if (a->steps != b->steps || a->complete != b->complete)
        FAIL_CASE(c, "%s: %" PRId64 " and %" PRId64 " steps", what, a->steps,
                  b->steps);
    for (int64_t i = 0; i < a->steps; i++)
        if (a->chunk[i].size != b->chunk[i].size)
            FAIL_CASE(c, "%s: step %" PRId64 " differs", what, i);
}

static void check_ranks(const struct test_case *c,
                        const struct sched_table *table)
{
    if ((c->ops->flags & SCHED_PRIMED) == 0) {
        assert_null(table->rank);
        assert_int_equal(table->primed, 0);
        return;
    }
    struct testing_loop t;
    struct chunk chunk;
    testing_open(&t, c->text, &c->loop, c->min_chunk);
    for (int j = 0; j < c->loop.workers; j++) {
        bool some = sched_take_primed(&t.sched, j, &chunk);
        int64_t rank = some ? chunk.step : -1;
        if (table->rank[j] != rank || rank >= table->primed)
            FAIL_CASE(c, "worker %d has rank %d, not %" PRId64, j,
                      table->rank[j], rank);
    }
    testing_close(&t);
}

static void check_table(const struct test_case *c, const struct sequence *s)
{
    struct sched_table table;
    struct spec spec;
    const struct sched_ops *ops;
    assert_int_equal(sched_parse(c->text, &ops, &spec, NULL), 0);
    int code =
        sched_table_build(&table, ops, &spec, &c->loop, c->min_chunk, NULL);
    bool by_power = (sched_flags(ops, &spec) & SCHED_BY_POWER) != 0;
    if (ops->feedback != NULL || (by_power && !c->equal)) {
        assert_int_equal(code, -ENOTSUP);
        return;
    }
    if (code == -E2BIG && !s->complete)
        return;
    if (code != 0)
        FAIL_CASE(c, "no table: %d", code);
    if (s->complete ? table.steps != s->steps : table.steps < s->steps)
        FAIL_CASE(c, "the table has %" PRId64 " steps", table.steps);
    for (int64_t i = 0; i < s->steps; i++) {
        struct chunk chunk = sched_table_chunk(&table, i);
        if (chunk.start != s->chunk[i].start || chunk.step != i ||
            (i < table.steps - 1 && chunk.size != s->chunk[i].size))
            FAIL_CASE(c, "step %" PRId64 " of the table differs", i);
    }
    struct chunk last = sched_table_chunk(&table, table.steps - 1);
    assert_true(ops->order != NULL ||
                last.start + last.size == c->loop.iterations);
    assert_true(last.size >= 1);
    check_ranks(c, &table);
    sched_table_free(&table);
}

static void every_scheme_keeps_its_invariants(void **unused)
{
    struct test_case *c = malloc(sizeof(*c));
    struct sequence *one = malloc(sizeof(*one));
    struct sequence *other = malloc(sizeof(*other));
    for (int i = 0; sched_schemes[i] != NULL; i++) {
        for (uint64_t n = 0; n < CASES; n++) {
            random_case(c, sched_schemes[i], testing_seed() + n);
            run(c, 1, false, false, one);
            check_cover(c, one);
            check_table(c, one);
            run(c, 1, true, false, other);
            check_same(c, one, other, "moved while it runs");
            run(c, 2, false, false, other);
            check_cover(c, other);
            if (c->ops->feedback == NULL) {
                if (c->equal)
                    check_same(c, one, other, "another order, equal powers");
                continue;
            }
            run(c, 3, false, true, one);
            check_cover(c, one);
            run(c, 3, true, true, other);
            check_same(c, one, other, "moved while it learns");
        }
    }
    free(c);
    free(one);
    free(other);
}

/* With equal powers the weighted schemes equal the plain ones; so do the ones
 * that measure weights, until the first report. */
static void equal_powers_give_the_plain_scheme(void **unused)
{
    static const char *const pair[][2] = {
        {"wf", "fss"},  {"dfss", "fss"},  {"dgss", "gss"}, {"dtss", "tss"},
        {"awf", "fss"}, {"awf-b", "fss"}, {"awf-d", "fss"}};
    const size_t pairs = sizeof(pair) / sizeof(pair[0]);
    struct test_case *c = malloc(sizeof(*c));
    struct sequence *plain = malloc(sizeof(*plain));
    struct sequence *weighted = malloc(sizeof(*weighted));
    for (uint64_t n = 0; n < pairs * CASES; n++) {
        random_case(c, sched_schemes[0], testing_seed() + n);
        for (int j = 0; j < c->loop.workers; j++)
            c->power[j] = 0.63;
        c->loop.power = c->power;
        c->equal = true;
        snprintf(c->text, sizeof(c->text), "%s", pair[n % pairs][1]);
        run(c, 1, false, false, plain);
        snprintf(c->text, sizeof(c->text), "%s", pair[n % pairs][0]);
        run(c, 2, false, false, weighted);
        check_same(c, plain, weighted, pair[n % pairs][1]);
    }
    free(c);
    free(plain);
    free(weighted);
}

TESTS(cmocka_unit_test(every_scheme_keeps_its_invariants),
      cmocka_unit_test(equal_powers_give_the_plain_scheme))
