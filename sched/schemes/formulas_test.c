/* Schemes beyond the five papers: their formulas solved by other means, what
 * they promise, and examples worked out by hand. */
#include "sched/sched_testing.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { CASES = 200 };

static struct sched_loop random_loop(uint64_t *seed)
{
    return (struct sched_loop){
        .iterations = testing_between(seed, 1, 100000),
        .workers = (int)testing_between(seed, 2, 40),
    };
}

static int64_t first_size(const char *text, const struct sched_loop *loop)
{
    int64_t size;
    assert_int_equal(testing_sizes(text, loop, 1, &size, 1), 1);
    return size;
}

/* The greater solution of rising(x) = 0 in [low, high]. */
static double solve(double (*rising)(double x, const double *c),
                    const double *c, double low, double high)
{
    for (int i = 0; i < 200; i++) {
        double middle = (low + high) / 2;
        if (rising(middle, c) < 0)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* ---- fixed sizes ---- */

/* Kruskal and Weiss: I mu/p + I h/(p K) + sigma sqrt(2 K ln p), without the
 * part that K does not change. */
static double expected_time(double k, const struct sched_loop *loop, double h,
                            double sigma)
{
    double p = loop->workers;
    return (double)loop->iterations * h / (p * k) +
           sigma * sqrt(2 * k * log(p));
}

static void fsc_takes_the_least_expected_time(void **unused)
{
    uint64_t seed = testing_seed();
    int cut = 0;
    for (int n = 0; n < CASES; n++) {
        struct sched_loop loop = random_loop(&seed);
        double h = (double)testing_between(&seed, 1, 1000) / 1000;
        double sigma = (double)testing_between(&seed, 1, 5000) / 1000;
        char text[64];
        snprintf(text, sizeof(text), "fsc:h=%g,sigma=%g", h, sigma);
        int64_t most = (loop.iterations + loop.workers - 1) / loop.workers;
        int64_t best = 1;
        for (int64_t k = 2; k <= most; k++)
            if (expected_time((double)k, &loop, h, sigma) <
                expected_time((double)best, &loop, h, sigma))
                best = k;
        int64_t size = first_size(text, &loop);
        cut += best == most;
        if (size < best || size > best + 1)
            fail_msg("%s, I = %" PRId64 ", p = %d: %" PRId64 ", best is "
                     "%" PRId64,
                     text, loop.iterations, loop.workers, size, best);
    }
    assert_true(cut < CASES / 2);
}

static void fsc_without_a_value_is_one_chunk_each(void **unused)
{
    struct sched_loop loop = {.iterations = 1000, .workers = 3};
    TESTING_ASSERT_SIZES("fsc:sigma=0", &loop, 334, 334, 332);
    TESTING_ASSERT_SIZES("fsc:h=1e6", &loop, 334, 334, 332);
    assert_int_equal(first_size("fsc:h=0", &loop), 1);
    assert_int_equal(first_size("fsc:h=0,sigma=0", &loop), 1);
    struct testing_loop t;
    char note[256];
    testing_open(&t, "fsc:h=1e6", &loop, 1);
    sched_note(&t.sched, note, sizeof(note));
    assert_non_null(strstr(note, "ceil(I/p) = 334"));
    testing_close(&t);
    testing_open(&t, "fsc", &loop, 1);
    sched_note(&t.sched, note, sizeof(note));
    assert_string_equal(note, "");
    testing_close(&t);
    loop.workers = 1;
    TESTING_ASSERT_SIZES("fsc", &loop, 1000);
}

static void mfsc_has_as_many_chunks_as_factoring(void **unused)
{
    uint64_t seed = testing_seed();
    for (int n = 0; n < CASES; n++) {
        struct sched_loop loop = random_loop(&seed);
        int64_t size[TESTING_SIZES];
        int chunks = testing_sizes("fac2", &loop, 1, size, TESTING_SIZES);
        assert_true(chunks < TESTING_SIZES);
        assert_int_equal(first_size("mfsc", &loop),
                         (loop.iterations + chunks - 1) / chunks);
    }
}

/* ---- mean and deviation ---- */

/* x_0 and x_j are the greater roots of x^2 - 2 (c + b^2) x + c^2, with c = 1
 * and 2. */
static double factoring_ratio(double x, const double *c)
{
    return x * x - 2 * (c[1] + c[0] * c[0]) * x + c[1] * c[1];
}

static void fac_solves_its_equation(void **unused)
{
    uint64_t seed = testing_seed();
    for (int n = 0; n < CASES; n++) {
        struct sched_loop loop = random_loop(&seed);
        int64_t size[TESTING_SIZES], remaining = loop.iterations;
        double sigma = (double)testing_between(&seed, 1, 3000) / 1000;
        char text[64];
        snprintf(text, sizeof(text), "fac:mu=2,sigma=%g", sigma);
        int chunks = testing_sizes(text, &loop, 1, size, TESTING_SIZES);
        for (int i = 0; i < chunks; i += loop.workers) {
            double c[] = {loop.workers * (sigma / 2) /
                              (2 * sqrt((double)remaining)),
                          i == 0 ? 1 : 2};
            double vertex = c[1] + c[0] * c[0];
            double x = solve(factoring_ratio, c, vertex, 2 * vertex);
            double exact = (double)remaining / (x * loop.workers);
            if (size[i] < remaining &&
                fabs((double)size[i] - exact - 0.5) > 0.5 + 1e-6)
                fail_msg("%s, I = %" PRId64 ", p = %d, chunk %d: %" PRId64
                         ", not %g",
                         text, loop.iterations, loop.workers, i, size[i],
                         exact);
            for (int k = i; k < i + loop.workers && k < chunks; k++)
                remaining -= size[k];
        }
    }
}

/* T = C + v^2/2 + v sqrt(2 C + v^2/4), the inverse of the formula. */
static double tapering_rest(double size, const double *c)
{
    double v = c[1];
    return size + v * v / 2 + v * sqrt(2 * size + v * v / 4) - c[0];
}

static void tap_solves_its_equation(void **unused)
{
    uint64_t seed = testing_seed();
    for (int n = 0; n < CASES; n++) {
        struct sched_loop loop = random_loop(&seed);
        int64_t size[TESTING_SIZES], remaining = loop.iterations;
        double sigma = (double)testing_between(&seed, 0, 3000) / 1000;
        char text[64];
        snprintf(text, sizeof(text), "tap:sigma=%g,alpha=1.5,min=2", sigma);
        int chunks = testing_sizes(text, &loop, 1, size, TESTING_SIZES);
        for (int i = 0; i < chunks && remaining > size[i]; i++) {
            double c[] = {(double)remaining / loop.workers, 1.5 * sigma};
            double exact = solve(tapering_rest, c, 0, c[0]);
            double least = fmax(2, exact);
            if ((double)size[i] < least - 1e-6 ||
                (double)size[i] >= least + 1 + 1e-6)
                fail_msg("%s, I = %" PRId64 ", p = %d, chunk %d: %" PRId64
                         ", not %g",
                         text, loop.iterations, loop.workers, i, size[i],
                         exact);
            remaining -= size[i];
        }
    }
}

static void without_deviation_they_are_the_plain_schemes(void **unused)
{
    uint64_t seed = testing_seed();
    for (int n = 0; n < CASES; n++) {
        struct sched_loop loop = random_loop(&seed);
        int64_t plain[TESTING_SIZES];
        int chunks = testing_sizes("gss", &loop, 1, plain, TESTING_SIZES);
        testing_assert_sizes("tap:sigma=0", &loop, plain, chunks);
        chunks = testing_sizes("css", &loop, 1, plain, TESTING_SIZES);
        testing_assert_sizes("fac:sigma=0", &loop, plain, chunks);
    }
}

/* ---- stages ---- */

/* F = 125, N = 16, D = 8: 125 117 109 101 | 93 85 77 69 | 61 ... */
static void tfss_by_hand(void **unused)
{
    struct sched_loop loop = {.iterations = 1000, .workers = 4};
    TESTING_ASSERT_SIZES("tfss", &loop, 113, 113, 113, 113, 81, 81, 81, 81, 49,
                         49, 49, 49, 17, 11);
}

static void tfss_stages_are_means_of_tss(void **unused)
{
    uint64_t seed = testing_seed();
    for (int n = 0; n < CASES; n++) {
        struct sched_loop loop = random_loop(&seed);
        int64_t tss[TESTING_SIZES], size[TESTING_SIZES];
        int p = loop.workers;
        int trapezoid = testing_sizes("tss", &loop, 1, tss, TESTING_SIZES);
        int chunks = testing_sizes("tfss", &loop, 1, size, TESTING_SIZES);
        /* The last chunk of both is cut by what remains. */
        for (int j = 0; (j + 1) * p < trapezoid && j * p < chunks - 1; j++) {
            int64_t sum = 0;
            for (int k = 0; k < p; k++)
                sum += tss[j * p + k];
            assert_int_equal(size[j * p], sum / p);
        }
    }
}

/* The real sizes 50, 83.3 and 116.7 add up to 250; with B = 2: X = 4,
 * C_0 = 62.5, D = 125, of which 63 and 188 are made. */
static void fiss_by_hand(void **unused)
{
    struct sched_loop loop = {.iterations = 1000, .workers = 4};
    TESTING_ASSERT_SIZES("fiss", &loop, 50, 50, 50, 50, 83, 83, 83, 83, 117,
                         117, 117, 117);
    TESTING_ASSERT_SIZES("fiss:stages=2", &loop, 63, 63, 63, 63, 188, 188, 188,
                         184);
}

static void fiss_ends_after_its_stages(void **unused)
{
    uint64_t seed = testing_seed();
    for (int n = 0; n < CASES; n++) {
        struct sched_loop loop = random_loop(&seed);
        int stages = (int)testing_between(&seed, 2, 9);
        int64_t size[TESTING_SIZES], handed = 0;
        char text[64];
        loop.iterations += 100 * stages * loop.workers;
        snprintf(text, sizeof(text), "fiss:stages=%d", stages);
        int chunks = testing_sizes(text, &loop, 1, size, TESTING_SIZES);
        for (int i = 0; i < chunks && i < stages * loop.workers; i++)
            handed += size[i];
        assert_true(2 * (loop.iterations - handed) <= stages * loop.workers);
        for (int j = 2; (j + 1) * loop.workers < chunks && j < stages; j++) {
            const int64_t *at = &size[j * loop.workers];
            int64_t rise = at[0] - at[-loop.workers];
            int64_t before = at[-loop.workers] - at[-2 * loop.workers];
            assert_in_range(rise - before + 2, 0, 4);
            assert_true(rise > 0);
        }
    }
}

/* C_0 = 62.5, then 93.75 and 109.4; with X = 8: 31.25 46.9 54.7 58.6 60.5. */
static void viss_by_hand(void **unused)
{
    struct sched_loop loop = {.iterations = 1000, .workers = 4};
    TESTING_ASSERT_SIZES("viss", &loop, 63, 63, 63, 63, 94, 94, 94, 94, 109,
                         109, 109, 45);
    TESTING_ASSERT_SIZES("viss:x=8", &loop, 31, 31, 31, 31, 47, 47, 47, 47, 55,
                         55, 55, 55, 59, 59, 59, 59, 61, 61, 61, 49);
}

/* ---- random sizes ---- */

/* The published outputs of splitmix64 with seed 1234567.  A range of 2^53
 * sizes takes the upper 53 bits of each. */
static void rnd_draws_with_splitmix64(void **unused)
{
    static const uint64_t published[] = {
        6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
        4593380528125082431u, 16408922859458223821u};
    struct sched_loop loop = {.iterations = (int64_t)1 << 60, .workers = 3};
    int64_t size[5];
    assert_int_equal(
        testing_sizes("rnd:min=1,max=9007199254740992,seed=1234567", &loop, 1,
                      size, 5),
        5);
    for (int i = 0; i < 5; i++)
        assert_int_equal(size[i], 1 + (published[i] >> 11));
}

static void rnd_stays_in_its_range_and_fills_it(void **unused)
{
    struct sched_loop loop = {.iterations = 1000000, .workers = 3};
    int64_t size[TESTING_SIZES], other[TESTING_SIZES];
    int count[5] = {0};
    int chunks = testing_sizes("rnd:min=301,max=305", &loop, 1, size, 3000);
    assert_int_equal(chunks, 3000);
    for (int i = 0; i < chunks; i++) {
        assert_in_range(size[i], 301, 305);
        count[size[i] - 301]++;
    }
    for (int k = 0; k < 5; k++)
        assert_in_range(count[k], 500, 700); /* 600, deviation 22 */
    testing_sizes("rnd:min=301,max=305,seed=2", &loop, 1, other, 3000);
    assert_memory_not_equal(size, other, sizeof(size[0]) * 3000);
}

static void rnd_in_any_order_has_the_same_chunks(void **unused)
{
    struct sched_loop loop = {.iterations = 1000, .workers = 4};
    struct sched_table rising, any, other;
    const struct sched_ops *ops;
    struct spec spec;
    const char *const texts[] = {"rnd:max=20,seed=3",
                                 "rnd:max=20,order=any,seed=3",
                                 "rnd:max=20,order=any,seed=4"};
    struct sched_table *const tables[] = {&rising, &any, &other};
    bool moved = false;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(sched_parse(texts[i], &ops, &spec, NULL), 0);
        assert_string_equal(ops->name, "rnd");
        assert_int_equal(
            sched_table_build(tables[i], ops, &spec, &loop, 1, NULL), 0);
    }
    assert_int_equal(rising.steps, any.steps);
    for (int64_t i = 0; i < any.steps; i++) {
        int64_t same = 0;
        while (same < any.steps && rising.start[same] != any.start[i])
            same++;
        assert_true(same < any.steps && rising.end[same] == any.end[i]);
        moved = moved || same != i;
    }
    assert_true(moved);
    assert_true(other.steps != any.steps || other.start[0] != any.start[0] ||
                other.start[1] != any.start[1]);
    for (int i = 0; i < 3; i++)
        sched_table_free(tables[i]);
    /* More chunks than a table has room for. */
    loop.iterations = (int64_t)1 << 40;
    assert_int_equal(sched_parse("rnd:max=1,order=any", &ops, &spec, NULL), 0);
    assert_int_equal(sched_table_build(&any, ops, &spec, &loop, 1, NULL),
                     -EINVAL);
}

static void rnd_bounds_follow_the_one_that_is_given(void **unused)
{
    struct sched_loop loop = {.iterations = 10000, .workers = 5};
    TESTING_ASSERT_SIZES("rnd:min=5000", &loop, 5000, 5000);
    int64_t size[TESTING_SIZES];
    int chunks = testing_sizes("rnd:max=7", &loop, 1, size, TESTING_SIZES);
    assert_int_equal(chunks, 1429); /* all 7: the default minimum is 20 */
    chunks = testing_sizes("rnd", &loop, 1, size, TESTING_SIZES);
    for (int i = 0; i < chunks - 1; i++)
        assert_in_range(size[i], 20, 1000);
}

TESTS(cmocka_unit_test(fsc_takes_the_least_expected_time),
      cmocka_unit_test(fsc_without_a_value_is_one_chunk_each),
      cmocka_unit_test(mfsc_has_as_many_chunks_as_factoring),
      cmocka_unit_test(fac_solves_its_equation),
      cmocka_unit_test(tap_solves_its_equation),
      cmocka_unit_test(without_deviation_they_are_the_plain_schemes),
      cmocka_unit_test(tfss_by_hand),
      cmocka_unit_test(tfss_stages_are_means_of_tss),
      cmocka_unit_test(fiss_by_hand),
      cmocka_unit_test(fiss_ends_after_its_stages),
      cmocka_unit_test(viss_by_hand),
      cmocka_unit_test(rnd_draws_with_splitmix64),
      cmocka_unit_test(rnd_in_any_order_has_the_same_chunks),
      cmocka_unit_test(rnd_stays_in_its_range_and_fills_it),
      cmocka_unit_test(rnd_bounds_follow_the_one_that_is_given))
