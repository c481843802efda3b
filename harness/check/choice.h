/* Scheme auto: a cell whose scheme, hierarchy and sync interval are chosen for
 * it, before its launch by simulation or while it runs by trial.
 *
 *     auto:by=simulation,schemes=all,hierarchies=all,intervals=all
 *     auto:by=trial,schemes=ss+gss+css:chunk=16,hierarchies=flat+2,
 *          share=0.4,repetitions=50,change=0.1
 *
 * A list has its entries joined by '+'.  `all` is every scheme as it is without
 * keys, flat and 2, 4, 8, ... masters and node, and 25, 50, 100, ... columns;
 * `given` is the cell's own value; `usual`, the default of trials, is a few of
 * them (choice_list.c).  The cell that is run in the end is a cell like any
 * other, and its hash is that cell's. */
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

/* Its keys, for help. */
extern const struct spec_param choice_params[];

/* Whether it names auto. */
bool choice_named(const char *scheme);

/* How the cell's scheme is chosen; CHOICE_NONE: it is given. */
enum choice_by choice_by(const struct cell *cell);

/* Reads a spec of auto and writes its canonical form.  Returns 0 or -EINVAL. */
int choice_parse(const char *text, struct choice_rule *rule,
                 char canonical[SPEC_CANONICAL_MAX], struct error *err);

struct setup;

/* For setup_resolve.  First, when specs are read: the cell's own hierarchy and
 * interval stay, and that goes into the canonical spec.  choice_of_interval:
 * the cell is settled and its interval is chosen.  Then, when all is resolved:
 * whether there are candidates, and trials enough. */
int choice_settle(struct setup *setup, struct error *err);
bool choice_of_interval(const struct setup *setup);
int choice_check(struct setup *setup, struct error *err);

/* The candidates of a cell, checked, each once; free() the list.  -ENOTSUP:
 * none of them is possible, with the reason of the first. */
int choice_candidates(const struct setup *setup, struct cell **list, int *count,
                      struct error *err);

/* Writes down in the cell that this candidate was chosen. */
void choice_make(struct cell *cell, const struct cell *candidate);

/* The cell that runs for `cell`: itself, or with the choice in place, which is
 * not checked.  -EINVAL: nothing was chosen. */
int choice_apply(const struct cell *cell, struct cell *runs, struct error *err);

/* How trials choose among this number of candidates, when the loop runs at
 * least this number of times. */
void choice_trials(const struct choice_rule *choice, int candidates,
                   int repetitions, struct select_rule *rule);

#endif
