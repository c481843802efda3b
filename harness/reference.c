#include "harness/reference.h"

#include "harness/engine/engine.h"
#include "harness/record/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

enum { ESTIMATE_SAMPLES = 16, SAMPLE_LEAST = 16 };

struct cache_head {
    char magic[8];
    uint64_t key;
    int64_t iterations;
    double seconds;
    uint64_t sum; /* XXH3 of all of the above and the checksums that follow */
};

static const char cache_magic[8] = "DLSREF2";

/* ---- the cache ---- */

static uint64_t hash_file(const char *path, uint64_t seed)
{
    char buffer[1 << 16];
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return seed;
    for (size_t n; (n = fread(buffer, 1, sizeof(buffer), file)) > 0;)
        seed = XXH3_64bits_withSeed(buffer, n, seed);
    fclose(file);
    return seed;
}

/* Kernel, size and build: the program itself stands for the build, and a file
 * that a spec names for its content. */
static uint64_t cache_key(const struct loop *loop, const struct spec *spec)
{
    uint64_t key = XXH3_64bits(loop->name, strlen(loop->name));
    key = hash_file("/proc/self/exe", key);
    const struct spec_param *p = loop->kernel->params;
    for (int i = 0; p[i].key != NULL; i++)
        if (p[i].type == SPEC_TEXT && spec->value[i].given)
            key = hash_file(spec->value[i].text, key);
    return key;
}

/* False when there is no place for a cache. */
static bool cache_path(uint64_t key, char *path, size_t size)
{
    char folder[3072];
    if (!cache_folder(folder, sizeof(folder)))
        return false;
    snprintf(path, size, "%s/reference-%016" PRIx64 ".bin", folder, key);
    return true;
}

static uint64_t cache_sum(const struct cache_head *head, const void *checksums,
                          size_t bytes)
{
    uint64_t sum = XXH3_64bits(head, offsetof(struct cache_head, sum));
    return XXH3_64bits_withSeed(checksums, bytes, sum);
}

static bool cache_read(struct loop *loop, uint64_t key, const char *path)
{
    struct cache_head head;
    size_t bytes = (size_t)loop->iterations * sizeof(*loop->checksum);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    bool good = fread(&head, sizeof(head), 1, file) == 1 &&
                memcmp(head.magic, cache_magic, 8) == 0 && head.key == key &&
                head.iterations == loop->iterations &&
                fread(loop->checksum, 1, bytes, file) == bytes &&
                cache_sum(&head, loop->checksum, bytes) == head.sum;
    fclose(file);
    if (good)
        loop->reference_s = head.seconds;
    return good;
}

/* By rename, so that nobody reads half a file. */
static void cache_write(const struct loop *loop, uint64_t key, const char *path)
{
    char temporary[4200];
    size_t bytes = (size_t)loop->iterations * sizeof(*loop->checksum);
    struct cache_head head = {.key = key,
                              .iterations = loop->iterations,
                              .seconds = loop->reference_s};
    memcpy(head.magic, cache_magic, 8);
    head.sum = cache_sum(&head, loop->checksum, bytes);
    snprintf(temporary, sizeof(temporary), "%s.%d", path, (int)getpid());
    FILE *file = fopen(temporary, "wb");
    if (file == NULL)
        return;
    bool good = fwrite(&head, sizeof(head), 1, file) == 1 &&
                fwrite(loop->checksum, 1, bytes, file) == bytes;
    good = fclose(file) == 0 && good;
    if (!good || rename(temporary, path) != 0)
        unlink(temporary);
}

/* ---- computing ---- */

static void compute_one(struct loop *loop, int64_t iteration, void *output)
{
    memset(output, 0, loop->output_bytes);
    loop->kernel->reference(loop->instance, iteration, 1, output);
    loop->checksum[iteration] = XXH3_64bits(output, loop->output_bytes);
    loop->known[iteration] = 1;
}

/* Seconds for all iterations, from a few spread over the loop. */
static double estimate(struct loop *loop, void *output)
{
    int64_t samples = loop->iterations < ESTIMATE_SAMPLES ? loop->iterations
                                                          : ESTIMATE_SAMPLES;
    double start = engine_now();
    for (int64_t i = 0; i < samples; i++)
        compute_one(loop, (2 * i + 1) * loop->iterations / (2 * samples),
                    output);
    return (engine_now() - start) / (double)samples * (double)loop->iterations;
}

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void compute_sample(struct loop *loop, double limit, uint64_t seed,
                           void *output)
{
    double start = engine_now();
    for (int64_t i = 0; i < loop->iterations &&
                        (i < SAMPLE_LEAST || engine_now() - start < limit);
         i++)
        compute_one(loop,
                    (int64_t)(next_random(&seed) % (uint64_t)loop->iterations),
                    output);
    loop->sampled = true;
}

static void compute_all(struct loop *loop, void *output)
{
    double start = engine_now();
    for (int64_t i = 0; i < loop->iterations; i++)
        compute_one(loop, i, output);
    loop->reference_s = engine_now() - start;
}

/* Rows that depend on each other: one call for all, straight into the
 * output, and no sample. */
static void compute_dependent(struct loop *loop)
{
    double start = engine_now();
    loop->kernel->reference(loop->instance, 0, loop->iterations, loop->output);
    for (int64_t i = 0; i < loop->iterations; i++)
        loop->checksum[i] = loop_checksum(loop, loop->output, i);
    memset(loop->known, 1, (size_t)loop->iterations);
    loop->reference_s = engine_now() - start;
}

int reference_make(struct loop *loop, const struct spec *spec,
                   double verify_limit, uint64_t seed, struct error *err)
{
    char path[4096];
    uint64_t key = cache_key(loop, spec);
    bool place = cache_path(key, path, sizeof(path));
    if (place && cache_read(loop, key, path)) {
        memset(loop->known, 1, (size_t)loop->iterations);
        return 0;
    }
    if (loop->kernel->dependence != NULL) {
        compute_dependent(loop);
        if (place)
            cache_write(loop, key, path);
        return 0;
    }
    void *output = malloc(loop->output_bytes);
    if (output == NULL)
        return error_set(err, ENOMEM, "out of memory for the reference");
    loop->reference_s = estimate(loop, output);
    if (loop->reference_s > verify_limit) {
        compute_sample(loop, verify_limit, seed, output);
    } else {
        compute_all(loop, output);
        if (place)
            cache_write(loop, key, path);
    }
    free(output);
    return 0;
}
