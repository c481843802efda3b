/* The data shared by all cells of a launch on a rank, chosen at link time:
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
    uint32_t counted;            /* bits of the events that it counts */
    double tick_s;
    json_t *texts;   /* of calibrating cells; NULL in other launches */
    uint64_t seed;   /* the campaign's, from the worklist */
    const char *out; /* result directory, from the worklist */
    bool keep_log;   /* also log chunks of kernels without output */
    int slots;       /* counters used by threads of other teams before this
                        one's; thread 0 is in all teams */
    /* The transport that has the team's threads, with this value of its field;
     * NULL: they are the launch's. */
    const struct transport_ops *keeper;
    char choice[16];
    void *kept;
    struct launch_context *next; /* next one with another such team; owned */
};

/* Collective, after comm_open: checks that the launcher started what the
 * worklist needs, and opens the rest.  All ranks return the same code. */
int context_open(struct launch_context *context, const struct worklist *work,
                 struct error *err);
void context_close(struct launch_context *context);

/* The number of a thread among all that count events. */
static inline int context_slot(const struct launch_context *context, int thread)
{
    return thread == 0 ? 0 : context->slots + thread;
}

/* Collective: the context in which a cell runs: this one, or one whose team
 * belongs to the cell's transport, made for the first such cell and kept.  All
 * ranks return the same code. */
int context_of_cell(struct launch_context *context, const struct cell *cell,
                    struct launch_context **out, struct error *err);

#endif
