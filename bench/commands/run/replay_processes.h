/* Processes that share the cells of a replay: started, watched and stopped. */
#ifndef BENCH_COMMANDS_RUN_REPLAY_PROCESSES_H
#define BENCH_COMMANDS_RUN_REPLAY_PROCESSES_H

#include "base/error.h"

#include <stdbool.h>

struct replay_processes {
    int most;            /* more have nothing to do */
    int cells;           /* of all */
    int (*work)(void *); /* in each process; its exit code */
    int (*done)(void *); /* cells, by any process until now */
    void *arg;
};

/* As many as this process may use processors; says how far they are.  SIGINT,
 * SIGTERM and SIGHUP end them (`stopped`). */
int replay_processes(const struct replay_processes *of, bool *stopped,
                     struct error *err);

#endif
