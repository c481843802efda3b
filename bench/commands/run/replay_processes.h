/* Processes that share the cells of a replay: started, watched and stopped. */
#ifndef BENCH_COMMANDS_RUN_REPLAY_PROCESSES_H
#define BENCH_COMMANDS_RUN_REPLAY_PROCESSES_H

#include "base/error.h"

#include <stdbool.h>

struct replay_processes {
    int most;            /* upper limit of their number */
    int cells;           /* number of all cells */
    int (*work)(void *); /* runs in each process; returns its exit code */
    int (*done)(void *); /* number of cells done by all processes */
    void *arg;
};

/* Starts as many as this process may use processors; shows their progress.
 * SIGINT, SIGTERM and SIGHUP end them (sets `stopped`). */
int replay_processes(const struct replay_processes *of, bool *stopped,
                     struct error *err);

#endif
