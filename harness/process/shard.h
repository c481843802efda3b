/* The part of a campaign that a run has: what --shape and --shard say. */
#ifndef HARNESS_PROCESS_SHARD_H
#define HARNESS_PROCESS_SHARD_H

#include <stdbool.h>
#include <stddef.h>

struct shard {
    int ranks, threads; /* cells of this shape only; 0: of all */
    int index, count;   /* of these cells; 0 of 1: all */
};

/* Whether two runs may have a cell in common.  Shards count in their shape, and
 * those of different numbers are cut at other places. */
bool shard_overlaps(const struct shard *a, const struct shard *b);

/* The end of a launch's name, "0of4" or "2x1-0of4". */
void shard_print(const struct shard *shard, char *text, size_t size);

/* Reads it from a launch's name; false when it does not end so. */
bool shard_parse(const char *launch, struct shard *shard);

#endif
