/* Cells of loops with dependences, as they stand in tables. */
#ifndef BENCH_TABLES_SYNC_CELLS_H
#define BENCH_TABLES_SYNC_CELLS_H

#include "bench/results/label.h"
#include "bench/results/results.h"

/* A cell with an interval and a verified time. */
struct sync_cell {
    const struct cell *cell;
    char way[LABEL_SIZE]; /* what all cells of one table share */
    int workers;
    double total_power;     /* of all workers, beside their load */
    double time_s, alone_s; /* alone_s: of the fastest worker */
};

/* All such cells in order of kernel, way, interval, scheme and column; free
 * them.  They point into the results.  NULL: out of memory. */
struct sync_cell *sync_cells_make(const struct results *results, int *count);

/* Below, at or above 0, as for qsort. */
typedef int sync_order(const struct sync_cell *a, const struct sync_cell *b);

sync_order sync_order_block; /* kernel and way: one table */
sync_order sync_order_interval;
sync_order sync_order_scheme; /* in the order of their registry */
sync_order sync_order_row;    /* interval and scheme */
sync_order sync_order_column; /* dedicated first; workers, load, power */

#endif
