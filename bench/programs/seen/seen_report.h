/* What a program's loops did, for people: a table of them and, in words,
 * whether another schedule could matter. */
#ifndef BENCH_PROGRAMS_SEEN_SEEN_REPORT_H
#define BENCH_PROGRAMS_SEEN_SEEN_REPORT_H

#include "bench/programs/seen/loops.h"

#include <stdio.h>

struct report_run {
    double seconds; /* of the whole program */
    double cpu_s;   /* of the processors, by all its processes */
    bool outlived;  /* some of its processes still run */
    int status;     /* as of waitpid, of the process with this number */
    pid_t pid;
    char *const *program; /* its words, NULL ends them */
};

void report_print(FILE *out, const struct loops *loops,
                  const struct report_run *run);

#endif
