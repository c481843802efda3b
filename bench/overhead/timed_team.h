/* Chunks that the threads of a team take, timed. */
#ifndef BENCH_OVERHEAD_TIMED_TEAM_H
#define BENCH_OVERHEAD_TIMED_TEAM_H

#include "harness/messages/source.h"
#include "harness/repetition/repetition.h"

#include <stdint.h>

/* Runs the body on every thread of the team, each bound to a separate core; the
 * body returns the number of its chunks.  ns per chunk, from a common start
 * until all threads have finished; *chunks (or NULL): how many there were.  The
 * team is the context's or as large. */
double team_time_chunks(struct launch_context *context,
                        struct engine_team *team,
                        int64_t (*body)(int thread, void *arg), void *arg,
                        int64_t *chunks);

/* The barest way to hand out chunks: ns per fetch-and-add of all threads on the
 * counter, for this many steps. */
double team_time_counter(struct launch_context *context,
                         struct source_counter *counter, int64_t steps);

/* The barest `ss`: a worker's part of so many steps.  The next step is counted
 * before the body of this one runs, which is called by pointer.  Returns the
 * number of the worker's steps. */
int64_t team_call_steps(struct source_counter *counter, int64_t steps,
                        const struct kernel_ops *kernel, const void *instance);
/* ns per step of all threads that do so. */
double team_time_calls(struct launch_context *context,
                       struct source_counter *counter, int64_t steps,
                       const struct kernel_ops *kernel, const void *instance);

/* A worker's part of a loop: the kernel runs all chunks that the source hands
 * out.  Returns their number. */
int64_t team_run_source(struct source *source, const struct kernel_ops *kernel,
                        const void *instance);

/* The null kernel, and one of it. */
int team_null_kernel(const struct kernel_ops **kernel, void **instance,
                     struct error *err);

/* The chunks of a scheme, to be freed by sched_table_free. */
int team_table(struct sched_table *table, const char *scheme,
               int64_t iterations, int workers, struct error *err);

/* Zeroed, on cache lines that nothing else uses; to be freed; never NULL. */
void *team_memory(size_t size);

#endif
