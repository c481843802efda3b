/* Workers whose master, or pool, is in their own rank: no request, but the pool
 * may wait for one. */
#include "harness/replay/replay_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static struct server *server_of(const struct play *play, int worker)
{
    return play_server(play, play->tree->worker_rank[worker]);
}

static struct master *master_of(const struct play *play, int worker)
{
    return &play->post[play->tree->worker_master[worker]].master;
}

static uint32_t planned_event(const struct server *server, int worker,
                              enum what what)
{
    return server->host == worker ? what | server->plan << WHAT_BITS : what;
}

void hosted_start(struct play *play, int worker)
{
    struct server *server = server_of(play, worker);
    if (server->host == worker)
        server->mode = BUSY;
    play_add(play, play_start_s(play, worker) + play->in->costs.state_s,
             (uint32_t)worker, planned_event(server, worker, TAKE));
}

/* ---- a chunk ---- */

/* Until it leaves, its finish_s is the rest of a chunk after its TURN. */
static double *rest_of(const struct play *play, int worker)
{
    return &play->result->worker[worker].finish_s;
}

/* A worker without children does nothing between a chunk's END and its TAKE. */
static void compute_segment(struct play *play, int worker, double now,
                            double seconds, enum what ends)
{
    struct server *server = server_of(play, worker);
    if (server->host == worker)
        serve_segment(play, server, now, seconds, ends);
    else if (ends == END)
        play_add(play, now + seconds + play->in->costs.state_s,
                 (uint32_t)worker, TAKE);
    else
        play_add(play, now + seconds, (uint32_t)worker, ends);
}

static void begin_chunk(struct play *play, int worker, double now,
                        const struct chunk *chunk)
{
    double whole_s = play_compute_s(play, worker, chunk->start, chunk->size);
    play_hand(play, worker, chunk, now, whole_s);
    if (play->learned != NULL) {
        play->learned[worker].size = chunk->size;
        play->learned[worker].got_s = now;
    }
    if (!play->in->prefetch ||
        !master_needs_messages(master_of(play, worker))) {
        compute_segment(play, worker, now, whole_s, END);
        return;
    }
    int64_t rest = chunk->size < play->ahead ? chunk->size : play->ahead;
    int64_t first = chunk->size - rest;
    *rest_of(play, worker) =
        play_compute_s(play, worker, chunk->start + first, rest);
    if (first > 0)
        compute_segment(play, worker, now,
                        play_compute_s(play, worker, chunk->start, first),
                        TURN);
    else
        hosted_turn(play, worker, now);
}

void hosted_turn(struct play *play, int worker, double now)
{
    struct server *server = server_of(play, worker);
    master_ask_ahead(master_of(play, worker));
    serve_follow_up(play, server, now, worker);
    compute_segment(play, worker, now, *rest_of(play, worker), END);
}

void hosted_end(struct play *play, int worker, double now)
{
    struct server *server = server_of(play, worker);
    double state_s = play->in->costs.state_s;
    server->mode = BUSY;
    if (state_s > 0)
        play_add(play, now + state_s, (uint32_t)worker,
                 planned_event(server, worker, TAKE));
    else
        hosted_take(play, worker, now);
}

/* ---- the next one ---- */

static void leave_loop(struct play *play, int worker, double now)
{
    struct server *server = server_of(play, worker);
    play->result->worker[worker].finish_s = now;
    server->working--;
    if (server->host == worker) {
        server->mode = IDLE;
        serve_go_on(play, server, now);
    }
    serve_check(play, server, now);
}

static void put_idle(struct play *play, struct server *server, int worker)
{
    if (list_grow(&server->idle, &server->idle_room, server->idle_count + 1,
                  sizeof(*server->idle)) == 0)
        server->idle[server->idle_count++] = worker;
    else
        play->code = -ENOMEM;
}

/* The refill that it requested early may have arrived. */
static void begin_waiting(struct play *play, int worker, double now)
{
    struct server *server = server_of(play, worker);
    put_idle(play, server, worker);
    if (server->host == worker)
        server->mode = IDLE;
    serve_arrived(play, server, now, worker);
    if (server->host == worker)
        serve_go_on(play, server, now);
}

/* Since it has asked. */
static void try_take(struct play *play, int worker, double now)
{
    struct chunk chunk;
    enum master_answer answer =
        master_take(master_of(play, worker), worker, &chunk);
    serve_follow_up(play, server_of(play, worker), now, worker);
    if (answer == MASTER_CHUNK)
        begin_chunk(play, worker, now, &chunk);
    else if (answer == MASTER_LATER)
        begin_waiting(play, worker, now);
    else
        leave_loop(play, worker, now);
}

void hosted_take(struct play *play, int worker, double now)
{
    struct learned *learned = play->learned;
    if (learned != NULL) {
        learned += worker;
        if (learned->size > 0)
            master_report(
                master_of(play, worker),
                &(struct report){.worker = worker,
                                 .workers = 1,
                                 .size = learned->size,
                                 .ran_s = play_max(now - learned->got_s, 0),
                                 .whole_s = now - learned->asked_s});
        learned->size = 0;
        learned->asked_s = now;
    }
    try_take(play, worker, now);
}

bool hosted_waits(const struct server *server, int worker)
{
    for (int64_t i = 0; i < server->idle_count; i++)
        if (server->idle[i] == worker)
            return true;
    return false;
}

/* The newest first, then the asking one.  A host that is serving keeps serving
 * and waits on. */
void hosted_wake(struct play *play, struct server *server, int asker,
                 double now)
{
    int64_t count = server->idle_count;
    int *woken = server->idle;
    bool serves = server->mode == SERVING;
    bool asked = asker >= 0 && hosted_waits(server, asker) &&
                 !(serves && asker == server->host);
    bool later = serves && hosted_waits(server, server->host);
    server->idle = NULL;
    server->idle_count = server->idle_room = 0;
    if (later)
        put_idle(play, server, server->host);
    for (int64_t i = count; i-- > 0;)
        if (woken[i] != asker && !(later && woken[i] == server->host))
            try_take(play, woken[i], now);
    if (asked)
        try_take(play, asker, now);
    free(woken);
}
