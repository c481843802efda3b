#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernels/check.h"
#include "kernels/check_files.h"
#include "kernels/support/image.h"

/* All widths of the inner loop run here, also those that this machine would
 * not choose: without a target the compiler builds them from what it has. */
#define TARGET
#define LANES 2
#include "kernels/mandelbrot_lanes.inc"
#define TARGET
#define LANES 4
#include "kernels/mandelbrot_lanes.inc"
#define TARGET
#define LANES 8
#include "kernels/mandelbrot_lanes.inc"

static void run_has_the_bits_of_the_reference(void **unused)
{
    (void)unused;
    uint64_t seed = check_seed();
    static const char *const specs[] = {
        "mandelbrot:size=1",
        "mandelbrot:size=2",
        "mandelbrot:size=3,maxiter=0",
        "mandelbrot:size=33,maxiter=1",
        "mandelbrot:size=33,maxiter=2",
        "mandelbrot:size=47,maxiter=7",
        "mandelbrot:size=64,maxiter=8,axis=im",
        "mandelbrot:size=101,maxiter=9",
        "mandelbrot:size=101,maxiter=200",
        "mandelbrot:size=101,maxiter=200,axis=im",
        "mandelbrot:size=101,maxiter=200,escape=4",
        "mandelbrot:size=128,maxiter=333,escape=4,axis=im",
        "mandelbrot:size=64,maxiter=100,escape=1e-6",
        "mandelbrot:size=64,maxiter=100,escape=1e6",
        "mandelbrot:width=7,height=301,maxiter=150",
        "mandelbrot:width=301,height=7,maxiter=150",
        "mandelbrot:width=1,height=97,xmin=-0.5,xmax=0.5",
        "mandelbrot:width=97,height=1,ymin=0,ymax=1,axis=im",
        "mandelbrot:width=97,height=50,axis=im,xmin=-1,xmax=0.5,ymin=0.1",
        "mandelbrot:size=61,xmin=-0.75,xmax=-0.74,ymin=0.1,ymax=0.11",
        "mandelbrot:size=32,xmin=-1000,xmax=1000,ymin=-1000,ymax=1000",
    };
    for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++)
        check_bits(specs[i], seed + i);
}

static int32_t count_at(const char *x, const char *y, const char *more)
{
    char text[200];
    snprintf(text, sizeof(text),
             "mandelbrot:size=1,xmin=%s,xmax=%s,ymin=%s,ymax=%s%s", x, x, y, y,
             more);
    struct check_kernel k = check_make(text);
    int32_t count = -1;
    assert_int_equal(k.iterations, 1);
    assert_int_equal(k.bytes, sizeof(count));
    k.ops->run(k.instance, NULL, 0, 1, &count, NULL);
    check_free(&k);
    return count;
}

static void known_points_have_their_counts(void **unused)
{
    (void)unused;
    assert_int_equal(count_at("0", "0", ""), 1000);
    assert_int_equal(count_at("0", "0", ",maxiter=77"), 77);
    assert_int_equal(count_at("0", "0", ",maxiter=0"), 0);
    assert_int_equal(count_at("2", "0", ""), 1);  /* 4 */
    assert_int_equal(count_at("-2", "2", ""), 1); /* 8 */
    assert_int_equal(count_at("1", "0", ""), 2);  /* 1, 4 */
    /* 0.25, 0.5625, 1.1289, 2.6532 */
    assert_int_equal(count_at("1/2", "0", ""), 4);
    /* (0 1) 1, (-1 1) 2: the test is at least, not more */
    assert_int_equal(count_at("0", "1", ""), 2);
    assert_int_equal(count_at("0", "1", ",escape=2.1"), 1000);
    /* 2.25, then back below 2.0, never above again */
    assert_int_equal(count_at("-1.5", "0", ""), 1);
    assert_int_equal(count_at("-1.5", "0", ",escape=4"), 1000);
}

static void axes_are_transposed(void **unused)
{
    (void)unused;
    enum { NX = 37, NY = 23 };
    int32_t by_column[NX][NY], by_line[NY][NX];
    const char *form = "mandelbrot:width=37,height=23,maxiter=50,axis=%s";
    char text[100];
    snprintf(text, sizeof(text), form, "re");
    struct check_kernel re = check_make(text);
    snprintf(text, sizeof(text), form, "im");
    struct check_kernel im = check_make(text);
    assert_int_equal(re.iterations, NX);
    assert_int_equal(im.iterations, NY);
    re.ops->run(re.instance, NULL, 0, NX, by_column, NULL);
    im.ops->run(im.instance, NULL, 0, NY, by_line, NULL);
    for (int ix = 0; ix < NX; ix++)
        for (int iy = 0; iy < NY; iy++)
            assert_int_equal(by_column[ix][iy], by_line[iy][ix]);
    check_free(&re);
    check_free(&im);
}

/* 512 points inside the set, 20000 steps each: 4 ms with 4 lanes. */
static void a_long_column_polls_in_time(void **unused)
{
    (void)unused;
    struct check_kernel k =
        check_make("mandelbrot:width=1,height=512,maxiter=20000,xmin=-0.1,"
                   "xmax=0,ymin=-0.1,ymax=0.1");
    int32_t counts[512];
    int64_t polls = 0;
    const struct kernel_poll poll = {check_count_poll, &polls};
    k.ops->run(k.instance, NULL, 0, 1, counts, &poll);
    for (int i = 0; i < 512; i++)
        assert_int_equal(counts[i], 20000);
    assert_in_range(polls, 50, 1000);
    check_free(&k);
}

static void a_short_column_hardly_polls(void **unused)
{
    (void)unused;
    struct check_kernel k = check_make("mandelbrot:size=512");
    int32_t counts[512];
    int64_t polls = 0;
    const struct kernel_poll poll = {check_count_poll, &polls};
    k.ops->run(k.instance, NULL, 0, 1, counts, &poll);
    assert_in_range(polls, 0, 1);
    check_free(&k);
}

static int32_t plain_count(double cx, double cy, int steps)
{
    double x = 0, y = 0;
    int32_t n = 0;
    while (n < steps && x * x + y * y < 2) {
        double next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        n++;
    }
    return n;
}

static void check_width(mandelbrot_advance_fn *advance, int lanes,
                        uint64_t seed)
{
    struct mandelbrot_orbits o = {0};
    int n = lanes * (lanes == 8 ? MANDELBROT_VECTORS_8 : MANDELBROT_VECTORS);
    for (int i = 0; i < n; i++) {
        o.cx[i] = 2 * random_real(&seed) - 1.5;
        o.cy[i] = 2 * random_real(&seed) - 1;
        o.alive[i] = -1;
    }
    int done = 0;
    for (int steps = 1; steps < 40; steps += 3) {
        bool ended = advance(&o, steps, 2, 100);
        done += steps;
        bool want = false;
        for (int i = 0; i < n; i++) {
            assert_int_equal(o.count[i], plain_count(o.cx[i], o.cy[i], done));
            want = want || o.alive[i] == 0 || o.count[i] >= 100;
        }
        assert_int_equal(ended, want);
    }
}

static void every_width_counts_right(void **unused)
{
    (void)unused;
    uint64_t seed = check_seed();
    for (int i = 0; i < 50; i++) {
        check_width(mandelbrot_advance_2, 2, seed + (uint64_t)i);
        check_width(mandelbrot_advance_4, 4, seed + (uint64_t)i);
        check_width(mandelbrot_advance_8, 8, seed + (uint64_t)i);
    }
}

/* Both ways round the same picture: black inside, symmetric. */
static void the_picture_is_that_of_the_set(void **state)
{
    char path[PATH_ROOM];
    unsigned gray[2][31 * 33];
    for (int i = 0; i < 2; i++) {
        struct error err = {""};
        struct image image;
        struct image_reader *reader;
        struct check_kernel k = check_make(
            i == 0 ? "mandelbrot:width=33,height=31,axis=re,maxiter=50"
                   : "mandelbrot:width=33,height=31,axis=im,maxiter=50");
        int32_t counts[31 * 33];
        check_path(path, *state, "set.pgm");
        k.ops->run(k.instance, NULL, 0, k.iterations, counts, NULL);
        assert_int_equal(k.ops->save(k.instance, counts, path, &err), 0);
        assert_int_equal(image_open(&reader, "test", path, &image, &err), 0);
        assert_int_equal(image.rows, 31);
        assert_int_equal(image.cols, 33);
        for (int row = 0; row < 31; row++)
            assert_int_equal(image_read_row(reader, gray[i] + row * 33, &err),
                             0);
        image_close(reader);
        check_free(&k);
    }
    assert_memory_equal(gray[0], gray[1], sizeof(gray[0]));
    assert_memory_equal(gray[0], gray[0] + 30 * 33, 33 * sizeof(unsigned));
    assert_int_equal(gray[0][15 * 33 + 16], 0);
    assert_int_not_equal(gray[0][0], 0);
}

static void bad_specs_are_refused(void **unused)
{
    (void)unused;
    check_refused("mandelbrot:size=0", EINVAL, "out of range");
    check_refused("mandelbrot:maxiter=-1", EINVAL, "out of range");
    check_refused("mandelbrot:escape=0", EINVAL, "out of range");
    check_refused("mandelbrot:xmin=3", EINVAL, "xmin=3 is above xmax=2");
    check_refused("mandelbrot:ymax=-3", EINVAL, "ymin=-2 is above ymax=-3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_has_the_bits_of_the_reference),
        cmocka_unit_test(known_points_have_their_counts),
        cmocka_unit_test(axes_are_transposed),
        cmocka_unit_test(a_long_column_polls_in_time),
        cmocka_unit_test(a_short_column_hardly_polls),
        cmocka_unit_test(every_width_counts_right),
        cmocka_unit_test(the_picture_is_that_of_the_set),
        cmocka_unit_test(bad_specs_are_refused),
    };
    return cmocka_run_group_tests(tests, check_make_folder, check_free_folder);
}
