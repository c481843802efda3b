/* Which speedups cannot be, then which choices differ (judge_winners). */
#include "bench/results/judge.h"

#include "base/text.h"
#include "bench/options/table.h"
#include "harness/check/setup.h"
#include "harness/program/need.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Others are named from this share on; a speedup or a time is impossible from
 * this share beyond the possible one on, however long its interval. */
static const double OTHERS_LEAST = 0.01, POSSIBLE = 0.9;
static const double ERROR = 0.05;

/* ---- serial passes ---- */

struct pass {
    double number, took_s, others;
};

/* Files from before passes had numbers have one for each launch. */
static int compare_passes(const void *a, const void *b)
{
    const struct pass *x = a, *y = b;
    double p = isnan(x->number) ? 0 : x->number;
    double q = isnan(y->number) ? 0 : y->number;
    if (p != q)
        return p < q ? -1 : 1;
    return (x->took_s > y->took_s) - (x->took_s < y->took_s);
}

static int list_passes(const struct summary_row *rows, int begin, int end,
                       struct pass **list)
{
    int64_t all = 0, count = 0;
    for (int i = begin; i < end; i++)
        all += rows[i].result->count;
    *list = need_zeroed((size_t)all + 1, sizeof(**list));
    for (int i = begin; i < end; i++)
        for (int s = 0; s < rows[i].result->count; s++) {
            const struct result_sample *sample = &rows[i].result->samples[s];
            if (!isnan(sample->serial_s))
                (*list)[count++] =
                    (struct pass){sample->serial_pass, sample->serial_s,
                                  sample->serial_others};
        }
    qsort(*list, (size_t)count, sizeof(**list), compare_passes);
    int kept = 0;
    for (int64_t i = 0; i < count; i++)
        if (kept == 0 || compare_passes(&(*list)[kept - 1], &(*list)[i]) != 0)
            (*list)[kept++] = (*list)[i];
    return kept;
}

static void judge_serial(const struct summary_row *rows, int begin, int end,
                         struct judged *judged)
{
    struct pass *list;
    int n = list_passes(rows, begin, end, &list), known = 0;
    double *took_s = need_zeroed((size_t)n + 1, sizeof(*took_s)), others = 0;
    for (int i = 0; i < n; i++) {
        took_s[i] = list[i].took_s;
        judged->in_turns = judged->in_turns || !isnan(list[i].number);
        if (isnan(list[i].others))
            continue;
        others += list[i].others;
        known++;
    }
    judged->passes = n;
    judged->serial =
        n > 0 ? stats_median(took_s, n) : (struct stats_median){NAN, NAN, NAN};
    judged->serial_others = known > 0 ? others / known : (double)NAN;
    free(took_s);
    free(list);
}

/* ---- speedups ---- */

/* The sum of the powers, the slowest being 1. */
static double sum_of_powers(const struct result *result)
{
    int workers = cell_workers(&result->cell);
    double sum = 0, least = INFINITY;
    const char *at = result->cell.power;
    if (cell_measures_power(&result->cell)) {
        for (int w = 0; result->power != NULL && w < workers; w++) {
            sum += result->power[w];
            least = fmin(least, result->power[w]);
        }
    } else {
        while (*at != '\0') {
            char *end;
            double value = strtod(at, &end), times = 1;
            if (*end == ':') {
                times = value;
                value = strtod(end + 1, &end);
            }
            sum += times * value;
            least = fmin(least, value);
            at = *end == ',' ? end + 1 : end + strlen(end);
        }
    }
    return sum > 0 && least > 0 ? fmax(sum / least, workers) : workers;
}

/* How far a row is beyond what can be: more than 1 is refused. */
static double beyond_powers(const struct summary_row *row)
{
    return fmax(row->speedup.low, POSSIBLE * row->speedup.median) / row->powers;
}

static double beyond_bound(const struct summary_row *row)
{
    return POSSIBLE * row->bound_s / row->time.median;
}

static struct stats_median serial_of(const struct summary_row *rows, int i,
                                     const struct judged *judged)
{
    struct judged own = {.worst = -1};
    if (!rows[i].result->simulated)
        return judged->serial;
    judge_serial(rows, i, i + 1, &own);
    return own.serial;
}

static void judge_speedups(struct summary_row *rows, int begin, int end,
                           struct judged *judged)
{
    for (int i = begin; i < end; i++) {
        struct summary_row *row = &rows[i];
        row->serial = serial_of(rows, i, judged);
        judged->least_s = fmin(judged->least_s, row->serial.median);
        judged->most_s = fmax(judged->most_s, row->serial.median);
        row->speedup = stats_ratio(row->serial, row->time);
        row->powers = sum_of_powers(row->result);
        if (row->result->simulated)
            continue;
        row->refused = beyond_powers(row) > 1 || beyond_bound(row) > 1;
        judged->refused += row->refused;
        if (row->refused &&
            (judged->worst < 0 ||
             row->time.median < rows[judged->worst].time.median))
            judged->worst = i;
    }
}

/* ---- other processes ---- */

struct judged judge_rows(struct summary_row *rows, int begin, int end)
{
    struct judged judged = {.worst = -1, .least_s = NAN, .most_s = NAN};
    judge_serial(rows, begin, end, &judged);
    judge_speedups(rows, begin, end, &judged);
    double sum = 0;
    int count = 0;
    for (int i = begin; i < end; i++) {
        /* A load that the cell requests is no surprise. */
        if (isnan(rows[i].others) || rows[i].result->cell.load[0] != '\0')
            continue;
        sum += rows[i].others;
        count++;
    }
    judged.others = count > 0 ? sum / count : (double)NAN;
    return judged;
}

static void add_cause(const struct judged *judged, char *text, size_t size)
{
    size_t used = strlen(text);
    text += used;
    size -= used;
    if (judged->serial_others >= OTHERS_LEAST)
        snprintf(text, size,
                 "other processes had %.0f %% of the core of the serial loop",
                 100 * judged->serial_others);
    else if (!judged->in_turns)
        snprintf(text, size,
                 "the serial loop was timed before the cells, when the machine "
                 "was slower");
    else
        snprintf(text, size,
                 "no other process ran: one core alone has less cache or a "
                 "slower clock, or the machine changed");
}

static void print_refused(FILE *out, const struct judged *judged,
                          const struct summary_row *row)
{
    char text[512];
    int used = snprintf(text, sizeof(text), "%d speedup%s refused: %.80s ",
                        judged->refused, judged->refused == 1 ? " is" : "s are",
                        row->result->cell.scheme);
    if (beyond_powers(row) > 1)
        snprintf(text + used, sizeof(text) - (size_t)used,
                 "seems %.2f times as fast, where its workers allow %.4g at "
                 "most; ",
                 row->speedup.median, row->powers);
    else
        snprintf(text + used, sizeof(text) - (size_t)used,
                 "takes %.2f of the least time that its chunks can take; ",
                 row->time.median / row->bound_s);
    add_cause(judged, text, sizeof(text));
    table_heading(out, 4, text);
}

void judge_print(FILE *out, const struct judged *judged,
                 const struct summary_row *rows)
{
    if (judged->refused > 0)
        print_refused(out, judged, &rows[judged->worst]);
    if (judged->others >= OTHERS_LEAST)
        fprintf(out, "    other processes had %.0f %% of the cores\n",
                100 * judged->others);
}

/* ---- winners ---- */

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

/* Whether it has several launches, whose samples follow each other. */
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

int judge_winners(const struct summary_row *rows, int begin, int end,
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

/* So much of a loss a cause has to explain. */
static const double EXPLAINED_LEAST = 0.7, MANY_TIMES = 4; /* chunks */

const char *judge_cause_words(enum judge_cause cause)
{
    static const char *const words[CAUSES] = {
        "some chunks hold too much of the work",
        "handing out so many chunks takes the time", ""};
    return words[cause];
}

/* Of each worker in the mean, from its own end to the last one's. */
static double end_wait_s(const struct summary_row *row)
{
    return row->time.median * row->imbalance / (1 + row->imbalance);
}

/* The bound of its chunks is the time that they take when handing them out
 * costs nothing. */
enum judge_cause judge_cause(const struct summary_row *bad,
                             const struct summary_row *best)
{
    double least = EXPLAINED_LEAST * (bad->time.median - best->time.median);
    double bound_s = bad->bound_s - best->bound_s;
    double rest_s = bad->overhead_s - best->overhead_s;
    if (isnan(bound_s)) { /* of replays: what they wait at the end says it */
        bound_s = end_wait_s(bad) - end_wait_s(best);
        rest_s -= bound_s;
    }
    if (bound_s >= least)
        return LARGE_CHUNKS;
    if (rest_s >= least && bad->chunks >= MANY_TIMES * best->chunks)
        return MANY_CHUNKS;
    return CAUSE_UNKNOWN;
}
