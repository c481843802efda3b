/* What to do in the end: the best of each kind together, and a few lines as the
 * answer. */
#ifndef BENCH_PROGRAMS_TRY_USE_H
#define BENCH_PROGRAMS_TRY_USE_H

#include "bench/programs/try/findings.h"

/* Adds a candidate that combines the loops' best schedules and the best
 * settings, if that is more than one change and was not tried.  Needs
 * DIR/rules.  Returns its number, or -1: none. */
int use_together(const struct findings *findings,
                 struct candidates *candidates);

/* The recommended choice: the candidate that gains most, or the unmodified
 * program. */
int use_best(const struct findings *findings);

/* ---- use_commands.c: what to type next; the caller frees the texts ---- */

struct use_command {
    char *text;
    char why[80];
};

/* The command for the recommended choice; and for the rules of all loops. */
char *use_text(const struct findings *findings);
char *use_rules(const struct findings *findings);

/* How many loops have a rule. */
int use_count_rules(const struct findings *findings);

/* A command to find out more after too few runs; false: none. */
bool use_more(const struct findings *findings, struct use_command *command);

/* Up to USE_COMMANDS of these, the largest gain first; returns how many. */
enum { USE_COMMANDS = 3 };
int use_commands(const struct findings *findings,
                 struct use_command command[USE_COMMANDS]);

/* Prints these lines; the first one can be copied. */
void use_print(const struct findings *findings, FILE *out);

#endif
