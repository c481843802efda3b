#include "sched/select/select.h"

#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double CONFIDENCE_LEFT = 0.1; /* that some bound fails */
static const double PRIOR = 0.05, PRIOR_WEIGHT = 4;
static const double MEDIAN_FACTOR = 1.25; /* sqrt(pi / 2): its deviation over
                                             the mean's */
static const double ALIKE = 0.01;
static const double CHANGE_DEVIATIONS = 5;

/* Repetitions of a new candidate before another may take over. */
enum { SWITCH_AFTER = 3 };

int select_trials(int repetitions, double share)
{
    return (int)floor(share * repetitions + 1e-9);
}

/* ---- estimates ---- */

static int count_kept(const struct select_candidate *c)
{
    return c->times < SELECT_KEPT ? c->times : SELECT_KEPT;
}

static double median_of(const double *values, int count)
{
    double sorted[SELECT_KEPT];
    memcpy(sorted, values, (size_t)count * sizeof(*sorted));
    return stats_middle(sorted, count);
}

static double log_median(const struct select_candidate *c)
{
    return median_of(c->log, count_kept(c));
}

double select_median(const struct select *s, int candidate)
{
    return exp(log_median(&s->candidate[candidate]));
}

static double pooled_deviation(const struct select *s)
{
    double squares = PRIOR_WEIGHT * PRIOR * PRIOR, free = PRIOR_WEIGHT;
    for (int i = 0; i < s->rule.candidates; i++) {
        const struct select_candidate *c = &s->candidate[i];
        double mean = 0;
        int n = count_kept(c);
        for (int k = 0; k < n; k++)
            mean += c->log[k] / n;
        for (int k = 0; k < n; k++)
            squares += (c->log[k] - mean) * (c->log[k] - mean);
        free += n > 0 ? n - 1 : 0;
    }
    return sqrt(squares / free);
}

static double bound_of(const struct select *s, const struct select_candidate *c,
                       double sigma)
{
    int n = count_kept(c);
    if (n == 0)
        return NAN;
    return MEDIAN_FACTOR * sigma *
           sqrt(2 * log(s->rule.candidates / CONFIDENCE_LEFT) / n);
}

double select_bound(const struct select *s, int candidate)
{
    return expm1(bound_of(s, &s->candidate[candidate], pooled_deviation(s)));
}

/* Of the candidates still in, except `but` (-1: none), the one with the least
 * median; -1: there is none. */
static int find_least(const struct select *s, int but)
{
    int best = -1;
    double best_log = INFINITY;
    for (int i = 0; i < s->rule.candidates; i++) {
        const struct select_candidate *c = &s->candidate[i];
        if (c->out || i == but || c->times == 0 || log_median(c) >= best_log)
            continue;
        best = i;
        best_log = log_median(c);
    }
    return best;
}

/* ---- trials ---- */

/* The next candidate still in.  At the end of the round (`ended`) the direction
 * turns. */
static int next_trial(struct select *s, bool *ended)
{
    int at = s->current + s->step;
    *ended = false;
    while (at >= 0 && at < s->rule.candidates && s->candidate[at].out)
        at += s->step;
    if (at >= 0 && at < s->rule.candidates)
        return at;
    *ended = true;
    s->step = -s->step;
    for (at += s->step; s->candidate[at].out;)
        at += s->step;
    return at;
}

/* Returns whether a candidate was eliminated.  `differ`: the others may still
 * differ by more than ALIKE. */
static bool eliminate_slow(struct select *s, bool *differ)
{
    double sigma = pooled_deviation(s);
    int best = find_least(s, -1);
    double best_log = log_median(&s->candidate[best]);
    double best_bound = bound_of(s, &s->candidate[best], sigma);
    bool any = false;
    *differ = false;
    for (int i = 0; i < s->rule.candidates; i++) {
        struct select_candidate *c = &s->candidate[i];
        if (c->out || i == best)
            continue;
        double above = log_median(c) - best_log;
        double both = bound_of(s, c, sigma) + best_bound;
        c->out = above > both;
        any = any || c->out;
        *differ = *differ || (!c->out && above + both > ALIKE);
    }
    return any;
}

/* The candidate to watch from now on. */
static void stay_with(struct select *s, int candidate)
{
    s->trying = false;
    s->current = candidate;
    s->stayed = 0;
    s->reference = NAN;
}

static enum select_event after_trial(struct select *s)
{
    bool ended, differ = true, any = false;
    s->tried++;
    s->left--;
    s->candidate[s->current].tries++;
    s->current = next_trial(s, &ended);
    if (ended)
        any = eliminate_slow(s, &differ);
    if (differ && s->left > 0) {
        if (s->candidate[s->current].out)
            s->current = next_trial(s, &ended);
        return any ? SELECT_ELIMINATED : SELECT_NOTHING;
    }
    stay_with(s, find_least(s, -1));
    return SELECT_CHOSEN;
}

/* ---- staying ---- */

/* With fewer trials than candidates the best of the last trials are tried. */
static void begin_trials(struct select *s)
{
    int allowed = select_trials(s->rule.repetitions - s->done, s->rule.share);
    double limit = INFINITY, sorted[SELECT_MAX];
    int known = 0, n = s->rule.candidates;
    for (int i = 0; i < n; i++)
        if (s->candidate[i].times > 0)
            sorted[known++] = log_median(&s->candidate[i]);
    stats_sort(sorted, known);
    if (known > allowed && allowed > 0)
        limit = sorted[allowed - 1];
    for (int i = 0; i < n; i++) {
        struct select_candidate *c = &s->candidate[i];
        bool out = c->times > 0 && log_median(c) > limit;
        *c = (struct select_candidate){.out = out};
    }
    s->left = allowed;
    s->trying = true;
    s->step = 1;
    s->current = 0;
    while (s->candidate[s->current].out)
        s->current++;
}

/* The deviation by the median distance from the median: a few repetitions that
 * took much too long do not change it. */
static double robust_deviation(const struct select_candidate *c)
{
    double distance[SELECT_KEPT], middle = log_median(c);
    int n = count_kept(c);
    for (int k = 0; k < n; k++)
        distance[k] = fabs(c->log[k] - middle);
    return fmax(1.4826 * median_of(distance, n), PRIOR / 2);
}

/* The times of the first repetitions count for what follows. */
static void set_reference(struct select *s)
{
    const struct select_candidate *c = &s->candidate[s->current];
    double of_medians = MEDIAN_FACTOR * robust_deviation(c) *
                        sqrt(1.0 / SELECT_WINDOW + 1.0 / SELECT_REFERENCE);
    s->reference = log_median(c);
    s->bound = fmax(log1p(s->rule.change), CHANGE_DEVIATIONS * of_medians);
}

static bool loop_changed(const struct select *s)
{
    if (isnan(s->reference) || s->stayed < SELECT_REFERENCE + SELECT_WINDOW)
        return false;
    return fabs(median_of(s->window, SELECT_WINDOW) - s->reference) > s->bound;
}

/* The candidate that should take over, or -1. */
static int find_better(const struct select *s)
{
    int other = find_least(s, s->current);
    if (other < 0 || s->stayed < SWITCH_AFTER)
        return -1;
    double gain = log_median(&s->candidate[s->current]) -
                  log_median(&s->candidate[other]);
    return gain > ALIKE ? other : -1;
}

static enum select_event after_stay(struct select *s, double x)
{
    s->window[s->stayed++ % SELECT_WINDOW] = x;
    if (loop_changed(s)) {
        bool few =
            select_trials(s->rule.repetitions - s->done, s->rule.share) < 2;
        if (few) {
            /* What is known of the others belongs to a loop that no longer
             * exists. */
            for (int i = 0; i < s->rule.candidates; i++)
                s->candidate[i] =
                    (struct select_candidate){.out = i != s->current};
            stay_with(s, s->current);
        } else
            begin_trials(s);
        return few ? SELECT_KEPT_CHANGED : SELECT_CHANGED;
    }
    int other = find_better(s);
    if (other >= 0) {
        stay_with(s, other);
        return SELECT_SWITCHED;
    }
    if (s->stayed == SELECT_REFERENCE)
        set_reference(s);
    return SELECT_NOTHING;
}

/* ---- the selection ---- */

void select_open(struct select *s, const struct select_rule *rule)
{
    *s = (struct select){.rule = *rule};
    begin_trials(s);
    if (rule->candidates == 1 || s->left == 0)
        stay_with(s, 0);
}

int select_current(const struct select *s)
{
    return s->current;
}

bool select_trying(const struct select *s)
{
    return s->trying;
}

void select_add(struct select *s, int candidate, double time)
{
    struct select_candidate *c = &s->candidate[candidate];
    c->log[c->times++ % SELECT_KEPT] = log(time);
    s->done++;
}

bool select_drop(struct select *s)
{
    bool differ;
    return find_least(s, -1) >= 0 && eliminate_slow(s, &differ);
}

enum select_event select_report(struct select *s, double time)
{
    select_add(s, s->current, time);
    return s->trying ? after_trial(s) : after_stay(s, log(time));
}
