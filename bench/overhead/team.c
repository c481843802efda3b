#include "bench/overhead/team.h"

enum { THREADS_MAX = 256 };

struct timed {
    struct launch_context *context;
    struct engine_team *team;
    int64_t (*body)(int thread, void *arg);
    void *arg;
    double begin_s, end_s;
    int64_t chunks[THREADS_MAX];
};

static void timed_body(int thread, void *arg)
{
    struct timed *timed = arg;
    struct launch_context *context = timed->context;
    struct engine_patience patience = {.spin_s = 1};
    struct error err;
    topo_bind_compact(context->place.topo, thread, context->threads, &err);
    engine_team_barrier(timed->team, &patience);
    if (thread == 0)
        timed->begin_s = engine_now();
    engine_team_barrier(timed->team, &patience);
    timed->chunks[thread] = timed->body(thread, timed->arg);
    engine_team_barrier(timed->team, &patience);
    if (thread == 0)
        timed->end_s = engine_now();
}

double team_time_chunks(struct launch_context *context,
                        struct engine_team *team,
                        int64_t (*body)(int thread, void *arg), void *arg,
                        int64_t *chunks)
{
    struct timed timed = {
        .context = context, .team = team, .body = body, .arg = arg};
    int64_t all = 0;
    engine_team_run(team, timed_body, &timed);
    for (int t = 0; t < context->threads; t++)
        all += timed.chunks[t];
    if (chunks != NULL)
        *chunks = all;
    return 1e9 * (timed.end_s - timed.begin_s) / (double)all;
}
