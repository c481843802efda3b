/* The schemes with powers against their algorithms as printed, and numbers at
 * the edge of what fits. */
#include "sched/sched_testing.h"
#include "sched/schemes/scheme_registry.h"

/* Algorithm 1 of Han and Chronopoulos as printed, one value after the other. */
static int64_t dtss_loop(int64_t *current, int64_t decrement, int64_t power)
{
    int64_t size = 0;
    for (int64_t k = 0; k < power; k++) {
        size += *current > 1 ? *current : 1;
        *current -= decrement;
    }
    return size;
}

static void dtss_sums_as_printed(void **unused)
{
    uint64_t seed = testing_seed();
    for (int n = 0; n < 2000; n++) {
        double power[20];
        struct sched_loop loop = {.iterations = testing_scale(&seed, 1 << 20),
                                  .workers = 20,
                                  .power = power};
        int64_t total = 0;
        power[0] = 1;
        for (int j = 0; j < 20; j++) {
            if (j > 0)
                power[j] = (double)testing_scale(&seed, 40);
            total += (int64_t)power[j];
        }
        int64_t first = loop.iterations / (2 * total);
        first = first > 1 ? first : 1;
        int64_t steps = (2 * loop.iterations + first) / (first + 1);
        int64_t decrement = steps > 1 ? (first - 1) / (steps - 1) : 0;
        int64_t current = first;
        struct testing_loop t;
        struct chunk chunk;
        testing_open(&t, "dtss", &loop, 1);
        for (;;) {
            int worker = (int)testing_between(&seed, 0, 19);
            if (!sched_next(&t.sched, worker, &chunk))
                break;
            int64_t size =
                dtss_loop(&current, decrement, (int64_t)power[worker]);
            int64_t left = loop.iterations - chunk.start;
            assert_int_equal(chunk.size, size < left ? size : left);
        }
        testing_close(&t);
    }
}

/* A stage of dfss is one request of each worker in any order, although the
 * sum of real powers depends on the order: the first chunk of the next stage
 * is then half as large, not of the same size. */
static void dfss_stage_survives_rounding(void **unused)
{
    enum { P = 40 };
    uint64_t seed = testing_seed();
    for (int n = 0; n < 500; n++) {
        double power[P];
        int start = (int)testing_between(&seed, 0, P - 1);
        struct sched_loop loop = {
            .iterations = 1 << 30, .workers = P, .power = power};
        struct testing_loop t;
        struct chunk first = {0}, chunk;
        for (int j = 0; j < P; j++)
            power[j] = (double)testing_between(&seed, 1, 100) / 10;
        testing_open(&t, "dfss", &loop, 1);
        for (int i = 0; i <= P; i++) {
            assert_true(sched_next(&t.sched, (start + 7 * i) % P, &chunk));
            if (i == 0)
                first = chunk;
        }
        assert_true(2 * chunk.size <= first.size + first.size / 1000);
        testing_close(&t);
    }
}

/* Numbers at the edge of 64 bits: nothing overflows (UBSan watches). */
static void largest_loop(void **unused)
{
    const double power[] = {1, 1e9, 3.7};
    struct sched_loop loop = {.iterations = INT64_MAX, .workers = 1};
    for (int i = 0; sched_schemes[i] != NULL; i++) {
        if (sched_schemes[i]->next == NULL)
            continue; /* costs of so many are nowhere */
        for (int workers = 1; workers <= 3; workers += 2) {
            struct testing_loop t;
            struct chunk chunk;
            int64_t start = 0;
            loop.workers = workers;
            loop.power = workers == 1 ? NULL : power;
            bool primed = (sched_schemes[i]->flags & SCHED_PRIMED) != 0;
            testing_open(&t, sched_schemes[i]->name, &loop, 1);
            for (int n = 0; n < 2000; n++) {
                if (!sched_next(&t.sched, n % workers, &chunk))
                    continue;
                assert_true(chunk.size >= 1);
                if (!primed)
                    assert_true(chunk.start == start);
                start += chunk.size;
            }
            testing_close(&t);
        }
    }
}

TESTS(cmocka_unit_test(dtss_sums_as_printed),
      cmocka_unit_test(dfss_stage_survives_rounding),
      cmocka_unit_test(largest_loop))
