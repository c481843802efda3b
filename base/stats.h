/* Order statistics and bounds of measured times. */
#ifndef BASE_STATS_H
#define BASE_STATS_H

#include <stdbool.h>
#include <stdint.h>

/* Sorts, smallest first. */
void stats_sort(double *values, int count);

/* The median; for an even count the mean of the middle two; NAN without values.
 * Sorts `values`. */
double stats_middle(double *values, int count);

/* The median and the nonparametric 95 % confidence interval of the median
 * (order statistics by the binomial distribution; with fewer than 6 values
 * the interval is the whole range).  Sorts `values`; count at least 1. */
struct stats_median {
    double median, low, high;
};
struct stats_median stats_median(double *values, int count);

/* Whether both ends of the interval are within this share of the median. */
bool stats_known(struct stats_median median, double share);

/* The ratio of two independent medians above 0, of / over, with a 95 %
 * confidence interval from their intervals.  The method is variance estimates
 * recovery (Zou and Donner) on logarithms.  NAN: an input is unknown. */
struct stats_median stats_ratio(struct stats_median of,
                                struct stats_median over);

/* How far the values of `b` are above those of `a`: the median of all
 * differences.  The error of its confidence interval is at most `alpha`, by the
 * distribution of Mann and Whitney's U (Hodges and Lehmann 1963); exact for up
 * to 25 values each.  With too few values the interval is infinite on both
 * sides.  NAN: a sample is empty. */
struct stats_median stats_shift(const double *a, int a_count, const double *b,
                                int b_count, double alpha);

/* The least number of values on each side for a finite interval. */
int stats_shift_least(double alpha);

/* A number between the two clusters that values above 0 form, if these are more
 * than `factor` apart.  INFINITY: no clusters, or a value is unknown. count is
 * at most STATS_SPLIT_MAX. */
enum { STATS_SPLIT_MAX = 64 };
double stats_split(const double *values, int count, double factor);

/* The time that p equal workers need for chunks of the given costs, by list
 * scheduling: each chunk goes, in this order, to the first idle worker.  -1:
 * workers < 1 or out of memory. */
double stats_list_schedule(const double *cost, int64_t chunks, int workers);

/* The least time that p workers need, in any order: an equal share of all, or
 * the largest chunk. */
double stats_least_time(const double *cost, int64_t chunks, int workers);

#endif
