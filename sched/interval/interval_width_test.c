/* Blocks whose costs depend on their width otherwise than by a line. */
#include "sched/interval/interval_testing.h"

/* A saw-tooth: multiples of 16 columns are a quarter faster, and each block
 * costs 2 us more from 100 columns on. */
static struct interval_width saw_tooth(const void *widths, int64_t h)
{
    (void)widths;
    return (struct interval_width){.factor = h % 16 == 0 ? 0.75 : 1,
                                   .extra_s = h >= 100 ? 2e-6 : 0};
}

static struct interval_model with_widths(struct interval_group *group)
{
    *group = (struct interval_group){
        .workers = 4, .power = 1, .c_p = 1e-9, .c_b = 5e-9};
    return (struct interval_model){.chunk_dim = 2000,
                                   .sync_dim = 3000,
                                   .groups = 1,
                                   .group = group,
                                   .c_d = 1e-6,
                                   .k = 5,
                                   .stream = true,
                                   .width = saw_tooth};
}

/* At one h, blocks of this width are blocks of other costs. */
static void a_width_has_its_own_costs(void **unused)
{
    static const double h[] = {1, 16, 99, 100, 112, 3000};
    for (int stream = 0; stream < 2; stream++)
        for (size_t i = 0; i < COUNT(h); i++) {
            struct interval_group group, same;
            struct interval_model model = with_widths(&group), plain = model;
            struct interval_width width = saw_tooth(NULL, (int64_t)h[i]);
            model.stream = plain.stream = stream;
            model.k = plain.k = stream ? 5 : 1;
            same = group;
            same.c_p *= width.factor, same.c_b *= width.factor;
            plain.c_d += width.extra_s / 2;
            plain.group = &same, plain.width = NULL;
            assert_near("T", interval_time(&model, h[i], INTERVAL_TWA_PRINTED),
                        interval_time(&plain, h[i], INTERVAL_TWA_PRINTED),
                        1e-12);
            assert_near("T_wa",
                        interval_assignment(&model, h[i], INTERVAL_TWA_TEXT),
                        2 * model.c_d, 1e-12);
        }
}

/* In memory the time until a boundary is seen counts once where one chunk
 * begins to follow another; blocks are longer by e(h) alone. */
static void what_is_in_memory_only_delays(void **unused)
{
    static const double h[] = {16, 100, 112};
    for (int stream = 0; stream < 2; stream++)
        for (size_t i = 0; i < COUNT(h); i++) {
            struct interval_group group;
            struct interval_model model = with_widths(&group), near;
            double k = 5, passes = stream ? 3 : 3 * k;
            model.stream = stream;
            model.c_c = 1e-9;
            model.ends = true;
            near = model;
            near.c_d = near.c_c = 0;
            double row = stream ? 0 : (k - 1) * (1e-6 + 3000 * 1e-9);
            assert_near("T", interval_time(&model, h[i], INTERVAL_TWA_PRINTED),
                        interval_time(&near, h[i], INTERVAL_TWA_PRINTED) +
                            passes * (1e-6 + h[i] * 1e-9) + row,
                        1e-12);
        }
}

/* Minima are between faster widths and slower ones: every h is looked at. */
static void the_best_width_is_found_among_all(void **unused)
{
    for (int skew = 0; skew < 2; skew++) {
        struct interval_group group;
        struct interval_model model = with_widths(&group);
        int64_t best = 1;
        model.skew = skew;
        for (int64_t h = 2; h <= 3000; h++)
            if (interval_time(&model, (double)h, INTERVAL_TWA_PRINTED) <
                interval_time(&model, (double)best, INTERVAL_TWA_PRINTED))
                best = h;
        assert_int_equal(best % 16, 0);
        assert_true(interval_optimum(&model) == (double)best);
    }
}

/* With too many h only some are tried, then all near the best of these. */
static void long_rows_are_searched_in_steps(void **unused)
{
    struct interval_group group;
    struct interval_model model = with_widths(&group);
    model.sync_dim = 1e6;
    model.c_d = 1e-3;
    int64_t h = (int64_t)interval_optimum(&model);
    double best = interval_time(&model, (double)h, INTERVAL_TWA_PRINTED);
    for (int64_t other = h - 15; other <= h + 15; other++)
        assert_true(
            interval_time(&model, (double)other, INTERVAL_TWA_PRINTED) >= best);
}

static struct interval_width same_width(const void *widths, int64_t h)
{
    (void)widths, (void)h;
    return (struct interval_width){.factor = 1};
}

/* Where T is the same for every h, blocks are as long as the row. */
static void equal_widths_are_as_long_as_the_row(void **unused)
{
    struct interval_group group;
    struct interval_model model = with_widths(&group);
    group.workers = 1;
    group.c_b = model.c_d = 0;
    model.ends = true, model.k = 1;
    model.width = same_width;
    for (int stream = 0; stream < 2; stream++) {
        model.stream = stream;
        assert_true(interval_optimum(&model) == 3000);
        assert_int_equal(interval_whole(&model, interval_optimum(&model)),
                         3000);
    }
}

TESTS(cmocka_unit_test(equal_widths_are_as_long_as_the_row),
      cmocka_unit_test(a_width_has_its_own_costs),
      cmocka_unit_test(what_is_in_memory_only_delays),
      cmocka_unit_test(the_best_width_is_found_among_all),
      cmocka_unit_test(long_rows_are_searched_in_steps))
