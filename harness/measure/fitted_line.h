/* Costs as lines: y = start + slope x by least squares. */
#ifndef HARNESS_MEASURE_FITTED_LINE_H
#define HARNESS_MEASURE_FITTED_LINE_H

#include <stdbool.h>

struct line {
    double start; /* y at x = 0, at least 0 */
    double slope; /* y for each x, at least 0 */
    double r2;    /* share of the weighted variance of y that the line explains;
                     0 or less when it is no better than a constant, 1 when all
                     points are on the line */
};

/* Fits costs: every point counts by its relative error (weight 1 / y^2), so
 * that the small messages set the start-up cost and not the noise of the large
 * ones.  Costs are not negative: where the best line has a start or slope below
 * 0, the best one with 0 there is taken.  False, and nothing set, with less
 * than two different x or with a y that is not above 0. */
bool line_fit(const double *x, const double *y, int count, struct line *fit);

#endif
