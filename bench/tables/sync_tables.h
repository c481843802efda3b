/* The tables of loops with dependences, as Ciorba et al. print them:
 *
 * - parallel time by synchronization interval, scheme and number of workers,
 *   dedicated and non-dedicated side by side (their tables 2 and 3),
 * - speedup over the fastest worker alone against the total power of all
 *   workers (their equation (1), figures 6 and 7).
 *
 * The fastest worker's time is the serial time, which worker 0 measures,
 * times V_0 / max V.  The total power is the sum of V, halved and so on for
 * workers beside a load: V / (1 + its processes).  The powers that workers
 * really reported are in workers-<launch>.jsonl. */
#ifndef BENCH_TABLES_SYNC_TABLES_H
#define BENCH_TABLES_SYNC_TABLES_H

#include "bench/results/results.h"

#include <stdio.h>

/* Prints the tables of all kernels that have cells with a sync interval;
 * nothing when there are none.  Only repetitions that verified count. */
int sync_tables_print(FILE *out, const struct results *results,
                      struct error *err);

/* Writes them to <dir>/sync-tables.txt, and all cells to <dir>/sync-tables.csv
 * (kernel, mode, sync_interval, scheme, workers, time_s and more), for a
 * comparison with results/reference; nothing when there are none. */
int sync_tables_store(const char *dir, const struct results *results,
                      struct error *err);

#endif
