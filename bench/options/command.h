/* The common parts of dlsbench's subcommands.
 *
 * A subcommand is one function `int <name>_command(int argc, char **argv)` that
 * returns the exit code; its argv[0] is "dlsbench <name>".  Each has a line in
 * bench/options/commands.def. */
#ifndef BENCH_OPTIONS_COMMAND_H
#define BENCH_OPTIONS_COMMAND_H

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>

/* Exit codes of every subcommand; a refusal before anything ran is wrong
 * usage. */
enum {
    COMMAND_OK = 0,     /* all done, all cells ran and verified */
    COMMAND_FAILED = 1, /* a cell failed or did not verify; no disk space */
    COMMAND_USAGE = 2,  /* an impossible request */
};

/* Prints "dlsbench: text" on stderr, always as one line. */
void command_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints an error like that; returns code. */
int command_fail(int code, const struct error *err);

#define COMMAND(name, function, summary) int function(int argc, char **argv);
#include "bench/options/commands.def"

/* ---- command_words.c: printing a command to copy ---- */

/* Prints a word for the shell, after a blank. */
void command_print_word(FILE *out, const char *word);

/* Whether it is "NAME=VALUE" of a variable that OpenMP's runtimes read. */
bool command_is_variable(const char *text);

/* Prints these variables of the environment as words before a command, for use
 * in another shell.  Omits those that `setting` sets (NULL: none). */
void command_print_variables(FILE *out, const char *setting);

#endif
