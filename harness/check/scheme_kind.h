/* The meaning of a cell's `scheme`: a scheme or two, a plan of the whole loop,
 * a schedule of OpenMP, or auto. */
#ifndef HARNESS_CHECK_SCHEME_KIND_H
#define HARNESS_CHECK_SCHEME_KIND_H

#include "harness/check/choice.h"
#include "harness/transport/openmp/openmp_schedule.h"
#include "sched/divisible/algorithm.h"
#include "sched/schemes/pair.h"

enum scheme_kind { SCHEME_PAIR, SCHEME_PLAN, SCHEME_SCHEDULE, SCHEME_AUTO };

struct scheme {
    enum scheme_kind kind;
    struct sched_pair pair;          /* with the canonical text of any kind;
                                        outer NULL: another kind */
    struct divisible_choice plan;    /* SCHEME_PLAN */
    struct openmp_schedule schedule; /* SCHEME_SCHEDULE */
    struct choice_rule rule;         /* SCHEME_AUTO */
};

/* `static` without keys is the scheme.  An error for an unknown name lists all.
 * Returns 0 or -EINVAL. */
int scheme_parse(const char *text, struct scheme *scheme, struct error *err);

/* Whether it keeps its knowledge for the next repetition. */
bool scheme_keeps(const struct scheme *scheme);

/* Whether one of its schemes uses the costs of iterations. */
bool scheme_needs_costs(const struct scheme *scheme);

#endif
