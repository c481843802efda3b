/* Workers whose master, or pool, is in their own rank: no request, but the pool
 * may wait for one. */
#include "harness/replay/replay_internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static struct server *server_of(const struct replay_state *rs, int worker)
{
    return replay_server(rs, rs->tree->worker_rank[worker]);
}

static struct master *master_of(const struct replay_state *rs, int worker)
{
    return &rs->masters[rs->tree->worker_master[worker]].master;
}

static uint32_t planned_event(const struct server *server, int worker,
                              enum what what)
{
    return server->host == worker ? what | server->plan << WHAT_BITS : what;
}

void hosted_start(struct replay_state *rs, int worker)
{
    struct server *server = server_of(rs, worker);
    if (server->host == worker)
        server->mode = BUSY;
    replay_add(rs, replay_start_s(rs, worker) + rs->in->costs.state_s,
               (uint32_t)worker, planned_event(server, worker, TAKE));
}

/* ---- a chunk ---- */

/* Until it leaves, its finish_s is the rest of a chunk after its TURN. */
static double *rest_of(const struct replay_state *rs, int worker)
{
    return &rs->result->worker[worker].finish_s;
}

/* A worker without children does nothing between a chunk's END and its TAKE. */
static void compute_segment(struct replay_state *rs, int worker, double now,
                            double seconds, enum what ends)
{
    struct server *server = server_of(rs, worker);
    if (server->host == worker)
        serve_segment(rs, server, now, seconds, ends);
    else if (ends == END)
        replay_add(rs, now + seconds + rs->in->costs.state_s, (uint32_t)worker,
                   TAKE);
    else
        replay_add(rs, now + seconds, (uint32_t)worker, ends);
}

static void begin_chunk(struct replay_state *rs, int worker, double now,
                        const struct chunk *chunk)
{
    double whole_s = replay_compute_s(rs, worker, chunk->start, chunk->size);
    replay_hand_out(rs, worker, chunk, now, whole_s);
    if (rs->learned != NULL) {
        rs->learned[worker].size = chunk->size;
        rs->learned[worker].got_s = now;
    }
    if (!rs->in->prefetch || !master_needs_messages(master_of(rs, worker))) {
        compute_segment(rs, worker, now, whole_s, END);
        return;
    }
    int64_t rest = chunk->size < rs->ahead ? chunk->size : rs->ahead;
    int64_t first = chunk->size - rest;
    *rest_of(rs, worker) =
        replay_compute_s(rs, worker, chunk->start + first, rest);
    if (first > 0)
        compute_segment(rs, worker, now,
                        replay_compute_s(rs, worker, chunk->start, first),
                        TURN);
    else
        hosted_turn(rs, worker, now);
}

void hosted_turn(struct replay_state *rs, int worker, double now)
{
    struct server *server = server_of(rs, worker);
    master_ask_ahead(master_of(rs, worker));
    serve_follow_up(rs, server, now, worker);
    compute_segment(rs, worker, now, *rest_of(rs, worker), END);
}

void hosted_end(struct replay_state *rs, int worker, double now)
{
    struct server *server = server_of(rs, worker);
    double state_s = rs->in->costs.state_s;
    server->mode = BUSY;
    if (state_s > 0)
        replay_add(rs, now + state_s, (uint32_t)worker,
                   planned_event(server, worker, TAKE));
    else
        hosted_take(rs, worker, now);
}

/* ---- the next one ---- */

static void leave_loop(struct replay_state *rs, int worker, double now)
{
    struct server *server = server_of(rs, worker);
    rs->result->worker[worker].finish_s = now;
    server->working--;
    if (server->host == worker) {
        server->mode = IDLE;
        serve_go_on(rs, server, now);
    }
    serve_check(rs, server, now);
}

static void put_idle(struct replay_state *rs, struct server *server, int worker)
{
    if (list_grow(&server->idle, &server->idle_room, server->idle_count + 1,
                  sizeof(*server->idle)) == 0)
        server->idle[server->idle_count++] = worker;
    else
        rs->code = -ENOMEM;
}

/* The refill that it requested early may have arrived. */
static void begin_waiting(struct replay_state *rs, int worker, double now)
{
    struct server *server = server_of(rs, worker);
    put_idle(rs, server, worker);
    if (server->host == worker)
        server->mode = IDLE;
    serve_arrived(rs, server, now, worker);
    if (server->host == worker)
        serve_go_on(rs, server, now);
}

/* Since it has asked. */
static void try_take(struct replay_state *rs, int worker, double now)
{
    struct chunk chunk;
    enum master_answer answer =
        master_take(master_of(rs, worker), worker, &chunk);
    serve_follow_up(rs, server_of(rs, worker), now, worker);
    if (answer == MASTER_CHUNK)
        begin_chunk(rs, worker, now, &chunk);
    else if (answer == MASTER_LATER)
        begin_waiting(rs, worker, now);
    else
        leave_loop(rs, worker, now);
}

void hosted_take(struct replay_state *rs, int worker, double now)
{
    struct learned *learned = rs->learned;
    if (learned != NULL) {
        learned += worker;
        if (learned->size > 0)
            master_report(
                master_of(rs, worker),
                &(struct report){.worker = worker,
                                 .workers = 1,
                                 .size = learned->size,
                                 .ran_s = replay_max(now - learned->got_s, 0),
                                 .whole_s = now - learned->asked_s});
        learned->size = 0;
        learned->asked_s = now;
    }
    try_take(rs, worker, now);
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
void hosted_wake(struct replay_state *rs, struct server *server, int asker,
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
        put_idle(rs, server, server->host);
    for (int64_t i = count; i-- > 0;)
        if (woken[i] != asker && !(later && woken[i] == server->host))
            try_take(rs, woken[i], now);
    if (asked)
        try_take(rs, asker, now);
    free(woken);
}
