/* Workers that count themselves: in the memory of one process, or at a counter
 * in rank 0's window. */
#include "harness/replay/replay_internal.h"

#include <math.h>

/* A tick of the simulated clock, for schemes that only compare times. */
static const double TICK_S = 1e-12;

static double reported_time(const struct replayer *rp, double from, double to)
{
    if (!rp->ticks)
        return to - from;
    return (double)(llround(to / TICK_S) - llround(from / TICK_S));
}

/* By a worker that is inside, at `now`. */
static bool take_chunk(struct replayer *rp, int worker, double asked,
                       double now, struct chunk *chunk)
{
    struct learned *learned = rp->learned;
    if (learned == NULL)
        return sched_next(&rp->sched, worker, chunk);
    learned += worker;
    if (learned->size > 0)
        sched_feedback(&rp->sched, worker, learned->size,
                       reported_time(rp, learned->got_s, asked));
    bool more = sched_next(&rp->sched, worker, chunk);
    learned->size = more ? chunk->size : 0;
    learned->got_s = rp->whole ? asked : now;
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
static void go_on(struct replayer *rp, int worker, double now,
                  const struct chunk *chunk, double way_s)
{
    double compute_s = replay_compute_s(rp, worker, chunk->start, chunk->size);
    replay_hand_out(rp, worker, chunk, now, compute_s);
    replay_add(rp, now + compute_s + rp->in->costs.count_s + way_s,
               (uint32_t)worker, WORK);
}

static double way_to_counter(struct replayer *rp, int worker)
{
    if (rp->in->kind != REPLAY_WINDOW)
        return 0;
    return replay_message_s(rp, rp->tree->worker_rank[worker], 0, WORD_BYTES);
}

/* A chunk that is kept for a worker needs no counter. */
static void start_worker(struct replayer *rp, int worker)
{
    struct chunk chunk;
    double now = replay_start_s(rp, worker) + rp->in->costs.count_s;
    if (rp->in->kind == REPLAY_WINDOW &&
        sched_take_primed(&rp->sched, worker, &chunk))
        go_on(rp, worker, now, &chunk, way_to_counter(rp, worker));
    else
        replay_add(rp, now + way_to_counter(rp, worker), (uint32_t)worker,
                   WORK);
}

int count_run(struct replayer *rp)
{
    const struct replay_costs *costs = &rp->in->costs;
    bool window = rp->in->kind == REPLAY_WINDOW;
    double inside_s = window ? costs->request_s : costs->counter_s;
    double free_s = 0;
    for (int w = 0; w < rp->tree->workers; w++)
        start_worker(rp, w);
    while (rp->events.count > 0 && rp->code == 0) {
        struct event event = rp->events.event[0];
        int worker = (int)event.who;
        struct chunk chunk;
        double now = enter_alone(&free_s, event.at, inside_s);
        bool more = take_chunk(rp, worker, event.at, now, &chunk);
        double way_s = way_to_counter(rp, worker);
        rp->hole = true;
        if (more) {
            go_on(rp, worker, now + way_s, &chunk, way_to_counter(rp, worker));
            continue;
        }
        events_take(&rp->events);
        rp->hole = false;
        rp->result->worker[worker].finish_s = now + way_s;
        rp->result->time_s = replay_max(rp->result->time_s, now + way_s);
    }
    return rp->code;
}
