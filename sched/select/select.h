/* Chooses one of several candidates (schemes, say) for the next repetition of a
 * loop that runs many times.  A share of the repetitions goes to trials, by
 * successive elimination with confidence bounds.  Then the best one stays until
 * its time changes.
 *
 * Pure: from reported times it says which candidate to run.  Flat memory
 * without pointers.
 *
 * Trials go round all remaining candidates, every other round backwards, so
 * that a steady drift affects all equally.  After a round a candidate is out if
 * its median is above the best one's by more than the bounds of both: with x
 * the logarithm of a time, sigma the deviation of all x from their candidate's
 * mean (the first rounds know little: a prior of 5 % counts as four samples), n
 * the candidate's trials and K the number of candidates,
 *
 *     bound(n) = 1.25 sigma sqrt(2 ln(K / 0.1) / n)
 *
 * (Even-Dar, Mannor, Mansour, JMLR 7, 2006, section 4, for medians.)  The
 * trials end when they are used up, one candidate is left, or the rest is
 * within 1 %; the least median wins.  A median of few trials flatters the
 * winner.  If its later repetitions take over 1 % more than another remaining
 * candidate, that one takes over. */
#ifndef SCHED_SELECT_SELECT_H
#define SCHED_SELECT_SELECT_H

#include <stdbool.h>

enum {
    SELECT_MAX = 64,      /* candidates */
    SELECT_KEPT = 32,     /* samples of each, the last ones */
    SELECT_WINDOW = 7,    /* repetitions of the running median */
    SELECT_REFERENCE = 10 /* and of the one that it is compared with */
};

struct select_rule {
    int candidates;  /* 1 to SELECT_MAX */
    int repetitions; /* of the loop */
    double share;    /* 0 to 1: the share of trials in the repetitions left when
                        trials begin */
    double change;   /* the running median has changed when it is off by this
                        share, or by 5 of its deviations where that is more */
};

struct select_candidate {
    bool out;  /* not tried, and not chosen any more */
    int tries; /* trials since trials began last */
    int times; /* all its times since then */
    double log[SELECT_KEPT];
};

enum select_event {
    SELECT_NOTHING,
    SELECT_ELIMINATED,  /* only: candidates were eliminated */
    SELECT_CHOSEN,      /* trials are over: this one stays */
    SELECT_SWITCHED,    /* its times exceeded those of its trials */
    SELECT_CHANGED,     /* its time has changed: trials begin again */
    SELECT_KEPT_CHANGED /* likewise, with too few repetitions left to try */
};

/* Private to sched/select/select.c, here so that its place can be chosen. */
struct select {
    struct select_rule rule;
    struct select_candidate candidate[SELECT_MAX];
    int done;    /* repetitions reported */
    int tried;   /* of these, trials */
    int left;    /* trials that may still be made */
    int current; /* the candidate of the next repetition */
    int step;    /* +1 or -1: the direction of this round */
    bool trying;
    int stayed; /* repetitions since current was chosen */
    double window[SELECT_WINDOW];
    double reference, bound; /* log of the median that counts, and how far the
                                running one may be off */
};

/* Prepares for the first repetition. */
void select_open(struct select *select, const struct select_rule *rule);

/* The candidate of the next repetition, and whether that is a trial. */
int select_current(const struct select *select);
bool select_trying(const struct select *select);

/* The repetition took so long, any unit, more than 0. */
enum select_event select_report(struct select *select, double time);

/* Instead of select_report, for callers that choose the order of trials.
 * select_add reports the time of a candidate's repetition.  select_drop ends a
 * round: it eliminates clearly worse candidates and returns whether any. */
void select_add(struct select *select, int candidate, double time);
bool select_drop(struct select *select);

/* The median of this candidate's times that count; NAN: none. */
double select_median(const struct select *select, int candidate);

/* By how much (a share) its median may be wrong; NAN: no times. */
double select_bound(const struct select *select, int candidate);

/* Trials that this many repetitions allow at the start. */
int select_trials(int repetitions, double share);

#endif
