/* Scheme auto: the scheme, hierarchy and sync interval of a cell are chosen
 * before its launch by simulation, or during its run by trial.
 *
 *     auto:by=simulation,schemes=all,hierarchies=all,intervals=all
 *     auto:by=trial,schemes=ss+gss+css:chunk=16,hierarchies=flat+2,
 *          share=0.4,repetitions=50,change=0.1
 *
 * The entries of a list are joined by '+'.  `all` is every scheme without keys,
 * flat and 2, 4, 8, ... masters and node, and 25, 50, 100, ... columns; `given`
 * is the cell's own value; `usual`, the default of trials, is a few of them
 * (choice_list.c).  In the end an ordinary cell runs, with that cell's hash. */
#ifndef HARNESS_CHECK_CHOICE_H
#define HARNESS_CHECK_CHOICE_H

#include "harness/cell/cell.h"
#include "sched/select/select.h"

enum { CHOICE_ENTRIES_MAX = 64 }; /* of a list */

enum choice_by { CHOICE_NONE, CHOICE_SIMULATION, CHOICE_TRIAL };

struct choice_rule {
    enum choice_by by;
    char schemes[SPEC_TEXT_MAX], hierarchies[SPEC_TEXT_MAX],
        intervals[SPEC_TEXT_MAX];
    double share, change;
    int repetitions;
};

/* The keys of auto, for help. */
extern const struct spec_param choice_params[];

/* Whether the scheme is auto. */
bool choice_named(const char *scheme);

/* How the cell's scheme is chosen; CHOICE_NONE: not auto. */
enum choice_by choice_by(const struct cell *cell);

/* Reads a spec of auto and writes its canonical form.  Returns 0 or -EINVAL. */
int choice_parse(const char *text, struct choice_rule *rule,
                 char canonical[SPEC_CANONICAL_MAX], struct error *err);

struct setup;

/* Steps of setup_resolve. choice_settle, when specs are read: `given` gets the
 * cell's hierarchy and interval in the canonical spec. choice_of_interval:
 * whether the cell is resolved except for a chosen interval. choice_check, in
 * the end: whether there are candidates and enough trials. */
int choice_settle(struct setup *setup, struct error *err);
bool choice_of_interval(const struct setup *setup);
int choice_check(struct setup *setup, struct error *err);

/* The checked candidates of a cell, without duplicates; free() the list.
 * -ENOTSUP: none is possible; the text is the reason of the first. */
int choice_candidates(const struct setup *setup, struct cell **list, int *count,
                      struct error *err);

/* Records in the cell that this candidate was chosen. */
void choice_make(struct cell *cell, const struct cell *candidate);

/* The cell that runs for `cell`: a copy, with the choice in place (unchecked)
 * if there is one. -EINVAL: nothing was chosen. */
int choice_apply(const struct cell *cell, struct cell *runs, struct error *err);

/* How trials choose among so many candidates if the loop runs at least
 * `repetitions` times. */
void choice_trials(const struct choice_rule *choice, int candidates,
                   int repetitions, struct select_rule *rule);

#endif
