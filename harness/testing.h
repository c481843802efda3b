/* Common parts of this folder's tests: a seed that is printed, and folders that
 * go away. */
#ifndef HARNESS_TESTING_H
#define HARNESS_TESTING_H

#include "sched/sched_testing.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The seed of one test, printed so that a failure can be repeated with
 * DLSBENCH_SEED. */
static inline uint64_t testing_say_seed(const char *test)
{
    uint64_t seed = testing_seed();
    print_message("%s: DLSBENCH_SEED=%" PRIu64 "\n", test, seed);
    return seed;
}

/* Sanitizers are slow: `make test` runs a quarter of the worlds under them, by
 * SLICE (tests/integration/slices.py), others with each commit. */
static inline bool testing_chosen(int world)
{
#ifdef DLSBENCH_SANITIZED
    enum { PART = 4 };
    const char *slice = getenv("SLICE");
    if (slice != NULL && getenv("ALL") == NULL)
        return world % PART == (int)(strtoull(slice, NULL, 16) % PART);
#endif
    return world >= 0;
}

/* Random worlds of a test, whose seed is printed. */
static inline void testing_worlds(const char *test, int worlds,
                                  void (*run_world)(uint64_t seed))
{
    uint64_t seed = testing_say_seed(test);
    for (int i = 0; i < worlds; i++) {
        uint64_t own = testing_random(&seed);
        if (testing_chosen(i))
            run_world(own);
    }
}

/* The texts of all cells of a test program, as in cell_defaults. */
static inline json_t *testing_texts(void)
{
    static json_t *texts;
    if (texts == NULL)
        texts = json_object();
    return texts;
}

/* A new folder; testing_folder_remove takes it away with its files. */
static inline void testing_folder(char *path, size_t size)
{
    const char *base = getenv("TMPDIR");
    snprintf(path, size, "%s/dlsbench-test-XXXXXX", base ? base : "/tmp");
    if (mkdtemp(path) == NULL)
        fail_msg("cannot make %s", path);
}

static inline void testing_folder_remove(const char *path)
{
    char command[4200];
    snprintf(command, sizeof(command), "rm -rf '%s'", path);
    assert_int_equal(system(command), 0);
}

/* The whole file as text; free it. */
static inline char *testing_read(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("cannot read %s", path);
    char *text = calloc(1, 1 << 22);
    assert_non_null(text);
    size_t n = fread(text, 1, (1 << 22) - 1, file);
    fclose(file);
    if (length != NULL)
        *length = n;
    return text;
}

static inline void testing_write(const char *path, const void *data,
                                 size_t length)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL)
        fail_msg("cannot write %s", path);
    assert_int_equal(fwrite(data, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

#endif
