#include "sched/divisible/algorithm.h"
#include "sched/divisible/single_round.h"

#include "base/nearest.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

const char *const divisible_names[DIVISIBLE_ALGORITHMS + 1] = {
    "single-round", "lp-fixed",          "lp-sqrt",
    "lp-adaptive",  "multi-installment", NULL};

/* ---- specs ---- */

#define TAIL                                                                   \
    PARAM_WORD("tail", "cut", "cut|share",                                     \
               "last round: whole shares in turn, or all made smaller")
#define REPLAN                                                                 \
    PARAM_WORD("replan", "never", "never|round",                               \
               "round: each by the speeds seen until then", .quiet = true)

static const struct spec_param no_params[] = {{0}};

static const struct spec_param sqrt_params[] = {
    TAIL,
    PARAM_REAL("unit", "1", 1e-9, 1e9,
               "T_p = sqrt(T) counts in so many seconds"),
    REPLAN,
    {0},
};

static const struct spec_param fixed_params[] = {
    TAIL,
    PARAM_REAL("period", "2000", 1e-9, 1e12, "T_p, s"),
    REPLAN,
    {0},
};

static const struct spec_param installment_params[] = {
    PARAM_WHOLE("installments", "4", 1, DIVISIBLE_INSTALLMENTS_MAX, "rounds"),
    {0},
};

const struct divisible_about divisible_about[DIVISIBLE_ALGORITHMS] = {
    [DIVISIBLE_SINGLE_ROUND] = {"one message to each, optimal sizes and order",
                                no_params},
    [DIVISIBLE_LP_FIXED] = {"rounds of a given period T_p", fixed_params},
    [DIVISIBLE_LP_SQRT] = {"rounds of T_p = sqrt(T), T the estimated time",
                           sqrt_params},
    [DIVISIBLE_LP_ADAPTIVE] = {"T_p again before each round, from what is left",
                               sqrt_params},
    [DIVISIBLE_MULTI_INSTALLMENT] = {"M.I.x: x rounds, all end together; "
                                     "without prefetch only",
                                     installment_params},
};

static int find_algorithm(const char *name)
{
    int i = 0;
    while (divisible_names[i] != NULL && strcmp(divisible_names[i], name) != 0)
        i++;
    return i;
}

bool divisible_named(const char *text)
{
    char name[SPEC_NAME_MAX];
    return spec_name("scheme", text, name, NULL) == 0 &&
           find_algorithm(name) < DIVISIBLE_ALGORITHMS;
}

int divisible_parse(const char *text, struct divisible_choice *choice,
                    struct spec *spec, struct error *err)
{
    char name[SPEC_NAME_MAX];
    int code = spec_name("scheme", text, name, err);
    if (code != 0)
        return code;
    int i = find_algorithm(name);
    if (i == DIVISIBLE_ALGORITHMS)
        return nearest_unknown(err, name, divisible_names, "",
                               "unknown plan '%s'", name);
    const struct spec_param *params = divisible_about[i].params;
    code = spec_parse("scheme", text, name, params, spec, err);
    if (code != 0)
        return code;
    *choice = (struct divisible_choice){.algorithm = i};
    if (params == installment_params)
        choice->installments = (int)spec->value[0].integer;
    else if (params != no_params) {
        if (strcmp(spec->value[0].text, "share") == 0)
            choice->tail = DIVISIBLE_TAIL_SHARE;
        choice->replan = strcmp(spec->value[2].text, "round") == 0;
    }
    if (params == fixed_params)
        choice->period = spec->value[1].real;
    if (params == sqrt_params)
        choice->unit = spec->value[1].real;
    return 0;
}

/* ---- plans ---- */

struct divisible_periods
divisible_periods_of(const struct divisible_choice *choice)
{
    struct divisible_periods periods = choice->algorithm == DIVISIBLE_LP_FIXED
                                           ? divisible_lp_fixed(choice->period)
                                       : choice->algorithm == DIVISIBLE_LP_SQRT
                                           ? divisible_lp_sqrt()
                                           : divisible_lp_adaptive();
    periods.tail = choice->tail;
    periods.unit = choice->unit;
    periods.replan = choice->replan;
    return periods;
}

int divisible_make(const struct divisible_choice *choice,
                   const struct divisible_platform *platform, double load,
                   struct divisible_plan *plan, struct error *err)
{
    if (choice->algorithm == DIVISIBLE_MULTI_INSTALLMENT)
        return divisible_installments(platform, load, choice->installments,
                                      choice->equations, plan, err);
    if (choice->algorithm == DIVISIBLE_SINGLE_ROUND && choice->order != NULL)
        return divisible_single_given(platform, load, choice->order,
                                      choice->order_count, plan, err);
    if (choice->algorithm == DIVISIBLE_SINGLE_ROUND)
        return divisible_single_best(platform, load, plan, err);
    struct divisible_periods periods = divisible_periods_of(choice);
    return divisible_periodic(platform, load, &periods, plan, err);
}
