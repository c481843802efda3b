/* One run of somebody else's program, and the check of its answer. */
#ifndef BENCH_PROGRAMS_EXECUTION_ATTEMPT_H
#define BENCH_PROGRAMS_EXECUTION_ATTEMPT_H

#include "base/error.h"
#include "base/folder.h"
#include "base/system/allowed.h"
#include "bench/launching/stops.h"
#include "bench/programs/execution/output.h"
#include "bench/programs/seen/loops.h"
#include "bench/programs/static/code_tables.h"

#include <stdbool.h>
#include <stddef.h>

/* The data shared by all runs. */
struct attempts {
    char **words;      /* the program and its arguments, NULL ends them */
    const char *check; /* for the shell, 0 is good; NULL: none */
    const char *loops; /* as in struct start */
    const char *file;  /* the program's */
    struct stops stops;
    struct symbols *symbols;
    struct allowed_set processors; /* that may run the program */
    struct scratch scratch;
    char preload[8192];        /* LD_PRELOAD */
    struct code_tables tables; /* of static loops */
};

struct attempt {
    bool ran, good;   /* it ended with 0; and so did the check */
    bool interrupted; /* the rest says nothing */
    char reason[400]; /* why it is not good */
    double seconds;   /* of the program */
    /* All its processes here: their processors' time, and that of others on the
     * same processors; NAN: not known. */
    double cpu_s, others_s;
    long preempted;
    struct loops loops;
    int read;                   /* modules whose static loops are known now */
    struct output *output;      /* NULL: it went to the file for the check */
    char digest[OUTPUT_DIGEST]; /* of it; empty: none */
};

/* Frees the loops and the output. */
void attempt_free(struct attempt *attempt);

/* Makes the folder, and watches for signals from now on.  attempts_close in any
 * case. */
int attempts_open(struct attempts *attempts, struct error *err);
void attempts_close(struct attempts *attempts);

/* A run that takes longer has hung, or might as well have; `own_s`: the longest
 * as it is. */
double attempt_limit(double own_s);

/* Runs the program under a scheme (NULL: its own) and with a setting of the
 * environment ("OMP_X=1 OMP_Y=2", NULL: none), stopped after `limit_s`,
 * and so is the check.  With 0 the program has no limit, and the check that of
 * the program's time.  A scheme counts for all its loops that `loops` names.
 * Its stdout goes to the file that $DLS_OUTPUT names for the check; without one
 * it is read here.  Its stdin is empty.  Returns 0 also where it fails;
 * attempt_free afterwards. */
int attempt_run(const struct attempts *attempts, const char *scheme,
                const char *setting, double limit_s, struct attempt *attempt,
                struct error *err);

#endif
