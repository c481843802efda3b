/* The options of dlsbench run and dlsbench sim, as a table. */
#ifndef BENCH_COMMANDS_RUN_TABLE_H
#define BENCH_COMMANDS_RUN_TABLE_H

#include "base/error.h"
#include "bench/launching/driver/run_settings.h"

/* Reads a command line into options that hold the defaults.  Returns 0 or
 * -EINVAL. */
int run_table_read(int argc, char **argv, struct run_options *options,
                   struct error *err);

/* The option that sets a field of a cell: with '-' for its '_'. */
void run_option_name(const char *field, char *name, size_t size);

#endif
