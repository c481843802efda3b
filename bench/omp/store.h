/* What a program's loops did, as a launch in a result directory
 * (results/README.md): a loop is a kernel, its clause or scheme the scheme, and
 * a run of the program a repetition. */
#ifndef BENCH_OMP_STORE_H
#define BENCH_OMP_STORE_H

#include "base/error.h"
#include "bench/omp/loops.h"

struct store_run {
    const char *folder; /* the result directory, which is there */
    char *const *words; /* the command line of dlsbench, NULL ends it */
    const char *scheme; /* as given; NULL: none */
    const char *reason; /* why the program failed; NULL: it did not */
    double seconds;     /* of the whole program */
};

/* Appends the launch's files.  Returns 0 or -errno with a text. */
int store_loops(const struct store_run *run, const struct loops *loops,
                struct error *err);

#endif
