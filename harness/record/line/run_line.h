/* The lines of runs-*.jsonl: a repetition of a cell, and a cell's end
 * (results/README.md).  All programs make them here, from the columns in
 * run_columns.def. */
#ifndef HARNESS_RECORD_LINE_RUN_LINE_H
#define HARNESS_RECORD_LINE_RUN_LINE_H

#include "harness/record/line/json_line.h"

enum { RECORD_SCHEMA = 1 };

/* The column groups of a line, by the program that makes it and by its data. */
enum run_group {
    RUN_ALWAYS = ~0,
    RUN_LAUNCH = 1,     /* run and sim */
    RUN_REPLAY = 2,     /* replay */
    RUN_PROGRAM = 4,    /* omp */
    RUN_LIBRARY = 8,    /* libdls */
    RUN_NATIVE = 16,    /* a launch's, measured */
    RUN_SIMULATED = 32, /* a launch's, simulated */
    RUN_PLAN = 64,
    RUN_WORK = 128, /* the kernel's work can be counted, */
    RUN_WORK_BYTES = 256,
    RUN_WORK_ALONE = 512, /* or a simulation charges no bytes */
    RUN_HANDOVER = 1024,
    RUN_STEPS = 2048,  /* independent time steps */
    RUN_POWERS = 4096, /* powers were measured */
    RUN_TRIAL = 8192,
    RUN_TRIED = 16384, /* a run of omp --try, */
    RUN_OUTPUT = 32768 /* whose output has a digest */
};

struct run_line {
    int groups; /* bits of enum run_group */
#define COLUMN(type, name, write, of, text) type name;
#include "harness/record/line/run_columns.def"
};

/* Begins a line of a cell, whose members are in `cell`. */
void run_line_begin(struct line *line, const char *cell, const char *type,
                    const char *launch);

/* Adds a line `run`, or a line `cell_done`; reason NULL: null.  A reason of
 * several lines is joined into one. */
void run_line_add(struct line *line, const char *cell, const char *launch,
                  const struct run_line *run);
void run_line_done(struct line *line, const char *cell, const char *launch,
                   const char *status, int64_t repetitions, const char *reason);

#endif
