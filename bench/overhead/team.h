/* Chunks that the threads of a team take, timed. */
#ifndef BENCH_OVERHEAD_TEAM_H
#define BENCH_OVERHEAD_TEAM_H

#include "harness/run/run.h"

#include <stdint.h>

/* Runs the body on every thread of the team, each bound to a core of its own;
 * the body returns the number of its chunks.  ns per chunk, from a common start
 * until all threads have finished; *chunks (or NULL): how many there were.  The
 * team is the context's or as large. */
double team_time_chunks(struct launch_context *context,
                        struct engine_team *team,
                        int64_t (*body)(int thread, void *arg), void *arg,
                        int64_t *chunks);

#endif
