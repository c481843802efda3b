/* Transport openmp as cells know it. */
#include "harness/transport/openmp/openmp_internal.h"

#include <stddef.h>

const struct transport_rules openmp_rules = {
    .name = "openmp",
    .summary = "an OpenMP runtime keeps the threads and hands out the chunks",
    .refuses =
        {[TRANSPORT_SCHEME] =
             "has OpenMP's own schedules static, dynamic, guided and runtime "
             "(dynamic is much like ss and css, guided like gss)",
         [TRANSPORT_SIMULATION] =
             "is a runtime's own code and cannot be simulated (static, css and "
             "gss of transport shared are much like static, dynamic and "
             "guided)",
         [TRANSPORT_DEPENDENT] = "is for independent iterations, not for "
                                 "loops with dependences",
         [TRANSPORT_NODE] = "has no masters: each rank schedules its static "
                            "share among its threads",
         [TRANSPORT_MASTERS] = "has no masters: each rank schedules its static "
                               "share among its threads",
         [TRANSPORT_RESERVING] = "has OpenMP's own schedules",
         [TRANSPORT_LEARNING] = "has OpenMP's own schedules",
         [TRANSPORT_COSTS] = "has OpenMP's own schedules",
         [TRANSPORT_TWO] = "has OpenMP's own schedules",
         [TRANSPORT_MIN_CHUNK] = "sizes its chunks by chunk= of the schedule",
         TRANSPORT_SENDS_NOTHING,
         [TRANSPORT_REISSUE] = "hands nothing out again"},
    .field = "openmp",
    .choice = {{.name = "libgomp"}, {.name = "libomp"}},
    .tree = TRANSPORT_NO_MASTER,
};
