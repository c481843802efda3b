/* The common parts of dlsbench's subcommands.
 *
 * A subcommand is one function `int <name>_command(int argc, char **argv)` that
 * returns the exit code; its argv[0] is "dlsbench <name>".  It also has one
 * line in bench/options/commands.def. */
#ifndef BENCH_OPTIONS_COMMAND_H
#define BENCH_OPTIONS_COMMAND_H

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>

/* Exit codes of every subcommand: a refusal before anything has run is wrong
 * usage. */
enum {
    COMMAND_OK = 0,     /* all was done, all cells ran and verified */
    COMMAND_FAILED = 1, /* a cell failed or did not verify; no place */
    COMMAND_USAGE = 2,  /* asked for something that cannot be */
};

/* Says "dlsbench: text" on stderr, one line whatever the arguments hold. */
void command_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Says an error like that; returns code. */
int command_fail(int code, const struct error *err);

#define COMMAND(name, function, summary) int function(int argc, char **argv);
#include "bench/options/commands.def"

/* ---- command_words.c: a command that is printed to be copied ---- */

/* A word for the shell, after a blank. */
void command_print_word(FILE *out, const char *word);

/* "NAME=VALUE" of a variable that OpenMP's runtimes read. */
bool command_is_variable(const char *text);

/* Those of the environment, as words before a command: it may be copied to
 * another shell.  Without those that `setting` sets (NULL: none). */
void command_print_variables(FILE *out, const char *setting);

#endif
