/* Which speedups cannot be, by the serial loop of the rows. */
#include "bench/results/speedup_limits.h"

#include "base/text.h"
#include "bench/options/table.h"
#include "harness/check/setup.h"
#include "harness/process/need.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Others are named from this share on; a speedup or time is impossible from
 * this share beyond the possible one on, whatever its interval. */
static const double OTHERS_LEAST = 0.01, POSSIBLE = 0.9;

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

static void find_serial(const struct summary_row *rows, int begin, int end,
                        struct speedup_limits *limits)
{
    struct pass *list;
    int n = list_passes(rows, begin, end, &list), known = 0;
    double *took_s = need_zeroed((size_t)n + 1, sizeof(*took_s)), others = 0;
    for (int i = 0; i < n; i++) {
        took_s[i] = list[i].took_s;
        limits->in_turns = limits->in_turns || !isnan(list[i].number);
        if (isnan(list[i].others))
            continue;
        others += list[i].others;
        known++;
    }
    limits->passes = n;
    limits->serial =
        n > 0 ? stats_median(took_s, n) : (struct stats_median){NAN, NAN, NAN};
    limits->serial_others = known > 0 ? others / known : (double)NAN;
    free(took_s);
    free(list);
}

/* ---- powers that launches have measured ---- */

bool results_measure_power(const struct results *results)
{
    for (int i = 0; i < results->count; i++)
        if (cell_measures_power(&results->list[i].cell))
            return true;
    return false;
}

/* A worker's power is the same in all repetitions of a launch; for several
 * launches it is their mean. */
int results_take_worker(struct results *results, const json_t *line)
{
    const char *hash = json_string_value(json_object_get(line, "cell"));
    const json_t *power = json_object_get(line, "power");
    json_int_t worker = json_integer_value(json_object_get(line, "worker"));
    struct result *result =
        hash ? (struct result *)results_find(results, hash) : NULL;
    if (result == NULL || !cell_measures_power(&result->cell) ||
        !json_is_number(power) || worker < 0 ||
        worker >= cell_workers(&result->cell))
        return 0;
    size_t workers = (size_t)cell_workers(&result->cell);
    if (result->power == NULL)
        result->power = calloc(2 * workers, sizeof(*result->power));
    if (result->power == NULL)
        return -ENOMEM;
    double *mean = &result->power[worker];
    double *lines = &result->power[workers + (size_t)worker];
    *mean += (json_number_value(power) - *mean) / ++*lines;
    return 0;
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

static void find_refused(struct summary_row *rows, int begin, int end,
                         struct speedup_limits *limits)
{
    for (int i = begin; i < end; i++) {
        struct summary_row *row = &rows[i];
        struct speedup_limits own = {.worst = -1};
        if (row->result->simulated)
            find_serial(rows, i, i + 1, &own);
        row->serial = row->result->simulated ? own.serial : limits->serial;
        limits->least_s = fmin(limits->least_s, row->serial.median);
        limits->most_s = fmax(limits->most_s, row->serial.median);
        row->speedup = stats_ratio(row->serial, row->time);
        row->powers = sum_of_powers(row->result);
        if (row->result->simulated)
            continue;
        row->refused = beyond_powers(row) > 1 || beyond_bound(row) > 1;
        limits->refused += row->refused;
        if (row->refused &&
            (limits->worst < 0 ||
             row->time.median < rows[limits->worst].time.median))
            limits->worst = i;
    }
}

/* ---- other processes ---- */

struct speedup_limits speedup_limits_find(struct summary_row *rows, int begin,
                                          int end)
{
    struct speedup_limits limits = {.worst = -1, .least_s = NAN, .most_s = NAN};
    find_serial(rows, begin, end, &limits);
    find_refused(rows, begin, end, &limits);
    double sum = 0;
    int count = 0;
    for (int i = begin; i < end; i++) {
        /* A load that the cell requests is no surprise. */
        if (isnan(rows[i].others) || rows[i].result->cell.load[0] != '\0')
            continue;
        sum += rows[i].others;
        count++;
    }
    limits.others = count > 0 ? sum / count : (double)NAN;
    return limits;
}

static void add_cause(const struct speedup_limits *limits, char *text,
                      size_t size)
{
    size_t used = strlen(text);
    text += used;
    size -= used;
    if (limits->serial_others >= OTHERS_LEAST)
        snprintf(text, size,
                 "other processes had %.0f %% of the core of the serial loop",
                 100 * limits->serial_others);
    else if (!limits->in_turns)
        snprintf(text, size,
                 "the serial loop was timed before the cells, when the machine "
                 "was slower");
    else
        snprintf(text, size,
                 "no other process ran: one core alone has less cache or a "
                 "slower clock, or the machine changed");
}

static void print_refused(FILE *out, const struct speedup_limits *limits,
                          const struct summary_row *row)
{
    char text[512];
    int used = snprintf(text, sizeof(text), "%d speedup%s refused: %.80s ",
                        limits->refused, limits->refused == 1 ? " is" : "s are",
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
    add_cause(limits, text, sizeof(text));
    table_heading(out, 4, text);
}

void speedup_limits_print(FILE *out, const struct speedup_limits *limits,
                          const struct summary_row *rows)
{
    if (limits->refused > 0)
        print_refused(out, limits, &rows[limits->worst]);
    if (limits->others >= OTHERS_LEAST)
        fprintf(out, "    other processes had %.0f %% of the cores\n",
                100 * limits->others);
}
