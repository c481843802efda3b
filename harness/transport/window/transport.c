/* Transport window: no master, the ranks advance a counter in an MPI window, in
 * shared memory on one host or with MPI_Fetch_and_op across hosts. */
#include "harness/transport/transport.h"

#include <stddef.h>

static const struct transport_rules window_rules = {
    .name = "window",
    .summary = "ranks advance a counter in an MPI window, without a master",
    .refuses = {[TRANSPORT_PLAN] = "has no master that sends data by plan",
                [TRANSPORT_MASTERS] = "has no masters",
                [TRANSPORT_SCHEDULE] =
                    "has no OpenMP schedules (ss and css are much like "
                    "dynamic, gss like guided)",
                [TRANSPORT_COLLECT] = "has no master to collect",
                [TRANSPORT_DATA] = "has no master that sends data",
                [TRANSPORT_REISSUE] = "has no master that knows what is out"},
    .field = "window",
    .choice = {{.name = "auto"},
               {.name = "shared"},
               {.name = "rma",
                .refuses = {[TRANSPORT_LEARNING] =
                                "cannot carry the times of chunks in an rma "
                                "window (below it, under hierarchy node, the "
                                "second of two schemes may learn)"}}},
    .tree = TRANSPORT_NO_MASTER,
};

const struct transport_ops transport_window_ops = {
    .rules = &window_rules,
};
