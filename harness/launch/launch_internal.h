/* The private parts of a launch, shared by launch.c (loops, rounds, files) and
 * launch_item.c (one cell of a block: open, measure, record, finish). */
#ifndef HARNESS_LAUNCH_LAUNCH_INTERNAL_H
#define HARNESS_LAUNCH_LAUNCH_INTERNAL_H

#include "base/system/energy.h"
#include "harness/cell/cell.h"
#include "harness/check/choice.h"
#include "harness/check/worklist.h"
#include "harness/problem/loop.h"
#include "harness/record/record.h"
#include "harness/repetition/repetition.h"

#include <stdio.h>

/* The order in which a launch measures its cells, and its blocks.
 *
 * Repetitions go in rounds over a whole block, so that a slow drift of the
 * machine, or a state of some seconds, favours no cell.  Later comparisons are
 * between cells of one kernel: they are adjacent, and a block ends between two
 * kernels if possible. */

enum { LAUNCH_BLOCK_LEAST = 8, LAUNCH_BLOCK_MOST = 64 };

/* Moves the cells of a kernel together in order[0..count-1], indices into the
 * cells: kernels in the order of their first cells, and their cells in the
 * given order. */
void launch_gather(const struct cell *cells, int *order, int count);

/* The number of cells from order[from] in one block: 1 to LAUNCH_BLOCK_MOST.
 * An interrupted launch loses its unfinished block, so a block has at most two
 * minutes of cells, each of cell_seconds, or LAUNCH_BLOCK_LEAST cells. */
int launch_block(const struct cell *cells, const int *order, int from,
                 int count, double cell_seconds);

/* One cell of a block while it is measured. */
struct item {
    const struct cell *cell;
    struct setup setup; /* of the running cell: the given or the chosen one */
    struct loop *loop;
    struct run *run;     /* NULL: not opened because of an error, or done */
    struct trial *trial; /* that has the run now, of scheme auto; NULL: none */
    double *time;
    int repetitions;
    double spent_s;
    bool unverified;
};

/* A loop and the first cell that needed it. */
struct opened {
    struct loop *loop;
    struct cell cell;
};

struct launch {
    struct worklist work;
    struct launch_context context;
    struct record_file runs, workers, chunks, choices;
    struct opened *opened; /* loops, so far */
    int loops;
    int64_t opened_room;
    uint64_t random;
    int failed;           /* cells that did not run or verify */
    double handover_s[2]; /* before and after the last repetition */
    double looked_s;      /* time of the second measurement */
    struct energy energy; /* of the host, by its first rank; natively only */
    double began_s;       /* when it was opened */
    char last_reason[sizeof(((struct error *)0)->text)];
};

/* Collective, after a repetition or before the first of a round: measures the
 * machine's state. */
void launch_look(struct launch *launch);

static inline bool launch_root(const struct launch *launch)
{
    return launch->context.comm.rank == 0;
}

static inline void launch_report(const struct launch *launch,
                                 const char *format, const char *text,
                                 int number)
{
    if (!launch_root(launch))
        return;
    printf(format, text, number);
    fflush(stdout);
}

/* Reports the same reason for many cells only once. */
void launch_complain(struct launch *launch, const struct error *err);

/* Collective.  Cells with the same kernel and binding share its instance and
 * its reference; cells that send input to workers also share the input. */
int launch_loop(struct launch *launch, const struct setup *setup,
                struct loop **out, struct error *err);

/* Collective.  A cell that cannot be opened is recorded as failed, with the
 * reason, and the others continue. */
int item_open(struct launch *launch, struct item *item, struct error *err);
int item_warm(struct launch *launch, struct item *item, struct error *err);
int item_measure(struct launch *launch, struct item *item, struct error *err);

/* Rank 0: whether the cell has been measured well enough. */
bool item_enough(const struct item *item, const struct policy *policy);

/* Records the remaining lines, and closes the run. */
int item_finish(struct launch *launch, struct item *item, struct error *err);
void item_close(struct item *item);

/* Serial loops are measured in turns with their block's cells: rank 0 runs the
 * loop, the other ranks and threads sleep. beside_begin collects the different
 * loops of a block in `loop`; returns their number. */
int beside_begin(const struct item *item, int count,
                 struct loop *loop[LAUNCH_BLOCK_MOST]);

/* Collective: a turn of the loop, if due.  It is due until its median is known
 * as well as a cell's must be.  After three passes or one second it takes at
 * most an eighth of its cells' time. */
int beside_turn(struct launch *launch, struct loop *loop, struct error *err);

/* Collective.  The manifest: machine and software of this launch, at rank 0;
 * NULL elsewhere. */
json_t *manifest_make(const struct worklist *, struct launch_context *);
/* Collective, after all measurements: adds what each host used.  Returns
 * whether the manifest has changed, at rank 0. */
bool manifest_end(struct launch *launch, json_t *manifest);

/* A cell of scheme auto:by=trial during its measurement: all its candidates are
 * open, and `current` runs the next repetition.  Rank 0 decides
 * (sched/select/select.h), and all ranks run that one. */

struct trial {
    struct cell cell;        /* with the current choice in `chosen` */
    struct cell *candidates; /* owned */
    struct setup *setup;     /* one per candidate, */
    struct run **run;        /* and its run */
    int count, current;
    struct select_rule rule;
    struct select select; /* rank 0 */
    int seen[SELECT_MAX]; /* repetitions of each candidate; rank 0 */
    double spent_s[SELECT_MAX];
};

/* Collective: opens all candidates, for at least policy's `repetitions`. */
int trial_open(struct trial **trial, const struct setup *setup,
               struct loop *loop, struct launch_context *context,
               const struct policy *policy, struct error *err);
void trial_close(struct trial *trial);

/* Rank 0: whether the next repetition is a trial. */
bool trial_trying(const struct trial *trial);

/* Collective: reports the time of a repetition, as measured by rank 0.  Returns
 * rank 0's decision; trial->current runs next. */
enum select_event trial_add(struct trial *trial, const struct comm *comm,
                            double time_s);

/* Lines of choices-<launch>.jsonl: a decision after a repetition (NULL: none),
 * and the result of a candidate; rank 0. */
json_t *trial_row_decision(const struct trial *trial, const char *launch,
                           int repetition, enum select_event event);
json_t *trial_row_candidate(const struct trial *trial, const char *launch,
                            int candidate);

/* The lines of the result files (results/README.md), made from results. */

/* The common values of a cell's lines. */
struct row_context {
    const char *launch;
    const struct cell *cell;
    const struct loop *loop;
    const struct run *run;
    const struct trial *trial; /* NULL: the cell is not chosen by trial */
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
