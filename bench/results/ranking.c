/* Which choices differ, and why one is slower. */
#include "bench/results/ranking.h"

#include "base/text.h"
#include "harness/process/need.h"

#include <math.h>
#include <stdlib.h>

static const double ERROR = 0.05;

/* The samples to compare: repetitions, or medians of launches. */
static int list_units(const struct result *result, bool by_launch,
                      double *values)
{
    int count = 0;
    for (int from = 0, to; from < result->count; from = to) {
        for (to = from + 1; by_launch && to < result->count; to++)
            if (result->samples[to].launch != result->samples[from].launch)
                break;
        double *part = values + count;
        for (int i = from; i < to; i++)
            part[i - from] = result->samples[i].time_s;
        values[count++] = stats_middle(part, to - from);
    }
    return count;
}

/* Whether it has several launches, whose samples are contiguous. */
static bool has_launches(const struct result *result)
{
    int count = result->count;
    return count > 0 &&
           result->samples[0].launch != result->samples[count - 1].launch;
}

static bool is_compared(const struct summary_row *row, const char *given)
{
    return summary_row_ranked(row) &&
           (given == NULL || text_is(row->shape, given) ||
            text_is(row->conditions, given));
}

/* Whether the row may be as fast as the best one.  The error of the test is
 * divided by `others`, the number of comparisons (Bonferroni). */
static bool cannot_tell(const struct summary_row *best,
                        const struct summary_row *row, bool by_launch,
                        int others)
{
    const struct result *a = best->result, *b = row->result;
    if (a == b || a->simulated)
        return row->time.median <= best->time.median;
    double *x = need_zeroed((size_t)a->count + 1, sizeof(*x));
    double *y = need_zeroed((size_t)b->count + 1, sizeof(*y));
    int m = list_units(a, by_launch, x), n = list_units(b, by_launch, y);
    struct stats_median slower = stats_shift(x, m, y, n, ERROR / others);
    free(x);
    free(y);
    double excused_s = isnan(row->others_max_s) ? 0 : row->others_max_s;
    double later_s = row->time.median - best->time.median;
    return !(slower.low > 0 && later_s > excused_s);
}

int ranking_winners(const struct summary_row *rows, int begin, int end,
                    const char *given, bool *wins, int *fastest)
{
    int best = -1, choices = 0, found = 0;
    bool by_launch = true;
    for (int i = begin; i < end; i++) {
        wins[i] = false;
        if (!is_compared(&rows[i], given))
            continue;
        choices++;
        by_launch = by_launch && has_launches(rows[i].result);
        if (best < 0 || rows[i].time.median < rows[best].time.median)
            best = i;
    }
    *fastest = best;
    for (int i = begin; best >= 0 && !rows[best].refused && i < end; i++) {
        wins[i] = is_compared(&rows[i], given) &&
                  cannot_tell(&rows[best], &rows[i], by_launch,
                              choices > 1 ? choices - 1 : 1);
        found += wins[i];
    }
    return found;
}

/* ---- causes ---- */

/* The share of a loss that a cause must explain. */
static const double EXPLAINED_LEAST = 0.7, MANY_TIMES = 4; /* chunks */

const char *ranking_cause_words(enum slower_cause cause)
{
    static const char *const words[CAUSES] = {
        "some chunks hold too much of the work",
        "handing out so many chunks takes the time", ""};
    return words[cause];
}

/* The mean over workers of the time from their end to the last one's. */
static double end_wait_s(const struct summary_row *row)
{
    return row->time.median * row->imbalance / (1 + row->imbalance);
}

/* The bound of a row's chunks is their time if handing out cost nothing. */
enum slower_cause ranking_cause(const struct summary_row *bad,
                                const struct summary_row *best)
{
    double least = EXPLAINED_LEAST * (bad->time.median - best->time.median);
    double bound_s = bad->bound_s - best->bound_s;
    double rest_s = bad->overhead_s - best->overhead_s;
    if (isnan(bound_s)) { /* a replay: its waits at the end show it */
        bound_s = end_wait_s(bad) - end_wait_s(best);
        rest_s -= bound_s;
    }
    if (bound_s >= least)
        return LARGE_CHUNKS;
    if (rest_s >= least && bad->chunks >= MANY_TIMES * best->chunks)
        return MANY_CHUNKS;
    return CAUSE_UNKNOWN;
}
