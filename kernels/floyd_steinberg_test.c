#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernels/check_blocks.h"
#include "kernels/check_files.h"

/* Gray in sixteenths of a level: 1600 3200 800 and 480 2048 4080.
 *   (0,0) 1600: black, error 1600
 *   (0,1) 3200 + (7*1600 + 8 >> 4 = 700) = 3900: white, error -180
 *   (0,2)  800 + (7*-180 + 8 >> 4 = -79) = 721: black, error 721
 *   (1,0)  480 + (3*-180 + 5*1600 + 8 >> 4 = 466) = 946: black, error 946
 *   (1,1) 2048 + (7*946 + 3*721 + 5*-180 + 1600 + 8 >> 4 = 593) = 2641: white,
 *         error -1439
 *   (1,2) 4080 + (7*-1439 + 5*721 - 180 + 8 >> 4 = -415) = 3665: white */
static const unsigned tiny[] = {100, 200, 50, 30, 128, 255};
static const uint8_t tiny_result[] = {0, 255, 0, 0, 255, 255};

static void a_tiny_image_by_hand(void **state)
{
    const char *folder = *state;
    static const struct {
        const char *magic;
        unsigned factor;
    } kinds[] = {{"P2", 1}, {"P5", 1}, {"P2", 257}, {"P5", 257}};
    for (int i = 0; i < 4; i++) {
        char path[PATH_ROOM], text[SPEC_TEXT_MAX];
        check_path(path, folder, "tiny.pgm");
        check_write_pgm(path, kinds[i].magic, 2, 3, tiny, kinds[i].factor);
        snprintf(text, sizeof(text), "floyd-steinberg:image=%s", path);
        struct check_kernel k = check_make(text);
        uint8_t got[6], reference[6];
        assert_int_equal(k.iterations, 2);
        assert_int_equal(k.bytes, 3);
        k.ops->run(k.instance, k.scratch, 0, 2, got, NULL);
        k.ops->reference(k.instance, 0, 2, reference);
        assert_memory_equal(got, tiny_result, sizeof(got));
        assert_memory_equal(reference, tiny_result, sizeof(got));
        check_free(&k);
    }
}

/* A picture already black and white stays as it is: a saved result, read
 * again. */
static void a_saved_picture_is_read_again(void **state)
{
    const char *folder = *state;
    struct error err = {""};
    char path[PATH_ROOM], text[SPEC_TEXT_MAX];
    check_path(path, folder, "saved.pgm");
    struct check_kernel k = check_make("floyd-steinberg:rows=37,cols=101");
    uint8_t first[37 * 101], again[37 * 101];
    k.ops->run(k.instance, k.scratch, 0, 37, first, NULL);
    if (k.ops->save(k.instance, first, path, &err) != 0)
        fail_msg("%s", err.text);
    check_free(&k);
    snprintf(text, sizeof(text), "floyd-steinberg:image=%s,rows=37", path);
    k = check_make(text);
    assert_int_equal(k.iterations, 37);
    assert_int_equal(k.bytes, 101);
    k.ops->run(k.instance, k.scratch, 0, 37, again, NULL);
    assert_memory_equal(first, again, sizeof(first));
    check_free(&k);
}

static void the_picture_keeps_the_brightness(void **unused)
{
    (void)unused;
    struct check_kernel k = check_make("floyd-steinberg:rows=200,cols=300");
    uint8_t *output = check_memory(200 * 300);
    k.ops->run(k.instance, k.scratch, 0, 200, output, NULL);
    double sum = 0;
    for (int i = 0; i < 200 * 300; i++) {
        assert_true(output[i] == 0 || output[i] == 255);
        sum += output[i];
    }
    /* The mean of the slope, the rings and the noise. */
    assert_true(sum / (200 * 300) > 110 && sum / (200 * 300) < 145);
    free(output);
    check_free(&k);
}

static void run_has_the_bits_of_the_reference(void **unused)
{
    (void)unused;
    uint64_t seed = check_seed();
    for (int rows = 1; rows <= 20; rows++)
        for (int cols = 1; cols <= 40; cols += 1 + rows % 5) {
            char text[64];
            snprintf(text, sizeof(text), "floyd-steinberg:rows=%d,cols=%d",
                     rows, cols);
            check_passes(text, seed++);
        }
    check_passes("floyd-steinberg:rows=67,cols=301,seed=5", seed);
    check_passes("floyd-steinberg:rows=9,cols=20001", seed);
}

static void blocks_in_any_legal_order_have_the_same_bits(void **unused)
{
    (void)unused;
    uint64_t seed = check_seed();
    for (int rows = 1; rows <= 19; rows += 2)
        for (int cols = 1; cols <= 25; cols += 3) {
            char text[64];
            snprintf(text, sizeof(text), "floyd-steinberg:rows=%d,cols=%d",
                     rows, cols);
            check_blocks(text, seed++, 8);
        }
    check_blocks("floyd-steinberg:rows=45,cols=83", seed, 100);
    check_blocks("floyd-steinberg:rows=90,cols=17", seed, 40);
    check_blocks("floyd-steinberg:rows=11,cols=9000", seed, 6);
    check_blocks("floyd-steinberg:rows=61,cols=403", seed, 100);
}

/* One rank does chunk after chunk in blocks of one width.  Rows of other chunks
 * stay as they are. */
static void check_width(const struct check_kernel *k,
                        const struct kernel_grid *grid, char *state,
                        const char *want, char *got, int64_t chunk,
                        int64_t width)
{
    const struct kernel_dependence *d = k->ops->dependence;
    size_t total = (size_t)k->iterations * k->bytes;
    memset(got, CHECK_POISON, total);
    d->begin(k->instance, state, got);
    for (int64_t row = 0; row < k->iterations; row += chunk) {
        int64_t size = check_least(chunk, k->iterations - row);
        int64_t end = grid->columns + size - 1;
        for (int64_t from = 0; from < end; from += width) {
            const struct kernel_block block = {
                .start = row,
                .size = size,
                .from = from,
                .to = check_least(from + width, end)};
            d->run_block(k->instance, state, &block, got, NULL);
        }
        size_t done = (size_t)(row + size) * k->bytes;
        if (memcmp(got, want, done) != 0)
            fail_msg("%lld columns: chunk [%lld, %lld) in blocks of %lld",
                     (long long)grid->columns, (long long)row,
                     (long long)(row + size), (long long)width);
        for (size_t i = done; i < total; i++)
            assert_int_equal((uint8_t)got[i], CHECK_POISON);
    }
}

static void blocks_of_every_width_have_the_same_bits(void **unused)
{
    static const char *const texts[] = {
        "floyd-steinberg:rows=35,cols=131", "floyd-steinberg:rows=43,cols=96",
        "floyd-steinberg:rows=29,cols=57", "floyd-steinberg:rows=8,cols=40"};
    static const int64_t chunks[] = {1, 2, 5, 8, 9, 16, 27, 43};
    (void)unused;
    for (int i = 0; i < 4; i++) {
        struct check_kernel k = check_make(texts[i]);
        struct kernel_grid grid;
        k.ops->dependence->grid(k.instance, &grid);
        size_t total = (size_t)k.iterations * k.bytes;
        char *want = check_memory(total), *got = check_memory(total);
        char *state = check_memory(grid.state_bytes);
        memset(state, 0, grid.state_bytes);
        k.ops->reference(k.instance, 0, k.iterations, want);
        for (int c = 0; c < 8; c++)
            for (int64_t width = 1; width <= grid.columns + 43; width++)
                check_width(&k, &grid, state, want, got, chunks[c], width);
        free(state);
        free(got);
        free(want);
        check_free(&k);
    }
}

static void the_grid_is_that_of_the_spec(void **unused)
{
    (void)unused;
    struct check_kernel k = check_make("floyd-steinberg:rows=5,cols=6");
    struct kernel_grid grid;
    k.ops->dependence->grid(k.instance, &grid);
    assert_int_equal(grid.columns, 6);
    assert_int_equal(grid.boundary_bytes, 2);
    assert_int_equal(grid.skew, 1);
    assert_int_equal(grid.reach, 1);
    assert_int_equal(grid.steps, 1);
    check_free(&k);
}

static void a_long_row_polls_in_time(void **unused)
{
    (void)unused;
    struct check_kernel k = check_make("floyd-steinberg:rows=8,cols=100000");
    int64_t polls = 0;
    const struct kernel_poll poll = {check_count_poll, &polls};
    char *output = check_memory(8 * k.bytes);
    k.ops->run(k.instance, k.scratch, 0, 8, output, &poll);
    assert_in_range(polls, 12, 100);
    free(output);
    check_free(&k);
}

static void bad_specs_are_refused(void **state)
{
    const char *folder = *state;
    char path[PATH_ROOM], text[SPEC_TEXT_MAX];
    check_refused("floyd-steinberg:rows=0", EINVAL, "out of range");
    check_refused("floyd-steinberg:shape=paper", EINVAL, "for simulation only");
    check_refused("floyd-steinberg:shape=round", EINVAL, "exact|paper");
    check_refused("floyd-steinberg:rows=16777216,cols=16777216", ENOMEM,
                  "available are");
    check_path(path, folder, "tiny.pgm");
    check_write_pgm(path, "P5", 2, 3, tiny, 1);
    snprintf(text, sizeof(text), "floyd-steinberg:image=%s,rows=3", path);
    check_refused(text, EINVAL, "rows=2 and cols=3");
    snprintf(text, sizeof(text), "floyd-steinberg:image=%s,rows=2,cols=2",
             path);
    check_refused(text, EINVAL, "leave rows and cols out");
    check_refused("floyd-steinberg:image=/no/such/file.pgm", ENOENT,
                  "image: /no/such/file.pgm: No such file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tiny_image_by_hand),
        cmocka_unit_test(a_saved_picture_is_read_again),
        cmocka_unit_test(the_picture_keeps_the_brightness),
        cmocka_unit_test(run_has_the_bits_of_the_reference),
        cmocka_unit_test(blocks_in_any_legal_order_have_the_same_bits),
        cmocka_unit_test(blocks_of_every_width_have_the_same_bits),
        cmocka_unit_test(the_grid_is_that_of_the_spec),
        cmocka_unit_test(a_long_row_polls_in_time),
        cmocka_unit_test(bad_specs_are_refused),
    };
    return cmocka_run_group_tests(tests, check_make_folder, check_free_folder);
}
