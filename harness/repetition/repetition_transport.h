/* Opens a cell's transport: only here a cell's fields become a struct
 * transport_setup. */
#ifndef HARNESS_REPETITION_REPETITION_TRANSPORT_H
#define HARNESS_REPETITION_REPETITION_TRANSPORT_H

#include "harness/check/setup.h"
#include "harness/problem/loop.h"
#include "harness/repetition/planned.h"
#include "harness/transport/transport_end.h"
#include "harness/workers/context.h"
#include "harness/workers/power.h"

/* All pointers stay the caller's. */
struct run_transport {
    const struct setup *setup;
    struct loop *loop;
    const struct tree *tree;
    const struct powers *powers;
    const struct planned *planned; /* empty unless the protocol is push */
    const struct site *site;       /* NULL: not needed */
    const struct launch_context *context;
    const struct engine_patience *patience;
};

/* Once in a process.  Returns 0 or -errno; ranks have not agreed.  Call
 * transport_close in any case. */
int run_transport_open(struct transport *transport,
                       const struct run_transport *of, struct error *err);

#endif
