#include "harness/calibrate/dispatch.h"

#include "harness/calibrate/crew.h"
#include "harness/stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 9 };

/* Iterations for a few ms a round: chunks from memory cost nanoseconds, those
 * from a master microseconds. */
static int64_t loop_size(const char *transport)
{
    return strcmp(transport, "master") == 0 ? 5000 : 200000;
}

static int measure_rounds(struct run *run, const struct launch_context *context,
                          double *c_sch, struct calibration_kind *kind,
                          struct error *err)
{
    double sample[ROUNDS];
    for (int r = -1; r < ROUNDS; r++) {
        struct run_result result;
        int code = run_repeat(run, &result, err);
        if (code != 0)
            return code;
        if (context->comm.rank != 0 || r < 0)
            continue;
        sample[r] = result.time_s * kind->workers / (double)result.chunks;
        for (int w = 0; w < kind->workers; w++)
            kind->worker[w].core = result.workers[w].core;
    }
    *c_sch = context->comm.rank == 0 ? stats_median(sample, ROUNDS).median : 0;
    return 0;
}

static int measure_transport(struct launch_context *context,
                             const char *transport, bool oversubscribe,
                             struct calibration_kind *kind, struct error *err)
{
    struct loop loop;
    struct run *run;
    struct cell cell;
    double c_sch;
    int code = crew_cell(context, transport, loop_size(transport), &cell, err);
    if (code == 0)
        code = loop_open(&loop, cell.kernel, &context->comm, 60, 1, err);
    if (code != 0)
        return code;
    code = run_open(&run, &cell, &loop, context, oversubscribe, err);
    if (code == 0) {
        code = measure_rounds(run, context, &c_sch, kind, err);
        run_close(run);
    }
    loop_close(&loop);
    if (code != 0)
        return code;
    struct calibration_dispatch *d = &kind->dispatch[kind->dispatches++];
    snprintf(d->transport, sizeof(d->transport), "%s", cell.transport);
    d->c_sch = c_sch;
    return 0;
}

int dispatch_measure(struct launch_context *context, bool oversubscribe,
                     struct calibration_kind *kind, struct error *err)
{
    bool one = context->comm.ranks == 1;
    int code = measure_transport(context, one ? "shared" : "master",
                                 oversubscribe, kind, err);
    if (code == 0 && !one)
        code = measure_transport(context, "window", oversubscribe, kind, err);
    return code;
}
