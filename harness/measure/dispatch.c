/* Charges come from repetitions of cells with the null kernel, so that a chunk
 * costs what it costs in a run.  The charge c_sch is the time per chunk times
 * the number of workers, which all ask constantly. */
#include "harness/measure/measure_internal.h"

#include "base/stats.h"
#include "harness/measure/crew.h"
#include "harness/messages/burst.h"
#include "harness/transport/steal/steal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Iterations for a few ms a round: chunks from memory cost nanoseconds, those
 * from a master microseconds. */
enum {
    ROUNDS = 9,
    BY_MEMORY = 200000,
    BY_MESSAGE = 5000,
    STEAL_SIZE = 1000000
};

/* A value of a repetition, in seconds. */
typedef double measured(const struct run_result *result,
                        const struct launch_context *context);

/* The loop's time per chunk. */
static double chunk_of(const struct run_result *result,
                       const struct launch_context *context)
{
    (void)context;
    return result->time_s / (double)result->chunks;
}

/* The wait per question of all workers but the first: they are the thieves.
 * Threads poll constantly when nothing is left, so only their successes count;
 * ranks get an answer each time. */
static double steal_of(const struct run_result *result,
                       const struct launch_context *context)
{
    double wait_s = 0;
    int64_t asked = 0;
    bool remote = context->comm.ranks > 1;
    for (int w = 1; w < context->comm.ranks * context->threads; w++) {
        const struct worker_result *thief = &result->workers[w];
        wait_s += thief->wait_s;
        asked +=
            thief->fact[STEAL_TAKEN] + (remote ? thief->fact[STEAL_FAILED] : 0);
    }
    return asked > 0 ? wait_s / (double)asked : 0;
}

/* *seconds: the median of what `value` finds in each round. */
static int measure_rounds(struct run *run, const struct launch_context *context,
                          measured *value, double *seconds,
                          struct calibration_kind *kind, struct error *err)
{
    double sample[ROUNDS];
    for (int r = -1; r < ROUNDS; r++) {
        struct run_result result;
        int code = run_repeat(run, &result, err);
        if (code != 0)
            return code;
        if (context->comm.rank != 0 || r < 0)
            continue;
        sample[r] = value(&result, context);
        for (int w = 0; run_workers(run) == kind->workers && w < kind->workers;
             w++)
            kind->worker[w].core = result.workers[w].core;
    }
    *seconds =
        context->comm.rank == 0 ? stats_median(sample, ROUNDS).median : 0;
    return 0;
}

static int measure_cell(struct launch_context *context, const struct cell *cell,
                        bool oversubscribe, measured *value, double *seconds,
                        struct calibration_kind *kind, struct error *err)
{
    struct setup setup;
    struct loop loop;
    struct run *run;
    int code =
        comm_agree(&context->comm, setup_resolve(&setup, cell, err), err);
    if (code == 0)
        code = loop_open(&loop, setup.kernel, &setup.kernel_spec, false,
                         &context->comm, 60, 1, err);
    if (code != 0) {
        setup_free(&setup);
        return code;
    }
    code = run_open(&run, &setup, &loop, context, oversubscribe, err);
    if (code == 0) {
        code = measure_rounds(run, context, value, seconds, kind, err);
        run_close(run);
    }
    loop_close(&loop);
    setup_free(&setup);
    return code;
}

static int measure_transport(struct launch_context *context,
                             const char *transport, int64_t size,
                             bool oversubscribe, struct calibration_kind *kind,
                             struct error *err)
{
    struct cell cell;
    double chunk_s = NAN;
    int code = crew_cell(context, transport, size, &cell, err);
    if (code == 0)
        code = measure_cell(context, &cell, oversubscribe, chunk_of, &chunk_s,
                            kind, err);
    if (code != 0)
        return code;
    struct calibration_dispatch *d = &kind->dispatch[kind->dispatches++];
    snprintf(d->transport, sizeof(d->transport), "%s", cell.transport);
    d->c_sch = chunk_s * kind->workers;
    return 0;
}

int dispatch_measure(struct launch_context *context, bool oversubscribe,
                     struct calibration_kind *kind, struct error *err)
{
    bool one = context->comm.ranks == 1;
    int code = one ? measure_transport(context, "shared", BY_MEMORY,
                                       oversubscribe, kind, err)
                   : measure_transport(context, "master", BY_MESSAGE,
                                       oversubscribe, kind, err);
    if (code == 0 && !one)
        code = measure_transport(context, "window", BY_MEMORY, oversubscribe,
                                 kind, err);
    if (code == 0)
        code = measure_transport(context, "steal", BY_MEMORY, oversubscribe,
                                 kind, err);
    return code;
}

/* A scheme that needs its state for each chunk, over the transport without
 * messages. */
static int measure_state(struct launch_context *context, bool oversubscribe,
                         struct calibration_kind *kind, struct error *err)
{
    struct cell cell;
    char scheme[32];
    const char *transport = context->comm.ranks == 1 ? "shared" : "window";
    double chunk_s = NAN;
    int code = crew_cell(context, transport, BY_MEMORY, &cell, err);
    snprintf(scheme, sizeof(scheme), "wcss:k=%lld", (long long)BY_MEMORY);
    cell.scheme = scheme;
    if (code == 0)
        code = cell_check(&cell, err);
    if (code == 0)
        code = measure_cell(context, &cell, oversubscribe, chunk_of, &chunk_s,
                            kind, err);
    if (code == 0)
        kind->charge.state = chunk_s * kind->workers;
    return code;
}

/* A request, its answer and the master's work between them. If several workers
 * ask, the master's work limits the rate. */
static int measure_request(struct launch_context *context, bool oversubscribe,
                           struct calibration_kind *kind, struct error *err)
{
    struct burst burst;
    struct cell cell;
    double chunk_s = NAN;
    int code = crew_cell(context, "master", BY_MESSAGE, &cell, err);
    cell.master = "dedicated";
    if (code == 0)
        code = cell_check(&cell, err);
    if (code == 0)
        code = measure_cell(context, &cell, oversubscribe, chunk_of, &chunk_s,
                            kind, err);
    if (code != 0)
        return code;
    burst_measure(&context->comm, &burst);
    kind->charge.send = burst.send_s;
    kind->charge.receive = burst.receive_s;
    kind->charge.one_way = burst.one_way_s;
    kind->charge.round = chunk_s;
    return 0;
}

/* The first worker has nearly all of the loop: all others steal from it, and
 * then from each other. */
static int measure_steal(struct launch_context *context, bool oversubscribe,
                         struct calibration_kind *kind, struct error *err)
{
    struct cell cell;
    char power[64];
    int thieves = context->comm.ranks * context->threads - 1;
    if (thieves == 0)
        return 0;
    int code = crew_cell(context, "steal", STEAL_SIZE, &cell, err);
    snprintf(power, sizeof(power), "%d,%d:1", STEAL_SIZE, thieves);
    cell.power = power;
    if (code == 0)
        code = cell_check(&cell, err);
    if (code == 0)
        code = measure_cell(context, &cell, oversubscribe, steal_of,
                            &kind->charge.steal, kind, err);
    return code;
}

int dispatch_charges(struct launch_context *context, bool oversubscribe,
                     struct calibration_kind *kind, struct error *err)
{
    kind->charge = (struct calibration_charge){NAN, NAN, NAN, NAN, NAN, NAN};
    int code = measure_state(context, oversubscribe, kind, err);
    if (code == 0 && context->comm.ranks > 1)
        code = measure_request(context, oversubscribe, kind, err);
    if (code == 0)
        code = measure_steal(context, oversubscribe, kind, err);
    return code;
}
