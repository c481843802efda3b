#include "sched/divisible/algorithm.h"
#include "sched/divisible/installments.h"
#include "sched/divisible/single_round.h"

#include <stddef.h>

const char *const divisible_names[DIVISIBLE_ALGORITHMS + 1] = {
    "single-round", "lp-fixed",          "lp-sqrt",
    "lp-adaptive",  "multi-installment", NULL};

static struct divisible_periods
periods_of(const struct divisible_choice *choice)
{
    struct divisible_periods periods = choice->algorithm == DIVISIBLE_LP_FIXED
                                           ? divisible_lp_fixed(choice->period)
                                       : choice->algorithm == DIVISIBLE_LP_SQRT
                                           ? divisible_lp_sqrt()
                                           : divisible_lp_adaptive();
    periods.tail = choice->tail;
    return periods;
}

int divisible_make(const struct divisible_choice *choice,
                   const struct divisible_platform *platform, double load,
                   struct divisible_plan *plan, struct error *err)
{
    if (choice->algorithm == DIVISIBLE_MULTI_INSTALLMENT)
        return divisible_installments(platform, load, choice->installments,
                                      plan, err);
    if (choice->algorithm == DIVISIBLE_SINGLE_ROUND && choice->order != NULL)
        return divisible_single_given(platform, load, choice->order,
                                      choice->order_count, plan, err);
    if (choice->algorithm == DIVISIBLE_SINGLE_ROUND)
        return divisible_single_best(platform, load, plan, err);
    struct divisible_periods periods = periods_of(choice);
    return divisible_periodic(platform, load, &periods, plan, err);
}
