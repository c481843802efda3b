/* The command line of dlsbench omp. */
#ifndef BENCH_COMMANDS_OMP_OPTIONS_H
#define BENCH_COMMANDS_OMP_OPTIONS_H

#include "base/error.h"
#include "bench/programs/seen/start.h"

#include <stdbool.h>
#include <stdint.h>

/* The options as typed, and what follows from them.  NULL: not given.  Of the
 * texts only `named` is allocated. */
struct omp_input {
    const char *scheme, *out, *suggest, *code, *list, *check, *record, *on,
        *critical;
    int64_t repetitions; /* 0: not given */
    bool resume, same;   /* same: the output decides whether a run is good */
    bool compares;       /* a single run, compared with an unmodified run */
    bool reads;          /* runs no program: reads records */
    int loops;           /* index of its word, -1: not given */
    int format;          /* an enum table_format; text: only the report */
    bool seeds;          /* the scheme has several seeds */
    bool made;           /* the folder of `record` was created */
    char *named;         /* the loops with --critical; its user frees it */
    char path[2048];     /* derived from `out` */
};

/* Reads the command line, and fills in the program, its loops and the scheme.
 * Returns 0 or -EINVAL. */
int omp_read(int argc, char **argv, struct omp_input *in, struct start *start,
             struct error *err);

#endif
