/* Workers that count themselves: in the memory of one process, or at a counter
 * in rank 0's window. */
#include "harness/replay/replay_internal.h"

#include <math.h>

/* A tick of the simulated clock, which schemes that only compare are told. */
static const double TICK_S = 1e-12;

static double reported_time(const struct replay_state *rs, double from,
                            double to)
{
    if (!rs->ticks)
        return to - from;
    return (double)(llround(to / TICK_S) - llround(from / TICK_S));
}

/* By a worker that is inside, at `now`. */
static bool take_chunk(struct replay_state *rs, int worker, double asked,
                       double now, struct chunk *chunk)
{
    struct learned *learned = rs->learned;
    if (learned == NULL)
        return sched_next(&rs->sched, worker, chunk);
    learned += worker;
    if (learned->size > 0)
        sched_feedback(&rs->sched, worker, learned->size,
                       reported_time(rs, learned->got_s, asked));
    bool more = sched_next(&rs->sched, worker, chunk);
    learned->size = more ? chunk->size : 0;
    learned->got_s = rs->whole ? asked : now;
    return more;
}

/* One at a time inside, for `inside_s`. */
static double enter_alone(double *free_s, double now, double inside_s)
{
    if (inside_s == 0)
        return now;
    *free_s = (*free_s > now ? *free_s : now) + inside_s;
    return *free_s;
}

/* The worker's next event: where it asks, at the counter. */
static void go_on(struct replay_state *rs, int worker, double now,
                  const struct chunk *chunk, double way_s)
{
    double compute_s = replay_compute_s(rs, worker, chunk->start, chunk->size);
    replay_hand_out(rs, worker, chunk, now, compute_s);
    replay_add(rs, now + compute_s + rs->in->costs.count_s + way_s,
               (uint32_t)worker, WORK);
}

static double way_to_counter(struct replay_state *rs, int worker)
{
    if (rs->in->kind != REPLAY_WINDOW)
        return 0;
    return replay_message_s(rs, rs->tree->worker_rank[worker], 0, WORD_BYTES);
}

/* A chunk that is kept for a worker needs no counter. */
static void start_worker(struct replay_state *rs, int worker)
{
    struct chunk chunk;
    double now = replay_start_s(rs, worker) + rs->in->costs.count_s;
    if (rs->in->kind == REPLAY_WINDOW &&
        sched_take_primed(&rs->sched, worker, &chunk))
        go_on(rs, worker, now, &chunk, way_to_counter(rs, worker));
    else
        replay_add(rs, now + way_to_counter(rs, worker), (uint32_t)worker,
                   WORK);
}

int count_run(struct replay_state *rs)
{
    const struct replay_costs *costs = &rs->in->costs;
    bool window = rs->in->kind == REPLAY_WINDOW;
    double inside_s = window ? costs->request_s : costs->counter_s;
    double free_s = 0;
    for (int w = 0; w < rs->tree->workers; w++)
        start_worker(rs, w);
    while (rs->events.count > 0 && rs->code == 0) {
        struct event event = rs->events.event[0];
        int worker = (int)event.who;
        struct chunk chunk;
        double now = enter_alone(&free_s, event.at, inside_s);
        bool more = take_chunk(rs, worker, event.at, now, &chunk);
        double way_s = way_to_counter(rs, worker);
        rs->hole = true;
        if (more) {
            go_on(rs, worker, now + way_s, &chunk, way_to_counter(rs, worker));
            continue;
        }
        events_take(&rs->events);
        rs->hole = false;
        rs->result->worker[worker].finish_s = now + way_s;
        rs->result->time_s = replay_max(rs->result->time_s, now + way_s);
    }
    return rs->code;
}
