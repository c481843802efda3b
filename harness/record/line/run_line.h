/* The lines of runs-*.jsonl: a repetition of a cell, and its end
 * (results/README.md).  Everybody's are made here, of the columns in
 * run_columns.def. */
#ifndef HARNESS_RECORD_LINE_RUN_LINE_H
#define HARNESS_RECORD_LINE_RUN_LINE_H

#include "harness/record/line/json_line.h"

enum { RECORD_SCHEMA = 1 };

/* The parts of a line: its maker, and further data. */
enum run_part {
    RUN_ALWAYS = ~0,
    RUN_LAUNCH = 1,     /* run and sim */
    RUN_REPLAY = 2,     /* replay */
    RUN_PROGRAM = 4,    /* omp */
    RUN_LIBRARY = 8,    /* libdls */
    RUN_NATIVE = 16,    /* of a launch: measured */
    RUN_SIMULATED = 32, /* of a launch: simulated */
    RUN_PLAN = 64,
    RUN_WORK = 128, /* its kernel's work is counted, */
    RUN_WORK_BYTES = 256,
    RUN_WORK_ALONE = 512, /* or a simulation charges no bytes */
    RUN_HANDOVER = 1024,
    RUN_STEPS = 2048,  /* independent time steps */
    RUN_POWERS = 4096, /* they were measured */
    RUN_TRIAL = 8192,
    RUN_TRIED = 16384, /* a run of omp --try, */
    RUN_OUTPUT = 32768 /* whose output has a digest */
};

struct run_line {
    int parts; /* of enum run_part */
#define COLUMN(type, name, write, of, text) type name;
#include "harness/record/line/run_columns.def"
};

/* The begin of a line of a cell, whose members `cell` has. */
void run_line_begin(struct line *line, const char *cell, const char *type,
                    const char *launch);

/* Adds a line `run`, and a line `cell_done`; reason NULL: null.  A reason of
 * several lines becomes one. */
void run_line_add(struct line *line, const char *cell, const char *launch,
                  const struct run_line *run);
void run_line_done(struct line *line, const char *cell, const char *launch,
                   const char *status, int64_t repetitions, const char *reason);

#endif
