/* A result directory for reading: runs-<launch>.jsonl of all launches.
 *
 * The first cell_done line of a launch and a cell says how the cell ended in
 * that launch.  A repetition counts if this end was ok, unless its verification
 * failed.  Torn lines are skipped. */
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
                    not there */
    RESULT_FAILED,
    RESULT_UNVERIFIED,
    RESULT_OK, /* in one launch at least */
};

/* Fewer repetitions give no confidence interval. */
enum { RESULT_CI_LEAST = 6 };

/* One repetition; NAN is "not known". */
struct result_sample {
    double time_s, bound_s, serial_s, overhead_mean_s, imbalance, chunks;
    double predicted_s; /* by a model or a plan */
    double serial_pass, serial_others, others, others_max_s;
    const void *launch; /* only to be compared */
    bool trial;         /* of scheme auto, to choose by */
};

struct result {
    struct cell cell;
    enum result_status status;
    const char *reason;  /* when failed, or by a program's own check */
    bool oversubscribed; /* workers shared cores */
    bool shared_masters; /* a waiting master was on a worker's core */
    bool sampled;        /* verified by a sample only */
    bool unchecked;      /* nobody has compared (dlsbench omp) */
    bool simulated;      /* every iteration was handed out once, no more */
    int count;           /* repetitions of launches that ended ok */
    int64_t room;
    struct result_sample *samples;
    /* One for each worker, where the launch has measured them (power:
     * measured); NULL: not known, or given with the cell. */
    double *power;
};

struct results {
    int count;
    int64_t room;
    struct result *list;
    json_t *index; /* hash -> position */
    json_t *ends;  /* launch -> hash -> how the cell ended */
    json_t *texts; /* of cells, as in cell_defaults, and reasons */
    json_t *tried; /* answers.json of dlsbench omp --try; NULL: none */
    int torn;      /* lines passed over */
};

/* Reads a directory; free with results_free. */
int results_read(const char *dir, struct results *results, struct error *err);

/* The same for one launch; without powers.  A launch that wrote nothing has no
 * results. */
int results_read_launch(const char *dir, const char *launch,
                        struct results *results, struct error *err);

void results_free(struct results *results);

/* The median of one column over the repetitions, by its offset in struct
 * result_sample, and half its 95 % confidence interval (NULL: not wanted); NAN
 * where it is not known. */
double result_median(const struct result *result, size_t offset, double *half);

/* The same with both ends of the interval, the whole range where there are
 * fewer than 6 values. */
struct stats_median result_interval(const struct result *result, size_t offset);

/* The words of a label that say that cores were shared and that the cell is not
 * ranked; NULL: it is. */
const char *result_unranked(const struct result *result);

/* What --try said of this loop, with a text `verdict`: it compares runs of the
 * same round, so no other comparison holds beside it.  NULL: nothing. */
const json_t *results_tried(const struct results *results, const char *kernel);

/* NULL when the directory does not know this cell. */
const struct result *results_find(const struct results *results,
                                  const char *hash);

/* The private parts of the files results*.c; others use
 * bench/results/results.h. */

/* Whether any cell leaves its powers to be measured. */
bool results_measure_power(const struct results *results);

/* Takes the power of such a cell from a worker's line.  Returns 0 or -ENOMEM.
 */
int results_take_worker(struct results *results, const json_t *line);

#endif
