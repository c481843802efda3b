/* The rows of the summary, sorted so that tables and their groups lie together.
 */
#ifndef BENCH_RESULTS_SUMMARY_ROWS_H
#define BENCH_RESULTS_SUMMARY_ROWS_H

#include "bench/options/table.h"
#include "bench/results/label.h"
#include "bench/results/results.h"

/* A result with its keys for sorting and grouping. */
struct summary_row {
    const struct result *result;
    int kernel, scheme;     /* positions in the registries */
    char *label;            /* owned */
    char *shape;            /* layout and machine: given, not chosen; owned */
    const char *conditions; /* what of it is no layout: load, powers; or "" */
    struct stats_median time;
    double half_s, bound_s, overhead_s, imbalance, chunks;
    double others, others_max_s; /* what other processes had; NAN */
    struct stats_median serial,
        speedup;      /* speedup_limits.h; speedup: over serial */
    double powers;    /* of its workers; the slowest has 1 */
    bool refused;     /* it cannot be */
    double planned_s; /* makespan of its plan, known before it ran; NAN: none */
};

/* A row of each result, to be freed by summary_rows_free. */
struct summary_row *summary_rows_make(const struct results *results);
void summary_rows_free(struct summary_row *rows, int count);

/* The words in place of numbers; NULL when there are numbers. */
const char *summary_row_words(const struct result *result);

/* Whether it may be the fastest of its group. */
bool summary_row_ranked(const struct summary_row *row);

/* Whether both are of one loop on one machine. */
bool summary_row_same_loop(const struct summary_row *a,
                           const struct summary_row *b);

/* Writes the heads, and a row of each cell, which are judged, for programs;
 * `fastest` as answers_mark has set it.  Columns: results/README.md. */
void summary_rows_write(FILE *out, const struct summary_row *rows, int count,
                        const bool *fastest, enum table_format format);

/* What the marks and columns of these rows mean, none that they lack. */
void summary_rows_legend(FILE *out, const struct results *results,
                         const struct summary_row *rows, int count);

#endif
