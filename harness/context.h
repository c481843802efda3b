/* What all cells of a launch share on a rank.  One of the parts that are
 * chosen at link time: context.c natively, sim/context.c in simulation. */
#ifndef HARNESS_CONTEXT_H
#define HARNESS_CONTEXT_H

#include "base/error.h"
#include "harness/counters/counters.h"
#include "harness/place.h"
#include "harness/plan.h"
#include "harness/transport/comm.h"

struct launch_context {
    struct comm comm;
    struct place place; /* not in simulation */
    struct engine_team *team;
    int threads;
    struct counters_list events; /* to count; none in simulation */
    struct counters *counters;   /* of this process; NULL: none */
    double tick_s;
    const char *out; /* result directory, the plan's */
    bool keep_log;   /* chunks of kernels without output are logged too */
};

/* Collective, after comm_open: checks that the launcher started what the plan
 * needs, and makes the rest.  All ranks return the same code. */
int context_open(struct launch_context *context, const struct plan *plan,
                 struct error *err);
void context_close(struct launch_context *context);

#endif
