#include "bench/stats.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void stats_sort(double *values, int count)
{
    if (count > 1)
        qsort(values, (size_t)count, sizeof(*values), compare);
}

double stats_median(const double *sorted, int count)
{
    if (count < 1)
        return NAN;
    int upper = count / 2;
    if (count % 2 == 1)
        return sorted[upper];
    return (sorted[upper - 1] + sorted[upper]) / 2;
}

/* The number of values below the median is binomial(n, 1/2).  [x_k, x_n+1-k]
 * misses the median with probability 2 P(B < k); k is the largest for which
 * this is at most 5 %. */
int stats_ci_order(int count)
{
    enum { EXACT_MAX = 1000 }; /* beyond, 2^-n leaves the range of double */
    if (count > EXACT_MAX)
        return (int)floor(count / 2.0 - 0.98 * sqrt(count));
    double term = pow(0.5, count), below = 0;
    int k = 0;
    while (k < count && below + term <= 0.025) {
        below += term;
        term *= (double)(count - k) / (k + 1);
        k++;
    }
    return k;
}

double stats_half_width(const double *sorted, int count)
{
    int k = stats_ci_order(count);
    if (k < 1)
        return NAN;
    return (sorted[count - k] - sorted[k - 1]) / 2;
}
