/* The statistics of --try.  Times are compared as logarithms, so that a shift
 * between two samples is a ratio of times. */
#include "bench/programs/try/try_answer.h"

#include "base/stats.h"
#include "dls/strategy.h"
#include "harness/process/need.h"

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

/* Changes both lists, from the same rounds; `own` NULL: no comparison.  The
 * shift is the logarithm of the ratio to the unmodified time.  Its upper end is
 * therefore the lower end of the gain. */
static void fill_choice(struct answer_choice *choice, double *own,
                        double *times, double alpha)
{
    choice->gain = choice->low = choice->high = NAN;
    choice->median_s = stats_middle(times, choice->runs);
    if (choice->runs == 0 || choice->failed || own == NULL)
        return;
    take_logs(own, choice->runs);
    take_logs(times, choice->runs);
    struct stats_median shift =
        stats_shift(own, choice->runs, times, choice->runs, alpha);
    choice->gain = -expm1(shift.median);
    choice->low = -expm1(shift.high);
    choice->high = -expm1(shift.low);
}

static bool is_compared(const struct answer_choice *choice)
{
    return !isnan(choice->gain) && !choice->dropped;
}

/* ---- what others had of the processors ---- */

/* The resolution of the system's counts, per processor. */
static const double STEP_S = 0.01;

struct usage {
    double time_s, cpu_s, others_s;
    int runs;
};

static void add_usage(struct usage *usage, const struct tries_run *run)
{
    usage->time_s += run->time_s;
    usage->cpu_s += run->cpu_s;
    usage->others_s += run->others_s;
    usage->runs++;
}

/* Usage in a candidate's rounds, and the unmodified program's in the same
 * rounds, because load varies.  A difference within the error of the system's
 * counts is no excess. */
static void find_usage(struct answer_choice *choice, const struct tries *tries,
                       int candidate)
{
    struct usage its = {0}, own = {0};
    for (int i = 0; i < tries->runs && !choice->failed; i++) {
        const struct tries_run *run = &tries->run[i];
        const struct tries_run *beside =
            tries_find_run(tries, CANDIDATES_OWN, run->round);
        if (run->candidate != candidate || !run->good || beside == NULL ||
            !beside->good)
            continue;
        add_usage(&its, run);
        add_usage(&own, beside);
    }
    choice->cores = its.cpu_s / its.time_s;
    choice->others = its.others_s / its.time_s;
    double excess = own.others_s / own.time_s - choice->others;
    double unsure =
        STEP_S * sqrt((double)its.runs) * (1 / its.time_s + 1 / own.time_s);
    choice->excess = excess > unsure ? excess : 0;
}

/* ---- the loop ---- */

bool answer_gains(const struct answer_choice *choice)
{
    /* Others' use of a core lengthens the program by no more than its duration:
     * a larger gain is due to the choice. */
    return is_compared(choice) && choice->low > 0 &&
           choice->low > choice->excess;
}

/* ---- the best ---- */

static int better_of(const struct answer *answer, int a, int b)
{
    return a < 0 || answer->choice[b].gain > answer->choice[a].gain ? b : a;
}

/* A time that is longer by less than ALIKE does not justify a larger change;
 * nor by less than UNSURE if the runs cannot distinguish them. */
static const double ALIKE = 0.01, UNSURE = 0.05;

static bool are_alike(const struct answer_choice *choice,
                      const struct answer_choice *best)
{
    double more = (1 - choice->gain) / (1 - best->gain) - 1;
    return more <= (choice->high >= best->gain ? UNSURE : ALIKE);
}

/* Programs may rely on the order of iterations. */
static int order_rank(const struct candidates *candidates, int i)
{
    struct strategy strategy;
    struct error ignored;
    char text[CANDIDATES_CLAUSE];
    const char *scheme = candidates->scheme[i];
    bool moves = scheme != NULL &&
                 strategy_parse(scheme, &strategy, &ignored) == 0 &&
                 !strategy_keeps_order(&strategy);
    bool clause = scheme == NULL || candidates_clause(scheme, text) != NULL;
    return 4 * moves + 2 * (candidates->factor[i] == FACTOR_SEVERAL) + !clause;
}

/* Finds the largest gain first, then the smallest change among the choices that
 * are about as good.  All are compared with the largest gain itself, so that
 * small differences cannot add up. */
int answer_best(const struct answer *answer,
                const struct candidates *candidates, enum factor factor)
{
    const struct answer_choice *choice = answer->choice;
    int best = -1, found;
    for (int i = 1; i < candidates->count; i++)
        if ((factor == FACTORS || candidates->factor[i] == factor) &&
            answer_gains(&choice[i]))
            best = better_of(answer, best, i);
    found = best;
    for (int i = 1; best >= 0 && i < candidates->count; i++) {
        if ((factor != FACTORS && candidates->factor[i] != factor) ||
            !answer_gains(&choice[i]) || !are_alike(&choice[i], &choice[best]))
            continue;
        int less = order_rank(candidates, i) - order_rank(candidates, found);
        if (less < 0 || (less == 0 && better_of(answer, found, i) == i))
            found = i;
    }
    return found;
}

int answer_seems(const struct answer *answer,
                 const struct candidates *candidates, enum factor factor)
{
    int seems = -1;
    for (int i = 1; i < candidates->count; i++)
        if ((factor == FACTORS || candidates->factor[i] == factor) &&
            is_compared(&answer->choice[i]) && answer->choice[i].low > 0)
            seems = better_of(answer, seems, i);
    return seems;
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
        if (isinf(choice->low)) { /* then all remaining ones have too few */
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

/* Sorts the unmodified times. */
static void find_spreads(struct answer *answer, double *own, int runs,
                         int count)
{
    double least = 1, most = 1;
    for (int i = 1; i < count; i++)
        if (is_compared(&answer->choice[i])) {
            least = fmin(least, 1 - answer->choice[i].gain);
            most = fmax(most, 1 - answer->choice[i].gain);
        }
    stats_sort(own, runs);
    answer->between = most / least - 1;
    answer->spread = runs > 0 ? own[runs - 1] / own[0] - 1 : NAN;
}

static int count_runs(const struct tries_loop *loop, int candidate, double *own,
                      double *times)
{
    return loop != NULL ? tries_pairs(loop, candidate, own, times) : 0;
}

void answer_find(struct answer *answer, const struct tries *tries,
                 const struct tries_loop *loop, const bool *dropped,
                 int comparisons)
{
    size_t room = loop != NULL ? (size_t)loop->count + 1 : 1;
    double *own = need_zeroed(room, sizeof(*own));
    double *times = need_zeroed(room, sizeof(*times));
    double alpha = answer_alpha(comparisons);
    int count = tries->candidates->count;
    memset(answer, 0, sizeof(*answer));
    for (int i = 0; i < count; i++) {
        struct answer_choice *choice = &answer->choice[i];
        choice->failed =
            i != CANDIDATES_OWN && tries_find_failed(tries, i) != NULL;
        choice->runs = choice->failed ? 0 : count_runs(loop, i, own, times);
        choice->dropped = dropped[i];
        fill_choice(choice, i != CANDIDATES_OWN ? own : NULL, times, alpha);
        find_usage(choice, tries, i);
    }
    answer->best = answer_best(answer, tries->candidates, FACTORS);
    answer->disturbed = answer->best < 0
                            ? answer_seems(answer, tries->candidates, FACTORS)
                            : -1;
    find_hidden(answer, count);
    int likely = answer->likely >= 0 ? answer->likely : CANDIDATES_OWN;
    find_spreads(answer, own, count_runs(loop, likely, own, times), count);
    free(own);
    free(times);
}
