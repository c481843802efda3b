/* A cell of scheme auto:by=trial while it is measured: its candidates, open all
 * at once, and the one that runs the next repetition.  Rank 0 decides
 * (sched/select/select.h), and all ranks run the same. */
#ifndef HARNESS_LAUNCH_TRIAL_H
#define HARNESS_LAUNCH_TRIAL_H

#include "harness/check/choice.h"
#include "harness/repetition/run.h"

struct trial {
    struct cell cell;        /* with the present choice in `chosen` */
    struct cell *candidates; /* owned */
    struct setup *setup;     /* one for each, */
    struct run **run;        /* and its run */
    int count, current;
    struct select_rule rule;
    struct select select; /* rank 0 */
    int seen[SELECT_MAX]; /* repetitions of each; rank 0 */
    double spent_s[SELECT_MAX];
};

/* Collective: opens all candidates.  It runs at least `repetitions` times. */
int trial_open(struct trial **trial, const struct setup *setup,
               struct loop *loop, struct launch_context *context,
               const struct policy *policy, struct error *err);
void trial_close(struct trial *trial);

/* Whether the repetition to come is a trial; rank 0. */
bool trial_trying(const struct trial *trial);

/* Collective: the repetition took so long, by rank 0.  Returns what rank 0
 * decided by it; then trial->current is what runs next. */
enum select_event trial_tell(struct trial *trial, const struct comm *comm,
                             double time_s);

/* Lines of choices-<launch>.jsonl: a decision after a repetition (NULL: none),
 * and the result of a candidate; rank 0. */
json_t *trial_row_decision(const struct trial *trial, const char *launch,
                           int repetition, enum select_event event);
json_t *trial_row_candidate(const struct trial *trial, const char *launch,
                            int candidate);

#endif
