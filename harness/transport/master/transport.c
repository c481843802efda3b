/* Transport master: ranks ask a master by message. */
#include "harness/transport/transport.h"

#include <stddef.h>

static const struct transport_rules master_rules = {
    .name = "master",
    .summary = "ranks ask a master by message",
    .refuses = {[TRANSPORT_ONE_RANK] = "needs two ranks or more",
                [TRANSPORT_PLAN] = "hands out what is asked for",
                [TRANSPORT_SCHEDULE] =
                    "has no OpenMP schedules (ss and css are much like "
                    "dynamic, gss like guided)"},
    .fields = {"master", "prefetch", "collect"},
    .tree = TRANSPORT_BY_RANK,
};

const struct transport_ops transport_master_ops = {
    .rules = &master_rules,
};
