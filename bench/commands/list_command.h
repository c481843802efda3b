/* The sections of dlsbench list in separate files. */
#ifndef BENCH_COMMANDS_LIST_COMMAND_H
#define BENCH_COMMANDS_LIST_COMMAND_H

void list_transports(void);

#endif
