/* The part of a campaign that a run measures, from --shape and --shard. */
#ifndef HARNESS_PROCESS_SHARD_H
#define HARNESS_PROCESS_SHARD_H

#include <stdbool.h>
#include <stddef.h>

struct shard {
    int ranks, threads; /* only cells of this shape; 0: any */
    int index, count;   /* of these cells; 0 of 1: all */
};

/* Whether two runs may share a cell.  Shards count within their shape;
 * different counts divide it differently. */
bool shard_overlaps(const struct shard *a, const struct shard *b);

/* Writes the end of a launch's name, "0of4" or "2x1-0of4". */
void shard_print(const struct shard *shard, char *text, size_t size);

/* Reads it from a launch's name; false if the name has no such end. */
bool shard_parse(const char *launch, struct shard *shard);

#endif
