/* DLS_REPORT=dir: records a loop as lines of a result directory
 * (results/README.md).  A process is a launch; each execution of the loop is a
 * repetition of its cell. */
#ifndef DLS_LOOP_REPORT_H
#define DLS_LOOP_REPORT_H

#include "dls/dls_internal.h"
#include "dls/this_process.h"
#include "harness/record/line/run_line.h"

#include <limits.h>

struct report_times;

struct loop_report {
    char *dir, *name;              /* the result directory; the loop's name */
    char own[PROCESS_NAME_MAX];    /* this process's launch: names its files */
    char launch[PROCESS_NAME_MAX]; /* of the lines: over ranks rank 0's */
    char cell[28];
    struct line fields;         /* the cell as members of a line */
    int64_t repetition;         /* the last one written, 0: none */
    struct report_times *times; /* over ranks, in rank 0: one for each rank */
    uint64_t start;             /* tick of its first request, */
    double tick_s, time_s;      /* seconds of a tick, and its time */
};

/* How the loop is run; NULL: does not apply. */
struct report_form {
    const char *transport, *hierarchy, *master, *window, *victim;
    const double *power; /* of `workers`; NULL: equal */
    int ranks, threads, workers;
};

/* Times of the workers of a process, by the clock of its first request.
 * report_add combines several processes. */
struct report_times {
    double time_s;    /* from the first request to the last chunk's end */
    double compute_s; /* in chunks, sum */
    double least_s;   /* in chunks, of the worker that computed least */
    double finish_s;  /* when each worker finished, sum */
    double finish_squares;
    int64_t workers, chunks;
    int oversubscribed;
};

/* ---- loop_report.c ---- */

/* Whether the environment asks for reports. */
bool report_is_asked(void);

/* Makes the folder and measures the loop from now on.  Returns 0, -ENOMEM or
 * -errno with an error that names DLS_REPORT. */
int report_ask(dls_loop *loop, const char *name);

/* Describes the cell, and checks that this process can write its file: with
 * `leads` that of runs, otherwise of workers.  The lines name `launch`; NULL:
 * this process's launch.  Returns as report_ask. */
int report_open(dls_loop *loop, const struct report_form *form, bool leads,
                const char *launch);

/* Opens a file of this process and locks it against its other threads.  Returns
 * a descriptor or -errno. */
int report_file(dls_loop *loop, const char *kind, char path[PATH_MAX]);
/* Returns 0, -ENOMEM or -errno. */
int report_append(dls_loop *loop, int file, const char *path,
                  const struct line *lines);
/* Adds DLS_REPORT to the error; returns code. */
int report_failed(dls_loop *loop, int code);

void report_free(struct loop_report *report);

/* ---- loop_report_rows.c ---- */

void report_times(dls_loop *loop, struct report_times *times);
void report_add(struct report_times *all, const struct report_times *times);

/* report_run appends a line of runs, which numbers the repetition.
 * report_workers appends this process's workers, of which the first has number
 * `first`, in rank `rank`.  Both return as report_ask. */
int report_run(dls_loop *loop, const struct report_times *all);
int report_workers(dls_loop *loop, int first, int rank);

/* The loop closes: its last line of runs makes its repetitions count. */
int report_done(dls_loop *loop);

/* Everything for a loop in one process: after an execution, and when it closes.
 * Without DLS_REPORT they do nothing. */
int report_step(dls_loop *loop);
int report_last(dls_loop *loop);

#endif
