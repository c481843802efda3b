/* One run of the user's program, and the check of its answer. */
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
    const char *check; /* shell command, exit code 0: right; NULL: none */
    const char *loops; /* as in struct start */
    const char *file;  /* the program's file */
    struct stops stops;
    struct symbols *symbols;
    struct allowed_set processors; /* that may run the program */
    struct scratch scratch;
    char preload[8192];        /* value of LD_PRELOAD */
    struct code_tables tables; /* of static loops */
};

struct attempt {
    bool ran, good;   /* it ended with 0; and the check passed */
    bool interrupted; /* the other members mean nothing */
    char reason[400]; /* why it is not good */
    double seconds;   /* of the program */
    /* All its processes on this host: processor time, and that of other
     * programs on the same processors; NAN: not known. */
    double cpu_s, others_s;
    long preempted;
    struct loops loops;
    int read;                   /* modules whose code was read after it */
    struct output *output;      /* NULL: the file for the check has it */
    char digest[OUTPUT_DIGEST]; /* of the stdout; empty: none */
};

/* Frees the loops and the output. */
void attempt_free(struct attempt *attempt);

/* Makes the folder and begins to watch for signals.  Call attempts_close in any
 * case. */
int attempts_open(struct attempts *attempts, struct error *err);
void attempts_close(struct attempts *attempts);

/* The time after which a run counts as hung; `own_s`: the longest run of the
 * unmodified program. */
double attempt_limit(double own_s);

/* Runs the program under a scheme (NULL: its own) and a setting of the
 * environment ("OMP_X=1 OMP_Y=2", NULL: none).  `limit_s` stops the program,
 * and likewise the check; 0: no limit for the program, and the check's depends
 * on the program's time.  `loops` says which loops get the scheme.  Stdin is
 * empty.  Stdout goes to the file that $DLS_OUTPUT names for the check, or is
 * read here without one.  Returns 0 also if the run fails; call attempt_free
 * afterwards. */
int attempt_run(const struct attempts *attempts, const char *scheme,
                const char *setting, double limit_s, struct attempt *attempt,
                struct error *err);

#endif
