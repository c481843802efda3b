/* The common parts of dlsbench's subcommands.
 *
 * A subcommand is one function `int <name>_command(int argc, char **argv)`,
 * whose argv[0] is "dlsbench <name>" and which returns the exit code, plus
 * one line in the table of bench/commands/main.c. */
#ifndef BENCH_OPTIONS_COMMAND_H
#define BENCH_OPTIONS_COMMAND_H

#include "base/error.h"

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

int list_command(int argc, char **argv);
int chunks_command(int argc, char **argv);
int calibrate_command(int argc, char **argv);
int calibrate_launch_command(int argc, char **argv);
int predict_command(int argc, char **argv);
int plan_command(int argc, char **argv);
int topo_command(int argc, char **argv);
int doctor_command(int argc, char **argv);
int run_command(int argc, char **argv);
int sim_command(int argc, char **argv);
int replay_command(int argc, char **argv);
int omp_command(int argc, char **argv);
int summary_command(int argc, char **argv);
int launch_command(int argc, char **argv);
int busy_command(int argc, char **argv);
int stopper_command(int argc, char **argv);

#endif
