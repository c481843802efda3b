/* Times the chunks that the threads of a team take. */
#ifndef BENCH_OVERHEAD_TIMED_TEAM_H
#define BENCH_OVERHEAD_TIMED_TEAM_H

#include "harness/messages/source.h"
#include "harness/repetition/repetition.h"

#include <stdint.h>

/* Runs the body on every thread of the team, each bound to a separate core; the
 * body returns the number of its chunks.  Returns ns per chunk, from a common
 * start until all threads have finished; sets *chunks (or NULL) to their
 * number.  The team is the context's or has its size. */
double team_time_chunks(struct launch_context *context,
                        struct engine_team *team,
                        int64_t (*body)(int thread, void *arg), void *arg,
                        int64_t *chunks);

/* The simplest way to hand out chunks: ns per fetch-and-add of all threads on
 * the counter, for this many steps. */
double team_time_counter(struct launch_context *context,
                         struct source_counter *counter, int64_t steps);

/* The simplest `ss`: one worker's share of so many steps.  It takes the next
 * step before it runs this one's body, which is called by pointer.  Returns the
 * number of the worker's steps. */
int64_t team_call_steps(struct source_counter *counter, int64_t steps,
                        const struct kernel_ops *kernel, const void *instance);
/* ns per step if all threads run team_call_steps. */
double team_time_calls(struct launch_context *context,
                       struct source_counter *counter, int64_t steps,
                       const struct kernel_ops *kernel, const void *instance);

/* One worker's share of a loop: the kernel runs all chunks from the source.
 * Returns their number. */
int64_t team_run_source(struct source *source, const struct kernel_ops *kernel,
                        const void *instance);

/* The null kernel, and an instance of it. */
int team_null_kernel(const struct kernel_ops **kernel, void **instance,
                     struct error *err);

/* The chunks of a scheme; free them with sched_table_free. */
int team_table(struct sched_table *table, const char *scheme,
               int64_t iterations, int workers, struct error *err);

/* Zeroed memory on separate cache lines, for free(); never NULL. */
void *team_memory(size_t size);

#endif
