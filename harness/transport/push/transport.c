/* Protocol push: the master of transport master sends load by a plan. */
#include "harness/transport/transport.h"

#include <stddef.h>

static const struct transport_rules push_rules = {
    .name = "push",
    .of = "master",
    .summary = "a master sends load to its workers by a plan",
    .refuses = {[TRANSPORT_ONE_RANK] = "needs two ranks or more",
                [TRANSPORT_THREADS] = "sends to ranks of one thread",
                [TRANSPORT_INDEPENDENT] = "sends by plan only",
                [TRANSPORT_DEPENDENT] = "sends by plan only",
                [TRANSPORT_NODE] = "has one master with one port",
                [TRANSPORT_MASTERS] = "has one master with one port",
                [TRANSPORT_SCHEME] = "sends by plan",
                [TRANSPORT_TWO] = "sends by plan",
                [TRANSPORT_SCHEDULE] = "sends by plan",
                [TRANSPORT_MIN_CHUNK] =
                    "sends the chunks of a plan as they are",
                [TRANSPORT_REISSUE] = "sends each chunk of the plan once"},
    .fields = {"master", "prefetch", "collect"},
    .tree = TRANSPORT_BY_RANK,
};

const struct transport_ops transport_push_ops = {
    .rules = &push_rules,
};
