/* What to do, after all: the best of each kind together, and the few lines that
 * answer. */
#ifndef BENCH_PROGRAMS_TRY_USE_H
#define BENCH_PROGRAMS_TRY_USE_H

#include "bench/programs/try/findings.h"

/* Adds a candidate that has the best schedules of the loops, and the best
 * settings, together, where that is more than one thing, or was not tried so.
 * DIR/rules is written.  Returns its number, or -1: there is none. */
int use_together(const struct findings *findings,
                 struct candidates *candidates);

/* The choice that it names: a candidate that gains most, or the unmodified
 * program. */
int use_best(const struct findings *findings);

/* The command that it names, after a blank. */
char *use_text(const struct findings *findings);

/* The lines; the first one can be copied. */
void use_print(const struct findings *findings, FILE *out);

#endif
