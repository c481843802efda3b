/* dlsbench omp --same-output for one run: the program runs as it is before it,
 * and what both print is compared. */
#ifndef BENCH_PROGRAMS_EXECUTION_SAME_H
#define BENCH_PROGRAMS_EXECUTION_SAME_H

#include "bench/programs/seen/start.h"

/* Runs the unmodified program with its stdout in a file of the folder, and
 * reads the code of what it loaded.  Also sets the file for the next run, which
 * same_compare needs.  Returns 0 or -errno. */
int same_before(struct start *start, const char *path, struct symbols *symbols,
                const struct code_tables *tables, struct error *err);

/* Copies what the next run printed to stdout; false: it is something else,
 * which is said. */
bool same_compare(const struct start *start);

#endif
