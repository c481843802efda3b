/* The cache of references: a damaged or cut file, or one of another loop, is
 * rejected and computed again. */
#include "harness/testing.h"

#include "harness/problem/reference.h"

#include <dirent.h>
#include <sys/stat.h>
#include <time.h>
#include <xxhash.h>

enum { ITERATIONS = 30 };

/* A kernel whose reference is counted. */
struct counted {
    int calls;
    int64_t slow_ns; /* per iteration */
};

static void counted_reference(void *instance, int64_t start, int64_t size,
                              void *output)
{
    struct counted *counted = instance;
    counted->calls += (int)size;
    if (counted->slow_ns > 0) {
        struct timespec t = {.tv_nsec = counted->slow_ns * size};
        nanosleep(&t, NULL);
    }
    for (int64_t i = 0; i < size; i++)
        ((int64_t *)output)[i] = 1000 + start + i;
}

static void reference_of(const void *instance, int64_t start, int64_t size,
                         void *output)
{
    counted_reference((void *)(uintptr_t)instance, start, size, output);
}

static const struct spec_param no_params[] = {{0}};
static const struct kernel_ops counted_ops = {
    .name = "counted", .params = no_params, .reference = reference_of};

static const struct spec_param file_params[] = {
    {.key = "file", .type = SPEC_TEXT}, {0}};
static const struct kernel_ops file_ops = {
    .name = "counted", .params = file_params, .reference = reference_of};

struct fixture {
    struct counted counted;
    struct loop loop;
    struct spec spec;
    char folder[256];
};

static void open_loop(struct fixture *f, const char *name)
{
    f->counted.calls = 0;
    f->loop = (struct loop){.kernel = &counted_ops,
                            .instance = &f->counted,
                            .iterations = ITERATIONS,
                            .output_bytes = 8};
    snprintf(f->loop.name, sizeof(f->loop.name), "%s", name);
    f->loop.checksum = calloc(ITERATIONS, sizeof(*f->loop.checksum));
    f->loop.known = calloc(ITERATIONS, 1);
}

static void close_loop(struct fixture *f)
{
    free(f->loop.checksum);
    free(f->loop.known);
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    testing_folder(f->folder, sizeof(f->folder));
    setenv("XDG_CACHE_HOME", f->folder, 1);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    testing_folder_remove(f->folder);
    free(f);
    return 0;
}

static void checksums_are_right(const struct fixture *f)
{
    for (int64_t i = 0; i < ITERATIONS; i++) {
        int64_t value = 1000 + i;
        assert_int_equal(f->loop.known[i], 1);
        assert_true(f->loop.checksum[i] == XXH3_64bits(&value, 8));
    }
    assert_false(f->loop.sampled);
}

/* Makes the reference of a loop once; returns how many iterations had to be
 * computed for it. */
static int make(struct fixture *f, const char *name)
{
    struct error err = {""};
    double took_s = -1;
    open_loop(f, name);
    if (reference_make(&f->loop, &f->spec, 60, 1, &took_s, &err) != 0)
        fail_msg("%s", err.text);
    checksums_are_right(f);
    assert_true(took_s >= 0);
    close_loop(f);
    return f->counted.calls;
}

/* The only file of the cache. */
static void cache_file(const struct fixture *f, char *path, size_t size)
{
    char folder[300];
    int count = 0;
    snprintf(folder, sizeof(folder), "%s/dlsbench", f->folder);
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, size, "%s/%s", folder, e->d_name);
        count++;
    }
    closedir(dir);
    assert_int_equal(count, 1);
}

static void a_second_launch_reads_the_cache(void **state)
{
    assert_true(make(*state, "counted:a=1") >= ITERATIONS);
    assert_int_equal(make(*state, "counted:a=1"), 0);
    assert_true(make(*state, "counted:a=2") >= ITERATIONS);
    assert_int_equal(make(*state, "counted:a=2"), 0);
    assert_int_equal(make(*state, "counted:a=1"), 0);
}

static void any_damaged_byte_is_noticed(void **state)
{
    struct fixture *f = *state;
    char path[800];
    size_t length;
    make(f, "counted:a=1");
    cache_file(f, path, sizeof(path));
    char *text = testing_read(path, &length);
    assert_true(length > ITERATIONS * 8);
    /* Every byte of the head, and some of each checksum. */
    for (size_t at = 0; at < length; at += at < 48 ? 1 : 5) {
        text[at] ^= 0x10;
        testing_write(path, text, length);
        if (make(f, "counted:a=1") == 0)
            fail_msg("byte %zu of %zu is damaged and was believed", at, length);
        /* The file was made again. */
        assert_int_equal(make(f, "counted:a=1"), 0);
        text[at] ^= 0x10;
    }
    free(text);
}

static void cut_files_are_noticed(void **state)
{
    struct fixture *f = *state;
    char path[800];
    size_t length;
    make(f, "counted:a=1");
    cache_file(f, path, sizeof(path));
    char *text = testing_read(path, &length);
    for (size_t cut = 0; cut < length; cut += 17) {
        testing_write(path, text, cut);
        assert_true(make(f, "counted:a=1") >= ITERATIONS);
    }
    free(text);
}

/* The file of one loop under the name of another's. */
static void foreign_files_are_noticed(void **state)
{
    struct fixture *f = *state;
    char path[800];
    size_t length;
    make(f, "counted:a=1");
    cache_file(f, path, sizeof(path));
    char *text = testing_read(path, &length);
    unlink(path);
    make(f, "counted:a=2");
    cache_file(f, path, sizeof(path));
    testing_write(path, text, length);
    assert_true(make(f, "counted:a=2") >= ITERATIONS);
    free(text);
}

static void an_unusable_cache_is_no_error(void **state)
{
    struct fixture *f = *state;
    char path[600];
    setenv("XDG_CACHE_HOME", "/nowhere/at/all", 1);
    assert_true(make(f, "counted:a=1") >= ITERATIONS);
    assert_true(make(f, "counted:a=1") >= ITERATIONS);
    /* A file where the folder should be, a folder where the file should be. */
    snprintf(path, sizeof(path), "%s/dlsbench", f->folder);
    setenv("XDG_CACHE_HOME", f->folder, 1);
    testing_write(path, "x", 1);
    assert_true(make(f, "counted:a=1") >= ITERATIONS);
    unlink(path);
    make(f, "counted:a=1");
    cache_file(f, path, sizeof(path));
    unlink(path);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_true(make(f, "counted:a=1") >= ITERATIONS);
    setenv("XDG_CACHE_HOME", "relative", 1);
    setenv("HOME", "relative", 1);
    assert_true(make(f, "counted:a=1") >= ITERATIONS);
    assert_int_not_equal(access("relative", F_OK), 0);
    setenv("XDG_CACHE_HOME", "", 1); /* empty: as if it were not set */
    setenv("HOME", f->folder, 1);
    assert_true(make(f, "counted:b=1") >= ITERATIONS);
    assert_int_equal(make(f, "counted:b=1"), 0);
}

/* The key contains the content of a file that a spec names. */
static void named_files_count_with_their_content(void **state)
{
    struct fixture *f = *state;
    char *path = f->spec.value[0].text;
    f->spec.value[0].given = true;
    snprintf(path, SPEC_TEXT_MAX, "%.200s/costs.txt", f->folder);
    const char *const content[] = {"1 2 3", "1 2 4", "1 2 3"};
    const bool computed[] = {true, true, false};
    for (int i = 0; i < 3; i++) {
        struct error err = {""};
        double took_s;
        testing_write(path, content[i], strlen(content[i]));
        open_loop(f, "counted:file=costs");
        f->loop.kernel = &file_ops;
        assert_int_equal(
            reference_make(&f->loop, &f->spec, 60, 1, &took_s, &err), 0);
        checksums_are_right(f);
        close_loop(f);
        assert_int_equal(f->counted.calls > 0, computed[i]);
    }
}

/* Above the limit some iterations are known, all of them rightly, and nothing
 * is left in the cache. */
static void long_loops_are_sampled(void **state)
{
    struct fixture *f = *state;
    struct error err = {""};
    double took_s;
    f->counted.slow_ns = 200000;
    open_loop(f, "counted:slow");
    assert_int_equal(reference_make(&f->loop, &f->spec, 1e-6, 7, &took_s, &err),
                     0);
    assert_true(f->loop.sampled);
    int known = 0;
    for (int64_t i = 0; i < ITERATIONS; i++) {
        int64_t value = 1000 + i;
        if (f->loop.known[i])
            assert_true(f->loop.checksum[i] == XXH3_64bits(&value, 8));
        known += f->loop.known[i];
    }
    assert_in_range(known, 16, ITERATIONS - 1);
    assert_true(took_s >= ITERATIONS * 1e-4);
    close_loop(f);
    f->counted.slow_ns = 0;
    assert_true(make(f, "counted:slow") >= ITERATIONS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

TESTS(TEST(a_second_launch_reads_the_cache), TEST(any_damaged_byte_is_noticed),
      TEST(cut_files_are_noticed), TEST(foreign_files_are_noticed),
      TEST(an_unusable_cache_is_no_error),
      TEST(named_files_count_with_their_content), TEST(long_loops_are_sampled))
