/* Transport steal: idle workers steal. */
#include "harness/transport/transport.h"

#include <stddef.h>

/* A range is cut by one worker alone: sizes must not depend on who asks, on
 * what others have learned, or on blocks that are set aside for others. */
#define CUTS                                                                   \
    "begins with each worker's static share, by the powers, and the scheme "   \
    "only cuts it into pieces"

static const struct transport_rules steal_rules = {
    .name = "steal",
    .summary = "workers begin with static shares, idle ones steal",
    .refuses =
        {[TRANSPORT_DEPENDENT] = "takes iterations from the ends of ranges, "
                                 "where rows have an order",
         [TRANSPORT_PLAN] = "has no master that sends data by plan",
         [TRANSPORT_NODE] = "has no masters (threads steal from their rank "
                            "first, and victim near from near ones)",
         [TRANSPORT_MASTERS] = "has no masters (threads steal from their rank "
                               "first, and victim near from near ones)",
         [TRANSPORT_RESERVING] = CUTS,
         [TRANSPORT_LEARNING] = CUTS,
         [TRANSPORT_TWO] = CUTS,
         [TRANSPORT_SCHEDULE] = "has no OpenMP schedules (ss and css are much "
                                "like dynamic, gss like guided)",
         [TRANSPORT_COLLECT] = "has no master to collect",
         [TRANSPORT_DATA] = "has no master that sends data",
         [TRANSPORT_REISSUE] = "has no master that knows what is out"},
    .field = "victim",
    .choice = {{.name = "random"}, {.name = "near"}},
    .fact = {{"steals", "count"},
             {"steals_failed", "count"},
             {"stolen", "iterations"}},
    .tree = TRANSPORT_NO_MASTER,
    .unordered = true,
};

const struct transport_ops transport_steal_ops = {
    .rules = &steal_rules,
};
