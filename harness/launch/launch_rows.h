/* The lines of the result files (results/README.md), made from results. */
#ifndef HARNESS_LAUNCH_LAUNCH_ROWS_H
#define HARNESS_LAUNCH_LAUNCH_ROWS_H

#include "harness/launch/trial.h"
#include "harness/problem/loop.h"
#include "harness/record/record.h"
#include "harness/repetition/run.h"

/* The common values of a cell's lines. */
struct row_context {
    const char *launch;
    const struct cell *cell;
    const struct loop *loop;
    const struct run *run;
    const struct trial *trial; /* NULL: the cell chooses nothing by trying */
    const struct counters_list *events;
    uint64_t seed;
    double tick_s;
    int repetition;       /* from 1 */
    double handover_s[2]; /* between cores, before and after the repetition;
                             NAN: not measured (handover.h) */
};

/* Appends a line to runs-<launch>.jsonl.  Returns as record_line. */
int row_run(const struct row_context *context, const struct run_result *result,
            struct record_file *file, struct error *err);

/* One line of workers-<launch>.jsonl. */
json_t *row_worker(const struct row_context *context,
                   const struct run_result *result, int worker);

/* One line of chunks-<launch>.jsonl. */
json_t *row_chunk(const struct row_context *context,
                  const struct run_result *result, int64_t index);

#endif
