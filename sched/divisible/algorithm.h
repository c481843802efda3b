/* The algorithms of this folder by name, for programs that let a user
 * choose. */
#ifndef SCHED_DIVISIBLE_ALGORITHM_H
#define SCHED_DIVISIBLE_ALGORITHM_H

#include "sched/divisible/installments.h"
#include "sched/divisible/periodic.h"
#include "sched/divisible/plan.h"

#include "base/spec.h"

enum divisible_algorithm {
    DIVISIBLE_SINGLE_ROUND,
    DIVISIBLE_LP_FIXED,
    DIVISIBLE_LP_SQRT,
    DIVISIBLE_LP_ADAPTIVE,
    DIVISIBLE_MULTI_INSTALLMENT,
    DIVISIBLE_ALGORITHMS
};

/* "single-round", "lp-fixed", ..., in this order; NULL ends the list. */
extern const char *const divisible_names[DIVISIBLE_ALGORITHMS + 1];

/* An algorithm with its parameters; members of other algorithms are ignored. */
struct divisible_choice {
    enum divisible_algorithm algorithm;
    const int *order; /* single-round: given, not owned; NULL: the best */
    int order_count;  /* workers in it */
    double period;    /* lp-fixed: T_p, s; 0: 2000, as in the paper */
    enum divisible_tail tail; /* lp-... */
    bool replan;              /* lp-...: each round anew, see periodic.h */
    double unit;      /* lp-sqrt, lp-adaptive: s; 0: 1, see periodic.h */
    int installments; /* multi-installment */
    enum divisible_equations equations; /* multi-installment */
};

/* The text for users about an algorithm, and its keys in a spec. */
struct divisible_about {
    const char *summary;
    const struct spec_param *params;
};
extern const struct divisible_about divisible_about[DIVISIBLE_ALGORITHMS];

/* Whether a spec names an algorithm of this folder. */
bool divisible_named(const char *text);

/* Reads a spec such as "multi-installment:installments=3".  Returns 0 or
 * -EINVAL; an error for an unknown name lists the algorithms. */
int divisible_parse(const char *text, struct divisible_choice *choice,
                    struct spec *spec, struct error *err);

/* The periods of a choice, if it is one of lp-.... */
struct divisible_periods
divisible_periods_of(const struct divisible_choice *choice);

/* Plans `load` with it; plan, ownership and errors as in the headers of the
 * algorithms. */
int divisible_make(const struct divisible_choice *choice,
                   const struct divisible_platform *platform, double load,
                   struct divisible_plan *plan, struct error *err);

#endif
