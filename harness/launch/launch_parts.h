/* The private parts of a launch, shared by launch.c (loops, rounds, files) and
 * launch_item.c (one cell of a block: open, measure, record, finish). */
#ifndef HARNESS_LAUNCH_LAUNCH_PARTS_H
#define HARNESS_LAUNCH_LAUNCH_PARTS_H

#include "base/system/energy.h"
#include "harness/check/worklist.h"
#include "harness/launch/launch_order.h"
#include "harness/launch/trial.h"
#include "harness/record/record.h"
#include "harness/repetition/run.h"

#include <stdio.h>

/* One cell of a block while it is measured. */
struct item {
    const struct cell *cell;
    struct setup setup; /* of the cell that runs: the given or the chosen one */
    struct loop *loop;
    struct run *run;     /* NULL: could not be opened, or is done */
    struct trial *trial; /* whose run it is at the moment; NULL: the cell's */
    double *time;
    int repetitions;
    double spent_s;
    bool unverified;
};

/* A loop and the first cell that asked for it. */
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
    double looked_s;      /* when rank 0 measured the second */
    struct energy energy; /* of the host, by its first rank; natively only */
    double began_s;       /* when it was opened */
    char last_reason[sizeof(((struct error *)0)->text)];
};

/* After a repetition, or before the first of a round: the state that the
 * machine is in.  Collective. */
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
 * its reference; cells that send input to workers share that. */
int launch_loop(struct launch *launch, const struct setup *setup,
                struct loop **out, struct error *err);

/* All collective.  A cell that cannot be opened is recorded as failed, with the
 * reason, and the others continue. */
int item_open(struct launch *launch, struct item *item, struct error *err);
int item_warm(struct launch *launch, struct item *item, struct error *err);
int item_measure(struct launch *launch, struct item *item, struct error *err);

/* Whether the cell has been measured well enough; rank 0. */
bool item_enough(const struct item *item, const struct policy *policy);

/* Records the remaining lines, and closes. */
int item_finish(struct launch *launch, struct item *item, struct error *err);
void item_close(struct item *item);

/* The serial loops of a block of cells are measured in turns with them: rank 0
 * runs the loop, the other ranks and threads sleep.  A block begins: its loops,
 * each once, to `loop`; returns how many. */
int beside_begin(const struct item *item, int count,
                 struct loop *loop[LAUNCH_BLOCK_MOST]);

/* Collective: a turn of the loop, if due.  It is due until its median is known
 * as well as a cell must be.  Beyond three passes or one second of them, it
 * takes at most an eighth of its cells' time. */
int beside_turn(struct launch *launch, struct loop *loop, struct error *err);

/* Collective.  The manifest, the machine and the software of this launch, at
 * rank 0; NULL elsewhere. */
json_t *manifest_make(const struct worklist *, struct launch_context *);
/* Collective, when all is measured.  Whether the manifest has become another
 * one, at rank 0: what each host used is known. */
bool manifest_end(struct launch *launch, json_t *manifest);

#endif
