#include "harness/context.h"

#include <errno.h>

static int check_ranks(const struct comm *comm, const struct plan *plan,
                       struct error *err)
{
    if (plan->ranks == comm->ranks)
        return 0;
    return error_set(err, EINVAL,
                     "the launcher started %d ranks, the plan needs %d: "
                     "look at --launcher",
                     comm->ranks, plan->ranks);
}

static void open_thread(int thread, void *arg)
{
    counters_thread_open(arg, thread);
}

static void close_thread(int thread, void *arg)
{
    counters_thread_close(arg, thread);
}

static int open_counters(struct launch_context *context,
                         const struct plan *plan, struct error *err)
{
    int code = counters_parse(plan->policy.events, &context->events, err);
    if (code == 0)
        code = counters_open(&context->counters, &context->events,
                             context->threads, err);
    if (code == 0)
        engine_team_run(context->team, open_thread, context->counters);
    return code;
}

int context_open(struct launch_context *context, const struct plan *plan,
                 struct error *err)
{
    int code =
        comm_agree(&context->comm, check_ranks(&context->comm, plan, err), err);
    if (code != 0)
        return code;
    context->threads = plan->threads;
    context->comm.threaded = context->threads > 1;
    context->out = plan->out;
    context->keep_log = plan->policy.trace;
    context->tick_s = engine_measure_tick();
    code = place_open(&context->place, &context->comm, err);
    if (code != 0)
        return code;
    /* More ranks than cores: those that wait must leave them at once. */
    int crowded = place_ranks_crowded(&context->place);
    if (comm_max_int(&context->comm, crowded))
        context->comm.patience.spin_s = 0;
    code = engine_team_start(&context->team, context->threads, err);
    if (code == 0)
        code = open_counters(context, plan, err);
    return comm_agree(&context->comm, code, err);
}

void context_close(struct launch_context *context)
{
    if (context->counters != NULL)
        engine_team_run(context->team, close_thread, context->counters);
    counters_close(context->counters);
    if (context->team != NULL)
        engine_team_stop(context->team);
    if (context->place.topo != NULL)
        place_close(&context->place);
}
