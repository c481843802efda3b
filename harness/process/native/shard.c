#include "harness/process/shard.h"

#include <stdio.h>
#include <string.h>

bool shard_overlaps(const struct shard *a, const struct shard *b)
{
    bool apart = a->ranks > 0 && b->ranks > 0 &&
                 (a->ranks != b->ranks || a->threads != b->threads);
    bool same_cut = a->ranks == b->ranks && a->threads == b->threads &&
                    a->count == b->count;
    return !apart && !(same_cut && a->index != b->index);
}

void shard_print(const struct shard *shard, char *text, size_t size)
{
    if (shard->ranks > 0)
        snprintf(text, size, "%dx%d-%dof%d", shard->ranks, shard->threads,
                 shard->index, shard->count);
    else
        snprintf(text, size, "%dof%d", shard->index, shard->count);
}

bool shard_parse(const char *launch, struct shard *shard)
{
    const char *word = strrchr(launch, '-');
    char end;
    *shard = (struct shard){.ranks = 0};
    if (word == NULL ||
        sscanf(word, "-%dof%d%c", &shard->index, &shard->count, &end) != 2)
        return false;
    while (word > launch && *--word != '-') {
    }
    if (sscanf(word, "-%dx%d%c", &shard->ranks, &shard->threads, &end) != 3 ||
        end != '-')
        shard->ranks = shard->threads = 0;
    return true;
}
