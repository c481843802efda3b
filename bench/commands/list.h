/* The sections of dlsbench list in separate files. */
#ifndef BENCH_COMMANDS_LIST_H
#define BENCH_COMMANDS_LIST_H

void list_transports(void);

#endif
