/* Transport shared: the threads of one process, chunks from memory. */
#include "harness/transport/transport.h"

#include <stddef.h>

static const struct transport_rules shared_rules = {
    .name = "shared",
    .summary = "threads of one process take chunks from memory",
    .refuses = {[TRANSPORT_RANKS] = "needs one rank",
                [TRANSPORT_PLAN] = "has no master that sends data by plan",
                [TRANSPORT_SCHEDULE] =
                    "has no OpenMP schedules (ss and css are much like "
                    "dynamic, gss like guided)",
                [TRANSPORT_COLLECT] = "has no master to collect",
                [TRANSPORT_DATA] = "has no master that sends data"},
    .tree = TRANSPORT_BY_THREAD,
};

const struct transport_ops transport_shared_ops = {
    .rules = &shared_rules,
};
