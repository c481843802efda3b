#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

static int compare_reals(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The largest number k of values to leave out at each end so that the rest
 * still covers the median with 95 %: P(Binomial(n, 1/2) < k) <= 0.025. */
static int leave_out(int n)
{
    double log_term = -n * log(2.0), sum = exp(log_term);
    int k = 0;
    while (k < n / 2 && sum <= 0.025) {
        k++;
        log_term += log((double)(n - k + 1)) - log((double)k);
        sum += exp(log_term);
    }
    return k;
}

void stats_sort(double *values, int count)
{
    qsort(values, (size_t)count, sizeof(*values), compare_reals);
}

double stats_middle(double *values, int count)
{
    int half = count / 2;
    if (count == 0)
        return NAN;
    stats_sort(values, count);
    return count % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

struct stats_median stats_median(double *values, int count)
{
    int out = leave_out(count);
    double median = stats_middle(values, count);
    int low = out > 0 ? out - 1 : 0;
    return (struct stats_median){median, values[low], values[count - 1 - low]};
}

struct stats_median stats_ratio(struct stats_median of,
                                struct stats_median over)
{
    double ratio = of.median / over.median;
    double below = hypot(log(of.median / of.low), log(over.high / over.median));
    double above = hypot(log(of.high / of.median), log(over.median / over.low));
    return (struct stats_median){ratio, ratio * exp(-below),
                                 ratio * exp(above)};
}

/* A heap of the times at which workers become free, smallest on top. */
static void sift_down(double *heap, int count)
{
    for (int i = 0;;) {
        int child = 2 * i + 1;
        if (child >= count)
            return;
        if (child + 1 < count && heap[child + 1] < heap[child])
            child++;
        if (heap[i] <= heap[child])
            return;
        double swap = heap[i];
        heap[i] = heap[child];
        heap[child] = swap;
        i = child;
    }
}

double stats_list_schedule(const double *cost, int64_t chunks, int workers)
{
    double last = 0;
    double *heap = workers > 0 ? calloc((size_t)workers, sizeof(*heap)) : NULL;
    if (heap == NULL)
        return -1;
    for (int64_t i = 0; i < chunks; i++) {
        heap[0] += cost[i];
        if (heap[0] > last)
            last = heap[0];
        sift_down(heap, workers);
    }
    free(heap);
    return last;
}

double stats_least_time(const double *cost, int64_t chunks, int workers)
{
    double sum = 0, largest = 0;
    if (workers < 1)
        return -1;
    for (int64_t i = 0; i < chunks; i++) {
        sum += cost[i];
        largest = cost[i] > largest ? cost[i] : largest;
    }
    return sum / workers > largest ? sum / workers : largest;
}
