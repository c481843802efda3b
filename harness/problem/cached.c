#include "harness/problem/cached.h"

#include "base/file.h"
#include "base/system/whole.h"
#include "harness/record/cache.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

struct cache_head {
    char magic[8];
    uint64_t key;
    int64_t count;
    double seconds;
    uint64_t sum; /* XXH3 of all of the above and the values that follow */
};

enum { VALUE_BYTES = 8 };

static const char cache_magic[8] = "DLSREF2";

static uint64_t hash_file(const char *path, uint64_t seed)
{
    char buffer[1 << 16];
    const char *why;
    FILE *file = file_open(path, &why);
    if (file == NULL)
        return seed;
    for (size_t n; (n = fread(buffer, 1, sizeof(buffer), file)) > 0;)
        seed = XXH3_64bits_withSeed(buffer, n, seed);
    fclose(file);
    return seed;
}

uint64_t cache_key(const char *name, const struct kernel_ops *kernel,
                   const struct spec *spec)
{
    uint64_t key = XXH3_64bits(name, strlen(name));
    key = hash_file("/proc/self/exe", key);
    const struct spec_param *p = kernel->params;
    for (int i = 0; p[i].key != NULL; i++)
        if (p[i].type == SPEC_TEXT && spec->value[i].given)
            key = hash_file(spec->value[i].text, key);
    return key;
}

/* False when there is no place for a cache. */
static bool cache_path(const char *kind, uint64_t key, char *path, size_t size)
{
    char folder[3072];
    if (!cache_folder(folder, sizeof(folder)))
        return false;
    snprintf(path, size, "%s/%s-%016" PRIx64 ".bin", folder, kind, key);
    return true;
}

static uint64_t cache_sum(const struct cache_head *head, const void *values)
{
    uint64_t sum = XXH3_64bits(head, offsetof(struct cache_head, sum));
    return XXH3_64bits_withSeed(values, (size_t)head->count * VALUE_BYTES, sum);
}

bool cache_read(const char *kind, uint64_t key, int64_t count, void *values,
                double *seconds)
{
    struct cache_head head;
    char path[4096];
    size_t bytes = (size_t)count * VALUE_BYTES;
    if (!cache_path(kind, key, path, sizeof(path)))
        return false;
    const char *why;
    FILE *file = file_open(path, &why);
    if (file == NULL)
        return false;
    bool good = fread(&head, sizeof(head), 1, file) == 1 &&
                memcmp(head.magic, cache_magic, 8) == 0 && head.key == key &&
                head.count == count && fread(values, 1, bytes, file) == bytes &&
                cache_sum(&head, values) == head.sum;
    fclose(file);
    if (good)
        *seconds = head.seconds;
    return good;
}

/* Written as a whole, so no reader sees a part; failures are ignored. */
void cache_write(const char *kind, uint64_t key, int64_t count,
                 const void *values, double seconds)
{
    char path[4096];
    struct error err;
    size_t bytes = (size_t)count * VALUE_BYTES;
    struct cache_head head = {.key = key, .count = count, .seconds = seconds};
    if (!cache_path(kind, key, path, sizeof(path)))
        return;
    memcpy(head.magic, cache_magic, 8);
    head.sum = cache_sum(&head, values);
    char *file = malloc(sizeof(head) + bytes);
    if (file == NULL)
        return;
    memcpy(file, &head, sizeof(head));
    memcpy(file + sizeof(head), values, bytes);
    file_whole(path, file, sizeof(head) + bytes, &err);
    free(file);
}
