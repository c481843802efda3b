/* External ends of a run: signals, and the end of its Slurm job. */
#ifndef BENCH_LAUNCHING_STOPS_H
#define BENCH_LAUNCHING_STOPS_H

#include "base/error.h"

#include <signal.h>
#include <stdbool.h>

struct stops {
    int signals; /* reads SIGINT, SIGTERM and SIGHUP, which are blocked */
    int job;     /* readable when the job's slurmstepd ended; -1: none */
};

/* The watched signals. */
void stops_signals(sigset_t *set);

/* Blocks the signals and begins to watch; once, before the first
 * subprocess_run. From then on orphans become children of this process. */
int stops_open(struct stops *stops, struct error *err);
void stops_close(struct stops *stops);

/* Whether a request to end has come since the last call. */
bool stops_came(const struct stops *stops);

#endif
