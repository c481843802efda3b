/* The order in which a launch measures its cells, and its blocks.
 *
 * Repetitions go in rounds over a whole block, so that a slow drift of the
 * machine, or a state of some seconds, favours no cell.  Later comparisons are
 * between ways to run one loop: the cells of a kernel follow each other, and a
 * block ends between two kernels if possible. */
#ifndef HARNESS_LAUNCH_LAUNCH_ORDER_H
#define HARNESS_LAUNCH_LAUNCH_ORDER_H

#include "harness/cell/cell.h"

enum { LAUNCH_BLOCK_LEAST = 8, LAUNCH_BLOCK_MOST = 64 };

/* Moves the cells of a kernel together in order[0..count-1], indices into the
 * cells: kernels in the order of their first
 * cells, and cells in the order that they had. */
void launch_gather(const struct cell *cells, int *order, int count);

/* The number of cells from order[from] in one block: 1 to LAUNCH_BLOCK_MOST.
 * An interrupted launch loses its unfinished block, so a block has at most two
 * minutes of cells, each of cell_seconds, or LAUNCH_BLOCK_LEAST cells. */
int launch_block(const struct cell *cells, const int *order, int from,
                 int count, double cell_seconds);

#endif
