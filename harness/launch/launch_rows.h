/* The lines of the result files (results/README.md), made from results. */
#ifndef HARNESS_LAUNCH_LAUNCH_ROWS_H
#define HARNESS_LAUNCH_LAUNCH_ROWS_H

#include "harness/problem/loop.h"
#include "harness/record/record.h"
#include "harness/repetition/run.h"

/* The common values of a cell's lines. */
struct row_context {
    const char *launch;
    const struct cell *cell;
    const struct loop *loop;
    const struct run *run;
    const struct counters_list *events;
    uint64_t seed;
    double tick_s;
    int repetition;       /* from 1 */
    double handover_s[2]; /* between cores, before and after the repetition;
                             NAN: not measured (handover.h) */
};

/* One line of runs-<launch>.jsonl. */
json_t *row_run(const struct row_context *context,
                const struct run_result *result);

/* One line of workers-<launch>.jsonl. */
json_t *row_worker(const struct row_context *context,
                   const struct run_result *result, int worker);

/* One line of chunks-<launch>.jsonl. */
json_t *row_chunk(const struct row_context *context,
                  const struct run_result *result, int64_t index);

/* The columns of serial passes, and of what other processes had of the cores:
 * to a line of runs, and to a line of workers. */
void rows_add_serial(json_t *row, const struct loop *loop);
void rows_add_others(json_t *row, const struct run *run,
                     const struct run_result *result);
void rows_add_share(json_t *row, const struct engine_share *share);

#endif
