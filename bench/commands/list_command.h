/* The sections of dlsbench list in separate files. */
#ifndef BENCH_COMMANDS_LIST_COMMAND_H
#define BENCH_COMMANDS_LIST_COMMAND_H

#include <stdbool.h>

void list_transports(void);

/* `man`: as a manual page. */
void list_keys(bool man);
void list_columns(bool man);
void list_rules(bool man);

#endif
