/* A launch has a team of its own threads, and one for each choice of a
 * transport that keeps threads (openmp).  Thread 0 is the same in all teams, so
 * only the launch's own team opens counters for it. */
#include "harness/workers/context.h"

#include "base/text.h"
#include "harness/check/cell_transport.h"
#include "harness/process/need.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Our own team, and those of transports, one for each choice. */
static int most_teams(void)
{
    int teams = 1;
    for (int t = 0; transport_list[t] != NULL; t++)
        for (int i = 0;
             transport_list[t]->team != NULL && i < TRANSPORT_CHOICES; i++)
            teams += transport_list[t]->rules->choice[i].name != NULL;
    return teams;
}

static void open_thread(int thread, void *arg)
{
    struct launch_context *context = arg;
    if (thread > 0 || context->keeper == NULL)
        counters_thread_open(context->counters, context_slot(context, thread));
}

static void close_thread(int thread, void *arg)
{
    struct launch_context *context = arg;
    if (thread > 0 || context->keeper == NULL)
        counters_thread_close(context->counters, context_slot(context, thread));
}

static int open_counters(struct launch_context *context,
                         const struct worklist *work, struct error *err)
{
    struct counters_list asked;
    int code = counters_parse(work->policy.events, &asked, err);
    if (code == 0)
        code = counters_open(&context->counters, &asked,
                             most_teams() * context->threads, err);
    if (code != 0)
        return code;
    if (context->counters != NULL) {
        context->events = *counters_asked(context->counters);
        context->counted = counters_counted(context->counters);
    }
    engine_team_run(context->team, open_thread, context);
    return 0;
}

int context_open(struct launch_context *context, const struct worklist *work,
                 struct error *err)
{
    struct engine_moment began = engine_moment();
    int code = 0;
    if (work->ranks != context->comm.ranks)
        code = error_set(
            err, EINVAL,
            "the launcher started %d rank%s, the worklist needs %d: look at "
            "--launcher",
            context->comm.ranks, text_s(context->comm.ranks), work->ranks);
    code = comm_agree(&context->comm, code, err);
    if (code != 0)
        return code;
    context->threads = work->threads;
    context->comm.threaded = context->threads > 1;
    context->seed = work->seed;
    context->out = work->out;
    context->keep_log = work->policy.trace;
    code = place_open(&context->place, &context->comm, err);
    if (code != 0)
        return code;
    /* More ranks than cores: those that wait must leave them at once. */
    int crowded = place_ranks_crowded(&context->place);
    if (comm_max_int(&context->comm, crowded))
        context->comm.patience.spin_s = 0;
    code = engine_team_start(&context->team, context->threads, err);
    if (code == 0)
        code = open_counters(context, work, err);
    context->tick_s = engine_tick_since(began);
    return comm_agree(&context->comm, code, err);
}

static void close_team(struct launch_context *context)
{
    if (context->team == NULL)
        return;
    engine_team_run(context->team, close_thread, context);
    engine_team_stop(context->team);
}

/* ---- teams that transports keep ---- */

static void close_kept(struct launch_context *context)
{
    if (context == NULL)
        return;
    close_kept(context->next);
    close_team(context);
    if (context->kept != NULL)
        context->keeper->team->close(context->kept);
    free(context);
}

static int open_kept(const struct launch_context *context,
                     const struct transport_ops *keeper, const char *choice,
                     struct launch_context *made, struct error *err)
{
    *made = *context;
    made->team = NULL;
    made->slots = context->slots + context->threads;
    if (context->next != NULL)
        made->slots = context->next->slots + context->threads;
    made->next = NULL;
    made->keeper = keeper;
    snprintf(made->choice, sizeof(made->choice), "%s", choice);
    int code = keeper->team->open(&made->kept, choice, made->threads, err);
    if (code == 0)
        code = engine_team_adopt(&made->team, made->threads, keeper->team->fork,
                                 made->kept, err);
    if (code == 0)
        engine_team_run(made->team, open_thread, made);
    return code;
}

int context_of_cell(struct launch_context *context, const struct cell *cell,
                    struct launch_context **out, struct error *err)
{
    const struct transport_ops *keeper = cell_transport(cell);
    const char *choice = cell_transport_choice(cell);
    *out = context;
    if (keeper->team == NULL)
        return 0;
    for (struct launch_context *c = context->next; c != NULL; c = c->next) {
        if (c->keeper == keeper && strcmp(c->choice, choice) == 0) {
            *out = c;
            return 0;
        }
    }
    struct launch_context *made = need_zeroed(1, sizeof(*made));
    int code = open_kept(context, keeper, choice, made, err);
    code = comm_agree(&context->comm, code, err);
    if (code != 0) {
        close_kept(made);
        return code;
    }
    made->next = context->next;
    context->next = made;
    *out = made;
    return 0;
}

void context_close(struct launch_context *context)
{
    close_kept(context->next);
    close_team(context);
    counters_close(context->counters);
    if (context->place.topo != NULL)
        place_close(&context->place);
}
