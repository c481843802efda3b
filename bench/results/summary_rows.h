/* The rows of the summary, sorted so that tables and their groups are
 * contiguous. */
#ifndef BENCH_RESULTS_SUMMARY_ROWS_H
#define BENCH_RESULTS_SUMMARY_ROWS_H

#include "bench/options/table.h"
#include "bench/results/label.h"
#include "bench/results/results.h"

/* A result with the keys for sorting and grouping it. */
struct summary_row {
    const struct result *result;
    int kernel, scheme;     /* positions in the registries */
    char *label;            /* freed with the row */
    char *shape;            /* layout and machine: given, not chosen; freed */
    const char *conditions; /* its part without the layout: load, powers; or
                               "" */
    struct stats_median time;
    double half_s, bound_s, overhead_s, imbalance, chunks;
    double others, others_max_s; /* what other processes used; NAN */
    struct stats_median serial,
        speedup;      /* speedup_limits.h; speedup: over serial */
    double powers;    /* of its workers; the slowest has 1 */
    bool refused;     /* its speedup is impossible */
    double planned_s; /* makespan of its plan, before the run; NAN: none */
};

/* One row per result; free with summary_rows_free. */
struct summary_row *summary_rows_make(const struct results *results);
void summary_rows_free(struct summary_row *rows, int count);

/* Words that replace numbers; NULL if there are numbers. */
const char *summary_row_words(const struct result *result);

/* Whether the row may be the fastest of its group. */
bool summary_row_ranked(const struct summary_row *row);

/* Whether both rows are from one loop on one machine. */
bool summary_row_same_loop(const struct summary_row *a,
                           const struct summary_row *b);

/* Writes, for programs, the heads and the judged rows of all cells; `fastest`
 * from answers_mark.  Columns: results/README.md. */
void summary_rows_write(FILE *out, const struct summary_row *rows, int count,
                        const bool *fastest, enum table_format format);

/* Explains the marks and columns that occur in these rows. */
void summary_rows_legend(FILE *out, const struct results *results,
                         const struct summary_row *rows, int count);

#endif
