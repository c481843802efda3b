/* The sections of dlsbench list that have files of their own. */
#ifndef BENCH_COMMANDS_LIST_H
#define BENCH_COMMANDS_LIST_H

void list_transports(void);

#endif
