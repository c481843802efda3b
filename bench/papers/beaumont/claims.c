#include "bench/papers/beaumont/claims.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIRST_MI = BEAUMONT_FIRST_MI, END = BEAUMONT_HEURISTICS };

/* Ways to look at the curves; all numbers are ratios to lp-adaptive's time. */

static double ratio(const struct beaumont_series *s, int figure, int load,
                    int heuristic)
{
    return s->point[figure][load][heuristic].ratio;
}

/* The smallest of heuristics first .. end - 1. */
static double best(const struct beaumont_series *s, int figure, int load,
                   int first, int end)
{
    double least = INFINITY;
    for (int h = first; h < end; h++)
        least = fmin(least, ratio(s, figure, load, h));
    return least;
}

/* Mean over all loads. */
static double mean(const struct beaumont_series *s, int figure, int heuristic)
{
    double sum = 0;
    for (int load = 0; load < BEAUMONT_LOADS; load++)
        sum += ratio(s, figure, load, heuristic);
    return sum / BEAUMONT_LOADS;
}

static double percent(double part)
{
    return 100 * part;
}

/* In percent above the best of all, mean over the loads. */
static double above_best(const struct beaumont_series *s, int figure,
                         int heuristic)
{
    double sum = 0;
    for (int load = 0; load < BEAUMONT_LOADS; load++)
        sum +=
            ratio(s, figure, load, heuristic) / best(s, figure, load, 0, END) -
            1;
    return percent(sum / BEAUMONT_LOADS);
}

static void because(const struct beaumont_series *s, int figure, int heuristic,
                    struct beaumont_claim *c)
{
    struct beaumont_why *why = &c->why[c->whys++];
    *why = (struct beaumont_why){beaumont_heuristic(heuristic),
                                 beaumont_figures[figure].number,
                                 0,
                                 0,
                                 0,
                                 0};
    for (int load = 0; load < BEAUMONT_LOADS; load++) {
        const struct beaumont_point *p = &s->point[figure][load][heuristic];
        why->rounds += p->rounds / BEAUMONT_LOADS;
        why->latency += p->latency / BEAUMONT_LOADS;
        why->waiting += p->waiting / BEAUMONT_LOADS;
        why->over_bound += p->over_bound / BEAUMONT_LOADS;
    }
}

/* The best of heuristics first .. end - 1, mean over all loads. */
static int best_of(const struct beaumont_series *s, int figure, int first,
                   int end)
{
    int found = first;
    for (int h = first; h < end; h++)
        if (mean(s, figure, h) < mean(s, figure, found))
            found = h;
    return found;
}

/* ---- the claims ---- */

static void bad(const struct beaumont_series *s, int heuristic,
                struct beaumont_claim *c)
{
    double five = above_best(s, BEAUMONT_HOMOGENEOUS_5, heuristic);
    double random = above_best(s, BEAUMONT_RANDOM_5, heuristic);
    c->holds = five > 5 && random > 5;
    snprintf(c->found, sizeof(c->found),
             "homogeneous %.2f %%, random %.2f %% above the best", five,
             random);
    because(s, BEAUMONT_HOMOGENEOUS_5, heuristic, c);
    because(s, BEAUMONT_RANDOM_5, heuristic, c);
}

static void fixed_is_bad(const struct beaumont_series *s,
                         struct beaumont_claim *c)
{
    bad(s, BEAUMONT_FIXED, c);
}

static void one_round_is_bad(const struct beaumont_series *s,
                             struct beaumont_claim *c)
{
    bad(s, FIRST_MI, c);
}

static void three_rounds_at_least(const struct beaumont_series *s,
                                  struct beaumont_claim *c)
{
    double least = INFINITY;
    for (int h = FIRST_MI; h < END; h++)
        least = fmin(least, mean(s, BEAUMONT_HOMOGENEOUS_5, h));
    double two =
        percent(mean(s, BEAUMONT_HOMOGENEOUS_5, FIRST_MI + 1) / least - 1);
    double three =
        percent(mean(s, BEAUMONT_HOMOGENEOUS_5, FIRST_MI + 2) / least - 1);
    c->holds = two > 0.1 && three <= 0.1;
    snprintf(c->found, sizeof(c->found),
             "M.I.2 %.3f %%, M.I.3 %.3f %% above the best M.I.x", two, three);
    for (int x = 1; x <= 3; x++)
        because(s, BEAUMONT_HOMOGENEOUS_5, FIRST_MI + x - 1, c);
}

static void rounds(const struct beaumont_series *s, int figure, int paper,
                   struct beaumont_claim *c)
{
    int x = best_of(s, figure, FIRST_MI, END) - FIRST_MI + 1;
    double there = mean(s, figure, FIRST_MI + paper - 1);
    double least = mean(s, figure, FIRST_MI + x - 1);
    c->holds = abs(x - paper) <= 1;
    snprintf(c->found, sizeof(c->found),
             "best x = %d, M.I.%d is %.3f %% above it", x, paper,
             percent(there / least - 1));
    because(s, figure, FIRST_MI + x - 1, c);
    if (x != paper)
        because(s, figure, FIRST_MI + paper - 1, c);
}

static void four_rounds(const struct beaumont_series *s,
                        struct beaumont_claim *c)
{
    rounds(s, BEAUMONT_LATENCY_5, 4, c);
}

static void five_rounds(const struct beaumont_series *s,
                        struct beaumont_claim *c)
{
    rounds(s, BEAUMONT_LATENCY_20, 5, c);
}

static void sqrt_within_5(const struct beaumont_series *s,
                          struct beaumont_claim *c)
{
    const int figure = BEAUMONT_HOMOGENEOUS_5;
    double large = 0, small = 0;
    for (int load = 0; load < BEAUMONT_LOADS; load++) {
        double more = percent(ratio(s, figure, load, BEAUMONT_SQRT) /
                                  best(s, figure, load, 0, END) -
                              1);
        if (beaumont_load(load) >= 500)
            large = fmax(large, more);
        else
            small = fmax(small, more);
    }
    c->holds = large <= 5;
    snprintf(c->found, sizeof(c->found),
             "at most %.2f %% above the best from 500 units on, %.2f %% below",
             large, small);
    because(s, figure, BEAUMONT_SQRT, c);
}

/* How much the best other heuristic is above lp-adaptive: mean over loads. */
static void adaptive_is_best(const struct beaumont_series *s, int figure,
                             struct beaumont_claim *c)
{
    double sum = 0;
    int wins = 0;
    for (int load = 0; load < BEAUMONT_LOADS; load++) {
        double other = fmin(best(s, figure, load, 0, BEAUMONT_ADAPTIVE),
                            best(s, figure, load, FIRST_MI, END));
        sum += other - 1;
        wins += other >= 1;
    }
    double gain = percent(sum / BEAUMONT_LOADS);
    c->holds = gain > 0;
    snprintf(c->found, sizeof(c->found),
             "the best other is %+.2f %% on average; lp-adaptive is best at %d "
             "of %d loads",
             gain, wins, BEAUMONT_LOADS);
    because(s, figure, BEAUMONT_ADAPTIVE, c);
    because(s, figure, BEAUMONT_SQRT, c);
    because(s, figure, best_of(s, figure, FIRST_MI, END), c);
}

static void adaptive_is_best_5(const struct beaumont_series *s,
                               struct beaumont_claim *c)
{
    adaptive_is_best(s, BEAUMONT_RANDOM_5, c);
}

static void adaptive_is_best_latency(const struct beaumont_series *s,
                                     struct beaumont_claim *c)
{
    adaptive_is_best(s, BEAUMONT_LATENCY_5, c);
}

static void adaptive_3_off(const struct beaumont_series *s,
                           struct beaumont_claim *c)
{
    double most = 0, last = 0;
    for (int load = 0; load < BEAUMONT_LOADS; load++) {
        double more =
            percent(1 / best(s, BEAUMONT_LATENCY_20, load, 0, END) - 1);
        if (beaumont_load(load) > 200)
            most = fmax(most, more);
        last = more;
    }
    c->holds = most <= 3;
    snprintf(c->found, sizeof(c->found),
             "at most %.2f %% off above 200 units, %.2f %% at 2000", most,
             last);
    because(s, BEAUMONT_LATENCY_20, BEAUMONT_ADAPTIVE, c);
    because(s, BEAUMONT_LATENCY_20, best_of(s, BEAUMONT_LATENCY_20, 0, END), c);
}

/* Loads at which the slower of lp-sqrt and lp-adaptive beats every M.I. */
static int lp_wins(const struct beaumont_series *s, int figure, double *gain)
{
    int wins = 0;
    *gain = 0;
    for (int load = 0; load < BEAUMONT_LOADS; load++) {
        double lp = fmax(ratio(s, figure, load, BEAUMONT_SQRT), 1);
        double mi = best(s, figure, load, FIRST_MI, END);
        wins += lp < mi;
        *gain += percent(mi / lp - 1) / BEAUMONT_LOADS;
    }
    return wins;
}

static void lp_beats_mi(const struct beaumont_series *s,
                        struct beaumont_claim *c)
{
    double gain5, gain20;
    int wins5 = lp_wins(s, BEAUMONT_HIGH_LATENCY_5, &gain5);
    int wins20 = lp_wins(s, BEAUMONT_HIGH_LATENCY_20, &gain20);
    c->holds = wins5 == BEAUMONT_LOADS && wins20 == BEAUMONT_LOADS;
    snprintf(c->found, sizeof(c->found),
             "5 workers: at %d of %d loads, best M.I. %+.2f %% on average; 20 "
             "workers: at %d, %+.2f %%",
             wins5, BEAUMONT_LOADS, gain5, wins20, gain20);
    for (int five = 1; five >= 0; five--) {
        int figure = five ? BEAUMONT_HIGH_LATENCY_5 : BEAUMONT_HIGH_LATENCY_20;
        because(s, figure, BEAUMONT_ADAPTIVE, c);
        because(s, figure, best_of(s, figure, FIRST_MI, END), c);
    }
}

void beaumont_claims(const struct beaumont_series *series,
                     struct beaumont_claim *claim)
{
    static const struct {
        const char *claim, *figure, *means;
        void (*look)(const struct beaumont_series *, struct beaumont_claim *);
    } rows[BEAUMONT_CLAIMS] = {
        {"the fixed period performs badly", "5, 8",
         "more than 5 % above the best, 5 workers, mean over loads",
         fixed_is_bad},
        {"one round performs badly", "5, 8",
         "more than 5 % above the best, 5 workers, mean over loads",
         one_round_is_bad},
        {"M.I. needs at least 3 rounds", "6",
         "M.I.2 more than 0.1 % above the best M.I.x, M.I.3 not",
         three_rounds_at_least},
        {"about 4 rounds are best with latency, 5 workers", "12",
         "the best M.I.x, mean over loads, has x = 3 to 5", four_rounds},
        {"about 5 rounds are best with latency, 20 workers", "13",
         "the best M.I.x, mean over loads, has x = 4 to 6", five_rounds},
        {"sqrt period within 5 % once the load is large", "6",
         "5 homogeneous workers, from 500 units on", sqrt_within_5},
        {"adaptive is best by about 1 %, no latency", "9",
         "5 random workers, mean over loads above 0", adaptive_is_best_5},
        {"adaptive is best by about 1 %, with latency", "12",
         "5 random workers, mean over loads above 0", adaptive_is_best_latency},
        {"adaptive at most 3 % off, 20 workers, with latency", "13",
         "above 200 units", adaptive_3_off},
        {"high ratio: LP clearly beats every M.I.", "14, 15",
         "lp-sqrt and lp-adaptive faster than all M.I.x at every load",
         lp_beats_mi},
    };
    for (int i = 0; i < BEAUMONT_CLAIMS; i++) {
        claim[i] = (struct beaumont_claim){.claim = rows[i].claim,
                                           .figure = rows[i].figure,
                                           .means = rows[i].means};
        rows[i].look(series, &claim[i]);
    }
}
