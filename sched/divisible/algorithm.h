/* The algorithms of this folder by name, for whoever lets a user choose. */
#ifndef SCHED_DIVISIBLE_ALGORITHM_H
#define SCHED_DIVISIBLE_ALGORITHM_H

#include "sched/divisible/periodic.h"
#include "sched/divisible/plan.h"

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

/* An algorithm with what can be chosen for it; all else is not looked at. */
struct divisible_choice {
    enum divisible_algorithm algorithm;
    const int *order; /* single-round: given, not owned; NULL: the best */
    int order_count;  /* workers in it */
    double period;    /* lp-fixed: T_p, s; 0: 2000, as in the paper */
    enum divisible_tail tail; /* lp-... */
    int installments;         /* multi-installment */
};

/* Plans `load` with it; plan, ownership and errors as in the headers of the
 * algorithms. */
int divisible_make(const struct divisible_choice *choice,
                   const struct divisible_platform *platform, double load,
                   struct divisible_plan *plan, struct error *err);

#endif
