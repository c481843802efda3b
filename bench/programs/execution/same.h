/* dlsbench omp --same-output for one run: first runs the unmodified program,
 * and compares the stdout of both. */
#ifndef BENCH_PROGRAMS_EXECUTION_SAME_H
#define BENCH_PROGRAMS_EXECUTION_SAME_H

#include "bench/programs/seen/start.h"

/* Runs the unmodified program with its stdout in a file of the folder, and
 * reads the machine code of the modules that it loaded.  Also sets the file for
 * the next run, which same_compare needs.  Returns 0 or -errno; -ECHILD: the
 * program failed. */
int same_before(struct start *start, const char *path, struct symbols *symbols,
                const struct code_tables *tables, struct error *err);

/* Copies the next run's output to stdout.  False: it differs from the first
 * run's, and a line says so. */
bool same_compare(const struct start *start);

#endif
