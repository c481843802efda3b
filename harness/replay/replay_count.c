/* Workers that count themselves: in the memory of one process, or at a counter
 * in rank 0's window. */
#include "harness/replay/replay_parts.h"

#include <math.h>

/* A tick of the simulated clock, which schemes that only compare are told. */
static const double TICK_S = 1e-12;

static double told_time(const struct play *play, double from, double to)
{
    if (!play->ticks)
        return to - from;
    return (double)(llround(to / TICK_S) - llround(from / TICK_S));
}

/* By a worker that is inside, at `now`. */
static bool take_chunk(struct play *play, int worker, double asked, double now,
                       struct chunk *chunk)
{
    struct learned *learned = play->learned;
    if (learned == NULL)
        return sched_next(&play->sched, worker, chunk);
    learned += worker;
    if (learned->size > 0)
        sched_feedback(&play->sched, worker, learned->size,
                       told_time(play, learned->got_s, asked));
    bool more = sched_next(&play->sched, worker, chunk);
    learned->size = more ? chunk->size : 0;
    learned->got_s = play->whole ? asked : now;
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
static void go_on(struct play *play, int worker, double now,
                  const struct chunk *chunk, double way_s)
{
    double compute_s = play_compute_s(play, worker, chunk->start, chunk->size);
    play_hand(play, worker, chunk, now, compute_s);
    play_add(play, now + compute_s + play->in->costs.count_s + way_s,
             (uint32_t)worker, WORK);
}

static double way_to_counter(struct play *play, int worker)
{
    if (play->in->kind != REPLAY_WINDOW)
        return 0;
    return play_way_s(play, play->tree->worker_rank[worker], 0, WORD_BYTES);
}

/* A chunk that is kept for a worker needs no counter. */
static void start_worker(struct play *play, int worker)
{
    struct chunk chunk;
    double now = play_start_s(play, worker) + play->in->costs.count_s;
    if (play->in->kind == REPLAY_WINDOW &&
        sched_take_primed(&play->sched, worker, &chunk))
        go_on(play, worker, now, &chunk, way_to_counter(play, worker));
    else
        play_add(play, now + way_to_counter(play, worker), (uint32_t)worker,
                 WORK);
}

int count_run(struct play *play)
{
    const struct replay_costs *costs = &play->in->costs;
    bool window = play->in->kind == REPLAY_WINDOW;
    double inside_s = window ? costs->request_s : costs->counter_s;
    double free_s = 0;
    for (int w = 0; w < play->tree->workers; w++)
        start_worker(play, w);
    while (play->events.count > 0 && play->code == 0) {
        struct event event = play->events.event[0];
        int worker = (int)event.who;
        struct chunk chunk;
        double now = enter_alone(&free_s, event.at, inside_s);
        bool more = take_chunk(play, worker, event.at, now, &chunk);
        double way_s = way_to_counter(play, worker);
        play->hole = true;
        if (more) {
            go_on(play, worker, now + way_s, &chunk,
                  way_to_counter(play, worker));
            continue;
        }
        events_take(&play->events);
        play->hole = false;
        play->result->worker[worker].finish_s = now + way_s;
        play->result->time_s = play_max(play->result->time_s, now + way_s);
    }
    return play->code;
}
