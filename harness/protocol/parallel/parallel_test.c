/* The loop of a worker: what it asks, runs, logs and counts. */
#include "harness/testing.h"

#include "harness/protocol/parallel/parallel.h"
#include "sched/schemes/scheme_registry.h"

enum { ITERATIONS = 1000, BYTES = 4 };

/* A source that follows a list and notes what was done when. */
struct probe;
struct listed {
    struct source base;
    struct probe *probe;
    const struct chunk *chunk;
    int given, asked_ahead;
    int64_t ran_when_asked[16]; /* iterations run when it asked ahead */
};

struct probe {
    int64_t ran;
    int calls;
    uint8_t times[ITERATIONS];
    char *output;
    const struct kernel_poll *poll;
    bool wrong_place;
};

static struct probe *probe_of(const void *instance)
{
    return (struct probe *)(uintptr_t)instance;
}

static void probe_run(const void *instance, void *scratch, int64_t start,
                      int64_t size, void *output,
                      const struct kernel_poll *poll)
{
    struct probe *probe = probe_of(instance);
    (void)scratch;
    probe->wrong_place = probe->wrong_place || size < 1 ||
                         (char *)output != probe->output + start * BYTES ||
                         poll != probe->poll;
    for (int64_t i = start; i < start + size; i++)
        probe->times[i]++;
    probe->ran += size;
    probe->calls++;
}

static const struct kernel_ops probe_ops = {.run = probe_run};

static bool listed_next(struct source *base, struct chunk *chunk)
{
    struct listed *listed = (struct listed *)base;
    *chunk = listed->chunk[listed->given];
    if (chunk->size == 0)
        return false;
    listed->given++;
    return true;
}

static void note_ahead(struct source *base)
{
    struct listed *listed = (struct listed *)base;
    listed->ran_when_asked[listed->asked_ahead++] = listed->probe->ran;
}

static const struct chunk list[] = {{.start = 0, .size = 300, .step = 0},
                                    {.start = 300, .size = 1, .step = 1},
                                    {.start = 301, .size = 9, .step = 2},
                                    {.start = 310, .size = 10, .step = 3},
                                    {.start = 320, .size = 11, .step = 4},
                                    {.size = 0}};
enum { CHUNKS = 5, TOTAL = 331 };

static void count_poll(void *arg)
{
    ++*(int *)arg;
}

static void run_list(bool stamp, bool logs, void (*ahead)(struct source *))
{
    static char output[ITERATIONS * BYTES];
    struct ran log[CHUNKS];
    int polls = 0;
    struct kernel_poll poll = {count_poll, &polls};
    struct listed listed = {
        .base = {.next = listed_next, .ask_ahead = ahead, .ahead = 10},
        .chunk = list};
    struct probe probe = {.output = output, .poll = &poll};
    struct worker worker = {.source = &listed.base,
                            .kernel = &probe_ops,
                            .instance = &probe,
                            .output = output,
                            .output_bytes = BYTES,
                            .poll = &poll,
                            .log = logs ? log : NULL,
                            .stamp = stamp,
                            .chunks = 77,
                            .iterations = 77};
    listed.probe = &probe;
    memset(log, 0, sizeof(log));
    double before = engine_now();
    parallel_run(&worker);
    assert_false(probe.wrong_place);
    assert_int_equal(worker.chunks, CHUNKS);
    assert_int_equal(worker.iterations, TOTAL);
    /* Between chunks too: this kernel never polls by itself. */
    assert_int_equal(polls, CHUNKS);
    assert_true(before <= worker.begin_s && worker.begin_s <= worker.end_s &&
                worker.end_s <= engine_now());
    for (int i = 0; i < ITERATIONS; i++)
        assert_int_equal(probe.times[i], i < TOTAL);
    uint64_t ticks = 0;
    for (int c = 0; logs && c < CHUNKS; c++) {
        assert_int_equal(log[c].start, list[c].start);
        assert_int_equal(log[c].size, list[c].size);
        assert_true(stamp || (log[c].begin == 0 && log[c].end == 0));
        assert_true(log[c].end >= log[c].begin);
        assert_true(c == 0 || log[c].begin >= log[c - 1].end);
        ticks += log[c].end - log[c].begin;
    }
    assert_true(!stamp || !logs || worker.compute_ticks == ticks);
    if (ahead != note_ahead) {
        assert_int_equal(probe.calls, CHUNKS);
        return;
    }
    /* Once a chunk, when at most 10 iterations of it are left. */
    assert_int_equal(listed.asked_ahead, CHUNKS);
    for (int c = 0; c < CHUNKS; c++) {
        int64_t left = list[c].size < 10 ? list[c].size : 10;
        assert_int_equal(listed.ran_when_asked[c],
                         list[c].start + list[c].size - left);
    }
    assert_int_equal(probe.calls, 2 + 1 + 1 + 1 + 2);
}

static void chunks_run_once_and_are_logged(void **unused)
{
    run_list(false, false, NULL);
    run_list(false, true, NULL);
    run_list(true, false, NULL);
    run_list(true, true, NULL);
}

static void requests_go_ahead_near_the_end_of_a_chunk(void **unused)
{
    run_list(false, true, note_ahead);
    run_list(true, true, note_ahead);
}

/* A primed chunk by next, the rest by the counter, as it is for `static`. */
static void primed_chunks_come_before_the_counter(void **unused)
{
    const struct sched_ops *ops;
    struct spec spec;
    static char output[ITERATIONS * BYTES];
    for (int stamp = 0; stamp < 2; stamp++) {
        struct sched_table table;
        struct sched_loop loop = {.iterations = ITERATIONS, .workers = 3};
        struct source_counter counter = {.step = 0};
        struct probe probe = {.output = output};
        int64_t chunks = 0;
        assert_int_equal(sched_parse("wcss:k=10", &ops, &spec, NULL), 0);
        assert_int_equal(sched_table_build(&table, ops, &spec, &loop, 1, NULL),
                         0);
        atomic_store(&counter.step, table.primed);
        for (int w = 2; w >= 0; w--) {
            struct source_table source;
            struct ran log[ITERATIONS];
            struct worker worker = {.source = &source.base,
                                    .kernel = &probe_ops,
                                    .instance = &probe,
                                    .output = output,
                                    .output_bytes = BYTES,
                                    .log = log,
                                    .stamp = stamp};
            source_table_open(&source, w, &table, &counter);
            parallel_run(&worker);
            chunks += worker.chunks;
            assert_int_equal(log[0].start, table.start[table.rank[w]]);
            /* Nothing is waited for between two of them. */
            for (int64_t c = 1; stamp && c < worker.chunks; c++)
                assert_true(log[c].begin == log[c - 1].end);
        }
        assert_int_equal(chunks, table.steps);
        assert_false(probe.wrong_place);
        for (int i = 0; i < ITERATIONS; i++)
            assert_int_equal(probe.times[i], 1);
        sched_table_free(&table);
    }
}

TESTS(cmocka_unit_test(chunks_run_once_and_are_logged),
      cmocka_unit_test(requests_go_ahead_near_the_end_of_a_chunk),
      cmocka_unit_test(primed_chunks_come_before_the_counter))
