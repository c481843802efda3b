/* The first ten chunks of 1000 iterations on 4 workers, from the published
 * formulas, computed outside of this program with 40 digits.  Every chunk takes
 * its mean time, and no worker reports. */
#include "sched/sched_testing.h"

enum { TEN = 10 };

struct golden {
    const char *scheme;
    int64_t size[TEN];
};

/* R is what is left at a request or, with "at the start", at its stage of 4. */
static const struct golden golden[] = {
    /* (sqrt(2) 1000 0.5 / (4 sqrt(ln 4)))^(2/3) = 28.25 */
    {"fsc", {29, 29, 29, 29, 29, 29, 29, 29, 29, 29}},
    /* fss has 4 chunks each of 125, 63, 31, 16, 8, 4, 2 and 1: 1000/32 */
    {"mfsc", {32, 32, 32, 32, 32, 32, 32, 32, 32, 32}},
    /* b = 2/sqrt(R): x = 1.0935, 2.4866, 2.6667; R = 1000, 84, 48 */
    {"fac", {229, 229, 229, 229, 9, 9, 9, 9, 5, 5}},
    /* v = 1.3: 250.845 - 1.3 sqrt(500.4225) = 221.76, 195.345 - ... */
    {"tap", {222, 170, 131, 101, 78, 60, 47, 36, 29, 22}},
    /* means of 125 117 109 101 | 93 85 77 69 | 61 53 ... */
    {"tfss", {113, 113, 113, 113, 81, 81, 81, 81, 49, 49}},
    /* 1000/20 = 50, D = 2000 (1 - 3/5) / 24 = 33.3 */
    {"fiss", {50, 50, 50, 50, 83, 83, 83, 83, 117, 117}},
    /* 62.5 (1, 3/2, 7/4) */
    {"viss", {63, 63, 63, 63, 94, 94, 94, 94, 109, 109}},
    /* 2 + splitmix64(1) 124 / 2^64 */
    {"rnd", {72, 94, 122, 57, 57, 96, 110, 66, 37, 100}},
    /* a = 2, b = 44.36, c_1 = 0.7213, c_2 = 1.808: Q = 250, v = 0.8493, d =
     * 3013.7, s = 18.55, w = 5.338: 190.55 + 3.85 */
    {"bold", {195, 196, 197, 200, 34, 35, 36, 35, 13, 12}},
    /* R/8 at the start: 1000, 500, 248 */
    {"wf2", {125, 125, 125, 125, 63, 63, 63, 63, 31, 31}},
    {"awf", {125, 125, 125, 125, 63, 63, 63, 63, 31, 31}},
    {"awf-b", {125, 125, 125, 125, 63, 63, 63, 63, 31, 31}},
    {"awf-d", {125, 125, 125, 125, 63, 63, 63, 63, 31, 31}},
    /* R/8 */
    {"awf-c", {125, 110, 96, 84, 74, 64, 56, 49, 43, 38}},
    {"awf-e", {125, 110, 96, 84, 74, 64, 56, 49, 43, 38}},
    /* 1000/256 */
    {"af", {3, 3, 3, 3, 3, 3, 3, 3, 3, 3}},
};

static void the_first_ten_chunks(void **unused)
{
    const struct sched_loop loop = {.iterations = 1000, .workers = 4};
    for (size_t i = 0; i < sizeof(golden) / sizeof(golden[0]); i++) {
        const struct golden *g = &golden[i];
        int64_t size[TEN];
        assert_int_equal(testing_sizes(g->scheme, &loop, 1, size, TEN), TEN);
        for (int k = 0; k < TEN; k++)
            if (size[k] != g->size[k])
                fail_msg("%s: chunk %d is %" PRId64 ", not %" PRId64, g->scheme,
                         k, size[k], g->size[k]);
    }
}

/* With powers 4, 2, 1 and 1 the weights are 2, 1, 1/2 and 1/2; a stage of 4
 * requests still hands out half of the rest. */
static void the_first_ten_chunks_by_weight(void **unused)
{
    const double power[] = {4, 2, 1, 1};
    static const char *const scheme[] = {"wf2", "awf", "awf-b", "awf-d"};
    static const int64_t expected[TEN] = {250, 125, 63, 63, 125,
                                          63,  32,  32, 62, 31};
    const struct sched_loop loop = {
        .iterations = 1000, .workers = 4, .power = power};
    for (int i = 0; i < 4; i++) {
        int64_t size[TEN];
        assert_int_equal(testing_sizes(scheme[i], &loop, 1, size, TEN), TEN);
        assert_memory_equal(size, expected, sizeof(size));
    }
}

TESTS(cmocka_unit_test(the_first_ten_chunks),
      cmocka_unit_test(the_first_ten_chunks_by_weight))
