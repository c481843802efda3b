#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

bool stats_known(struct stats_median m, double share)
{
    return fmax(m.high - m.median, m.median - m.low) <= share * m.median;
}

double stats_split(const double *values, int count, double factor)
{
    double sorted[STATS_SPLIT_MAX], split = INFINITY;
    memcpy(sorted, values, (size_t)count * sizeof(*sorted));
    stats_sort(sorted, count);
    for (int i = 1; i < count; i++)
        if (sorted[i] > factor * sorted[i - 1]) {
            factor = sorted[i] / sorted[i - 1];
            split = sqrt(sorted[i] * sorted[i - 1]);
        }
    return split;
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

/* ---- two samples ---- */
/* Above it the counts of arrangements are not exact in a double, and U is close
 * to normal. */
enum { EXACT_MOST = 25 };

/* How many arrangements of m and n values have each U, from 0 to u: the
 * coefficients of the Gaussian binomial (m + n over n). */
static void count_arrangements(double *ways, int u, int m, int n)
{
    for (int i = 0; i <= u; i++)
        ways[i] = i == 0;
    for (int j = 1; j <= n; j++) {
        for (int i = u; i >= m + j; i--)
            ways[i] -= ways[i - m - j];
        for (int i = j; i <= u; i++)
            ways[i] += ways[i - j];
    }
}

static double count_all(int m, int n)
{
    double all = 1;
    for (int j = 1; j <= n; j++)
        all *= (double)(m + j) / j;
    return round(all);
}

/* The largest number of differences to leave out at each end: P(U < k) is at
 * most alpha / 2.  -1: out of memory. */
static int leave_out_exactly(int m, int n, double alpha)
{
    int u = m * n / 2, k = 0;
    double *ways = malloc(((size_t)u + 1) * sizeof(*ways));
    if (ways == NULL)
        return -1;
    count_arrangements(ways, u, m, n);
    double most = alpha / 2 * count_all(m, n), sum = ways[0];
    while (k <= u && sum <= most) {
        k++;
        sum += k <= u ? ways[k] : 0;
    }
    free(ways);
    return k;
}

/* The x that a normal value is below with chance p, by bisection. */
static double normal_quantile(double p)
{
    double low = -40, high = 0;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        if (0.5 * erfc(-middle / sqrt(2)) < p)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The same for larger samples, by the normal distribution of U: mean m n / 2,
 * variance m n (m + n + 1) / 12. */
static int leave_out_nearly(int m, int n, double alpha)
{
    double both = (double)m * n;
    double k =
        both / 2 + normal_quantile(alpha / 2) * sqrt(both * (m + n + 1) / 12);
    return k > 0 ? (int)floor(k) : 0;
}

struct stats_median stats_shift(const double *a, int a_count, const double *b,
                                int b_count, double alpha)
{
    struct stats_median shift = {NAN, NAN, NAN};
    int all = a_count * b_count;
    double *differences = malloc(((size_t)all + 1) * sizeof(*differences));
    int out = a_count <= EXACT_MOST && b_count <= EXACT_MOST
                  ? leave_out_exactly(a_count, b_count, alpha)
                  : leave_out_nearly(a_count, b_count, alpha);
    if (all > 0 && differences != NULL && out >= 0) {
        for (int i = 0; i < all; i++)
            differences[i] = b[i / a_count] - a[i % a_count];
        shift.median = stats_middle(differences, all);
        shift.low = out > 0 ? differences[out - 1] : -INFINITY;
        shift.high = out > 0 ? differences[all - out] : INFINITY;
    }
    free(differences);
    return shift;
}

/* An interval is finite if one difference can be left out at each end.  Its
 * chance is 1 in C(2n, n) on each side. */
int stats_shift_least(double alpha)
{
    int n = 1;
    while (2 / count_all(n, n) > alpha)
        n++;
    return n;
}
