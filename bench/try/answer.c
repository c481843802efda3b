#include "bench/try/answer.h"

#include "base/stats.h"
#include "harness/guard/need.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double ERROR = 0.05;
static const double WORTH = 0.01; /* a smaller gain is not looked for */

double answer_alpha(int comparisons)
{
    return ERROR / (comparisons > 0 ? comparisons : 1);
}

/* ---- one candidate ---- */

static void take_logs(double *values, int count)
{
    for (int i = 0; i < count; i++)
        values[i] = log(values[i]);
}

/* Sorts both. */
static void fill_choice(struct answer_choice *choice, double *own,
                        int own_count, double *times, double alpha)
{
    choice->gain = choice->low = choice->high = NAN;
    choice->median_s = stats_middle(times, choice->runs);
    if (choice->runs == 0 || own_count == 0 || choice->failed)
        return;
    take_logs(times, choice->runs);
    struct stats_median shift =
        stats_shift(own, own_count, times, choice->runs, alpha);
    choice->gain = -expm1(shift.median);
    choice->low = -expm1(shift.high);
    choice->high = -expm1(shift.low);
}

static bool is_compared(const struct answer_choice *choice)
{
    return !isnan(choice->gain) && !choice->dropped;
}

/* ---- the loop ---- */

static void find_best(struct answer *answer, int count)
{
    answer->best = -1;
    for (int i = 1; i < count; i++) {
        const struct answer_choice *choice = &answer->choice[i];
        if (is_compared(choice) && choice->low > 0 &&
            (answer->best < 0 ||
             choice->gain > answer->choice[answer->best].gain))
            answer->best = i;
    }
}

/* Intervals are as wide as one over the root of the number of runs. */
static double count_needed(const struct answer_choice *choice)
{
    double half = log((1 - choice->low) / (1 - choice->high)) / 2;
    double wanted = -log1p(-fmax(choice->gain, WORTH));
    return ceil(choice->runs * pow(half / wanted, 2));
}

static void find_hidden(struct answer *answer, int count)
{
    answer->hidden = answer->needed = NAN;
    answer->likely = -1;
    for (int i = 1; i < count; i++) {
        const struct answer_choice *choice = &answer->choice[i];
        if (!is_compared(choice))
            continue;
        if (isinf(choice->low)) { /* then all that are left have too few */
            answer->hidden = NAN;
            answer->likely = -1;
            return;
        }
        answer->hidden = fmax(answer->hidden, fmax(choice->high, 0));
        if (answer->likely < 0 ||
            choice->gain > answer->choice[answer->likely].gain)
            answer->likely = i;
    }
    if (answer->likely >= 0)
        answer->needed = count_needed(&answer->choice[answer->likely]);
}

static void find_spreads(struct answer *answer, const double *own, int runs,
                         int count)
{
    double least = answer->choice[CANDIDATES_OWN].median_s, most = least;
    for (int i = 1; i < count; i++)
        if (is_compared(&answer->choice[i])) {
            least = fmin(least, answer->choice[i].median_s);
            most = fmax(most, answer->choice[i].median_s);
        }
    answer->between = most / least - 1;
    answer->spread = runs > 0 ? exp(own[runs - 1] - own[0]) - 1 : NAN;
}

void answer_find(struct answer *answer, const struct tries *tries,
                 const struct tries_loop *loop, const bool *dropped,
                 int comparisons)
{
    size_t room = loop != NULL ? (size_t)loop->count + 1 : 1;
    double *own = need_zeroed(room, sizeof(*own));
    double *times = need_zeroed(room, sizeof(*times));
    double alpha = answer_alpha(comparisons);
    int count = tries->candidates->count, runs = 0;
    memset(answer, 0, sizeof(*answer));
    for (int i = 0; i < count; i++) {
        struct answer_choice *choice = &answer->choice[i];
        choice->runs = loop != NULL ? tries_times(loop, i, times) : 0;
        choice->failed =
            i != CANDIDATES_OWN && tries_find_failed(tries, i) != NULL;
        choice->dropped = dropped[i];
        fill_choice(choice, own, runs, times, alpha);
        if (i != CANDIDATES_OWN)
            continue;
        runs = choice->runs; /* sorted */
        memcpy(own, times, (size_t)runs * sizeof(*own));
        take_logs(own, runs);
    }
    find_best(answer, count);
    find_hidden(answer, count);
    find_spreads(answer, own, runs, count);
    free(own);
    free(times);
}
