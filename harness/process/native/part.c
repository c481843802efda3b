#include "harness/process/part.h"

#include <stdio.h>
#include <string.h>

bool part_overlaps(const struct part *a, const struct part *b)
{
    bool apart = a->ranks > 0 && b->ranks > 0 &&
                 (a->ranks != b->ranks || a->threads != b->threads);
    bool same_cut = a->ranks == b->ranks && a->threads == b->threads &&
                    a->shards == b->shards;
    return !apart && !(same_cut && a->shard != b->shard);
}

void part_print(const struct part *part, char *text, size_t size)
{
    if (part->ranks > 0)
        snprintf(text, size, "%dx%d-%dof%d", part->ranks, part->threads,
                 part->shard, part->shards);
    else
        snprintf(text, size, "%dof%d", part->shard, part->shards);
}

bool part_parse(const char *launch, struct part *part)
{
    const char *word = strrchr(launch, '-');
    char end;
    *part = (struct part){.ranks = 0};
    if (word == NULL ||
        sscanf(word, "-%dof%d%c", &part->shard, &part->shards, &end) != 2)
        return false;
    while (word > launch && *--word != '-') {
    }
    if (sscanf(word, "-%dx%d%c", &part->ranks, &part->threads, &end) != 3 ||
        end != '-')
        part->ranks = part->threads = 0;
    return true;
}
