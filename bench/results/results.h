/* A result directory for reading: runs-<launch>.jsonl of all launches.
 *
 * The first cell_done line of a launch and a cell has the cell's end in that
 * launch.  A repetition counts if this end was ok and its verification did not
 * fail.  Torn lines are skipped. */
#ifndef BENCH_RESULTS_RESULTS_H
#define BENCH_RESULTS_RESULTS_H

#include "base/error.h"
#include "base/stats.h"
#include "harness/cell/cell.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum result_status {
    RESULT_NONE, /* no launch has finished this cell, or its repetitions are
                    missing */
    RESULT_FAILED,
    RESULT_UNVERIFIED,
    RESULT_OK, /* in at least one launch */
};

/* Confidence intervals need so many repetitions. */
enum { RESULT_CI_LEAST = 6 };

/* One repetition; NAN: unknown. */
struct result_sample {
    double time_s, bound_s, serial_s, overhead_mean_s, imbalance, chunks;
    double predicted_s; /* from a model or a plan */
    double serial_pass, serial_others, others, others_max_s;
    const void *launch; /* only for comparisons */
    bool trial;         /* by which scheme auto chooses */
};

struct result {
    struct cell cell;
    enum result_status status;
    const char *reason;  /* if it failed, or from a program's own check */
    bool oversubscribed; /* workers shared cores */
    bool shared_masters; /* a waiting master was on a worker's core */
    bool sampled;        /* verified by a sample only */
    bool unchecked;      /* no comparison was made (dlsbench omp) */
    bool simulated;      /* every iteration was handed out exactly once */
    int count;           /* repetitions of launches with end ok */
    int64_t room;
    struct result_sample *samples;
    /* One per worker, if the launch has measured them (power: measured); NULL:
     * unknown, or given with the cell. */
    double *power;
};

struct results {
    int count;
    int64_t room;
    struct result *list;
    json_t *index; /* hash -> position */
    json_t *ends;  /* launch -> hash -> the cell's end */
    json_t *texts; /* of cells, see cell_defaults, and reasons */
    json_t *tried; /* answers.json of dlsbench omp --try; NULL: none */
    int torn;      /* number of torn lines */
};

/* Reads a directory; free with results_free. */
int results_read(const char *dir, struct results *results, struct error *err);

/* results_read for one launch, without powers.  A launch that wrote nothing has
 * no results. */
int results_read_launch(const char *dir, const char *launch,
                        struct results *results, struct error *err);

void results_free(struct results *results);

/* The median of a column over the repetitions, by its offset in struct
 * result_sample, and half its 95 % confidence interval (NULL: not needed); NAN
 * if unknown. */
double result_median(const struct result *result, size_t offset, double *half);

/* result_median with both ends of the interval; the whole range for fewer than
 * 6 values. */
struct stats_median result_interval(const struct result *result, size_t offset);

/* Words for a label: cores were shared, so the cell is not ranked; NULL: it is
 * ranked. */
const char *result_unranked(const struct result *result);

/* The result of --try for this loop, with a text `verdict`: it compares runs of
 * the same round, so no other comparison is valid beside it.  NULL: none. */
const json_t *results_tried(const struct results *results, const char *kernel);

/* NULL if the directory does not have this cell. */
const struct result *results_find(const struct results *results,
                                  const char *hash);

/* Private declarations of results*.c; other files use
 * bench/results/results.h. */

/* Whether any cell has measured powers. */
bool results_measure_power(const struct results *results);

/* Stores the power of such a cell from a worker's line.  Returns 0 or
 * -ENOMEM. */
int results_take_worker(struct results *results, const json_t *line);

#endif
