/* Fits costs by a line: y = start + slope x, least squares. */
#ifndef HARNESS_MEASURE_FITTED_LINE_H
#define HARNESS_MEASURE_FITTED_LINE_H

#include <stdbool.h>

struct fit {
    double start; /* y at x = 0, at least 0 */
    double slope; /* increase of y per x, at least 0 */
    double r2;    /* share of the weighted variance of y that the line explains;
                     0 or less if it is no better than a constant, 1 if all
                     points are on the line */
};

/* Fits costs by relative errors (weight 1 / y^2), so that small messages set
 * the start-up cost, not the noise of large ones.  Costs are not negative: a
 * start or slope below 0 becomes 0 and the rest is fitted again.  False, with
 * nothing set: fewer than two different x, or a y not above 0. */
bool line_fit(const double *x, const double *y, int count, struct fit *fit);

#endif
