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

/* ---- use_commands.c: what to type next; the caller frees the texts ---- */

struct use_command {
    char *text;
    char why[80];
};

/* The command of the choice that it names, and that of all loops' rules. */
char *use_text(const struct findings *findings);
char *use_rules(const struct findings *findings);

/* How many loops have a rule. */
int use_count_rules(const struct findings *findings);

/* What would tell more, where the program's runs do not; false: nothing. */
bool use_more(const struct findings *findings, struct use_command *command);

/* What there is of these, the first gains most; returns how many. */
enum { USE_COMMANDS = 3 };
int use_commands(const struct findings *findings,
                 struct use_command command[USE_COMMANDS]);

/* The lines; the first one can be copied. */
void use_print(const struct findings *findings, FILE *out);

#endif
