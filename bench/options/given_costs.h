/* The file of costs that a cell names. */
#ifndef BENCH_OPTIONS_GIVEN_COSTS_H
#define BENCH_OPTIONS_GIVEN_COSTS_H

#include "harness/check/setup.h"

/* cell_check, and then, if the cell's `costs` name a file: checks that it has a
 * cost for each iteration of the kernel.  The ranks would detect this too late.
 * Returns what cell_check does, or -errno. */
int given_costs_check(struct cell *cell, struct error *err);

#endif
