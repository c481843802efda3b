/* The common data of all cells of a launch on a rank, chosen at link time:
 * context.c natively, sim/context.c in simulation. */
#ifndef HARNESS_WORKERS_CONTEXT_H
#define HARNESS_WORKERS_CONTEXT_H

#include "base/error.h"
#include "harness/cell/cell.h"
#include "harness/check/worklist.h"
#include "harness/counters/counters.h"
#include "harness/messages/comm.h"
#include "harness/workers/place.h"

struct transport_ops;

struct launch_context {
    struct comm comm;
    struct place place; /* not in simulation */
    struct engine_team *team;
    int threads;
    struct counters_list events; /* to count; none in simulation */
    struct counters *counters;   /* of this process; NULL: none */
    uint32_t counted;            /* the events that it counts */
    double tick_s;
    json_t *texts;   /* of cells that calibrate; NULL in other launches */
    uint64_t seed;   /* the worklist's: of the campaign */
    const char *out; /* result directory, the worklist's */
    bool keep_log;   /* chunks of kernels without output are logged too */
    int slots;       /* of the counters, that threads of other teams have before
                        this one's: thread 0 is in all teams */
    /* The transport that owns the team's threads, with this value of its field;
     * NULL: they are the launch's. */
    const struct transport_ops *keeper;
    char choice[16];
    void *kept;
    struct launch_context *next; /* the same with another such team; owned */
};

/* Collective, after comm_open: checks that the launcher started what the
 * worklist needs, and makes the rest.  All ranks return the same code. */
int context_open(struct launch_context *context, const struct worklist *work,
                 struct error *err);
void context_close(struct launch_context *context);

/* The number of a thread among all counting ones. */
static inline int context_slot(const struct launch_context *context, int thread)
{
    return thread == 0 ? 0 : context->slots + thread;
}

/* Collective: the context that a cell runs in.  That is this one, or
 * one whose team the cell's transport keeps, made with the first such cell and
 * kept.  All ranks return the same code. */
int context_of_cell(struct launch_context *context, const struct cell *cell,
                    struct launch_context **out, struct error *err);

#endif
