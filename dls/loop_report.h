/* DLS_REPORT=dir: what a loop did, as lines of a result directory
 * (results/README.md).  A process is a launch; each time that a loop runs is a
 * repetition of its cell. */
#ifndef DLS_LOOP_REPORT_H
#define DLS_LOOP_REPORT_H

#include "dls/dls_internal.h"
#include "dls/this_process.h"
#include "harness/record/line/run_line.h"

#include <limits.h>

struct report_part;

struct report {
    char *dir, *name;              /* of the result directory, of the loop */
    char own[PROCESS_NAME_MAX];    /* this process's launch: of its files */
    char launch[PROCESS_NAME_MAX]; /* of the lines: over ranks rank 0's */
    char cell[28];
    struct line fields;        /* the cell, and all of it: members of a line */
    int64_t repetition;        /* the last that was written, 0: none */
    struct report_part *parts; /* over ranks, in rank 0: of each */
    uint64_t start;            /* of it: tick of the first request, */
    double tick_s, time_s;     /* seconds of a tick, and its time */
};

/* How the loop is run; NULL: does not apply. */
struct report_form {
    const char *transport, *hierarchy, *master, *window, *victim;
    const double *power; /* of `workers`; NULL: equal */
    int ranks, threads, workers;
};

/* Times of the workers of a process, by the clock of its first request.
 * report_add combines several processes. */
struct report_part {
    double time_s;    /* until the last chunk was finished */
    double compute_s; /* in chunks, sum */
    double least_s;   /* in chunks, of the worker with the least */
    double finish_s;  /* when each finished, sum */
    double finish_squares;
    int64_t workers, chunks;
    int oversubscribed;
};

/* ---- loop_report.c ---- */

/* Whether the environment asks for reports. */
bool report_is_asked(void);

/* Makes the folder, and measures the loop from now on.  Returns 0, -ENOMEM or
 * -errno, with a text that names DLS_REPORT. */
int report_ask(dls_loop *loop, const char *name);

/* The cell; and that this process can write its files: `leads` has those of
 * runs.  Lines are of the launch `launch`; NULL: of this process's own.
 * Returns as report_ask. */
int report_open(dls_loop *loop, const struct report_form *form, bool leads,
                const char *launch);

/* Opens a file of this process, locked: its threads append to it.  Returns a
 * descriptor or -errno. */
int report_file(dls_loop *loop, const char *kind, char path[PATH_MAX]);
/* Returns 0, -ENOMEM or -errno. */
int report_append(dls_loop *loop, int file, const char *path,
                  const struct line *lines);
/* The error is one of DLS_REPORT; returns code. */
int report_failed(dls_loop *loop, int code);

void report_free(struct report *report);

/* ---- loop_report_rows.c ---- */

void report_part(dls_loop *loop, struct report_part *part);
void report_add(struct report_part *all, const struct report_part *part);

/* A line of runs, by which the repetition gets its number; then those of this
 * process's workers, which are `first` and the following, in rank `rank`.
 * Return as report_ask. */
int report_run(dls_loop *loop, const struct report_part *all);
int report_workers(dls_loop *loop, int first, int rank);

/* The loop closes: its repetitions count. */
int report_done(dls_loop *loop);

/* All of a loop in one process, when it has run and when it closes; nothing
 * without DLS_REPORT. */
int report_step(dls_loop *loop);
int report_last(dls_loop *loop);

#endif
