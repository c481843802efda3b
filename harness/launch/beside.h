/* The serial loops of a block of cells, measured in turns with them: rank 0
 * runs the loop, the other ranks and threads sleep. */
#ifndef HARNESS_LAUNCH_BESIDE_H
#define HARNESS_LAUNCH_BESIDE_H

#include "harness/launch/launch_parts.h"

/* A block begins: its loops, each once, to `loop`; returns how many. */
int beside_begin(const struct item *item, int count,
                 struct loop *loop[LAUNCH_BLOCK_MOST]);

/* Collective: a turn of the loop, if it is due.  It is due until its median is
 * known as well as a cell's must be, but takes at most an eighth of the time of
 * its cells, besides three passes, or one second of them. */
int beside_turn(struct launch *launch, struct loop *loop, struct error *err);

#endif
