/* The statistics of the summary: medians and their confidence. */
#ifndef BENCH_STATS_H
#define BENCH_STATS_H

#include <stdbool.h>

/* Sorts ascending, in place. */
void stats_sort(double *values, int count);

/* The median of sorted values; NAN when there are none. */
double stats_median(const double *sorted, int count);

/* Number of the order statistic (from 1) that is the lower end of the 95 %
 * confidence interval of the median; the upper end is count + 1 - it.  0 when
 * the values are too few (below 6). */
int stats_ci_order(int count);

/* Half the width of that interval; NAN when the values are too few. */
double stats_half_width(const double *sorted, int count);

#endif
