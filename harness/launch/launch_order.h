/* The order in which a launch measures its cells, and its blocks.
 *
 * Rounds of repetitions over a whole block keep a slow drift of the machine,
 * or a state of some seconds, from favouring one cell.  What is compared
 * afterwards are ways to run the same loop: the cells of a kernel follow each
 * other, and a block ends between two kernels where it can. */
#ifndef HARNESS_LAUNCH_LAUNCH_ORDER_H
#define HARNESS_LAUNCH_LAUNCH_ORDER_H

#include "harness/cell/cell.h"

enum { LAUNCH_BLOCK_LEAST = 8, LAUNCH_BLOCK_MOST = 64 };

/* Moves the cells of a kernel together in order[0..count-1], indices into the
 * cells: kernels in the order of their first
 * cells, and cells in the order that they had. */
void launch_gather(const struct cell *cells, int *order, int count);

/* How many cells from order[from] on are one block: 1 to LAUNCH_BLOCK_MOST.  A
 * launch that is interrupted loses the cells of its block that were not
 * finished, so it has no more than two minutes of cells that take cell_seconds
 * each, or LAUNCH_BLOCK_LEAST. */
int launch_block(const struct cell *cells, const int *order, int from,
                 int count, double cell_seconds);

#endif
