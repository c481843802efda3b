/* Workers with a master, or pool, in their own rank: they send no request, but
 * the pool may wait for an answer. */
#include "harness/replay/replay_internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static struct server *server_of(const struct replayer *rp, int worker)
{
    return replay_server(rp, rp->tree->worker_rank[worker]);
}

static struct master *master_of(const struct replayer *rp, int worker)
{
    return &rp->masters[rp->tree->worker_master[worker]].master;
}

static uint32_t planned_event(const struct server *server, int worker,
                              enum what what)
{
    return server->host == worker ? what | server->plan << WHAT_BITS : what;
}

void hosted_start(struct replayer *rp, int worker)
{
    struct server *server = server_of(rp, worker);
    if (server->host == worker)
        server->mode = BUSY;
    replay_add(rp, replay_start_s(rp, worker) + rp->in->costs.state_s,
               (uint32_t)worker, planned_event(server, worker, TAKE));
}

/* ---- a chunk ---- */

/* Until a worker leaves, its finish_s is the time of a chunk after its TURN. */
static double *rest_of(const struct replayer *rp, int worker)
{
    return &rp->result->worker[worker].finish_s;
}

/* For workers that do not serve, nothing happens between END and TAKE. */
static void compute_segment(struct replayer *rp, int worker, double now,
                            double seconds, enum what ends)
{
    struct server *server = server_of(rp, worker);
    if (server->host == worker)
        serve_segment(rp, server, now, seconds, ends);
    else if (ends == END)
        replay_add(rp, now + seconds + rp->in->costs.state_s, (uint32_t)worker,
                   TAKE);
    else
        replay_add(rp, now + seconds, (uint32_t)worker, ends);
}

static void begin_chunk(struct replayer *rp, int worker, double now,
                        const struct chunk *chunk)
{
    double whole_s = replay_compute_s(rp, worker, chunk->start, chunk->size);
    replay_hand_out(rp, worker, chunk, now, whole_s);
    if (rp->learned != NULL) {
        rp->learned[worker].size = chunk->size;
        rp->learned[worker].got_s = now;
    }
    if (!rp->in->prefetch || !master_needs_messages(master_of(rp, worker))) {
        compute_segment(rp, worker, now, whole_s, END);
        return;
    }
    int64_t rest = chunk->size < rp->ahead ? chunk->size : rp->ahead;
    int64_t first = chunk->size - rest;
    *rest_of(rp, worker) =
        replay_compute_s(rp, worker, chunk->start + first, rest);
    if (first > 0)
        compute_segment(rp, worker, now,
                        replay_compute_s(rp, worker, chunk->start, first),
                        TURN);
    else
        hosted_turn(rp, worker, now);
}

void hosted_turn(struct replayer *rp, int worker, double now)
{
    struct server *server = server_of(rp, worker);
    master_ask_ahead(master_of(rp, worker));
    serve_follow_up(rp, server, now, worker);
    compute_segment(rp, worker, now, *rest_of(rp, worker), END);
}

void hosted_end(struct replayer *rp, int worker, double now)
{
    struct server *server = server_of(rp, worker);
    double state_s = rp->in->costs.state_s;
    server->mode = BUSY;
    if (state_s > 0)
        replay_add(rp, now + state_s, (uint32_t)worker,
                   planned_event(server, worker, TAKE));
    else
        hosted_take(rp, worker, now);
}

/* ---- the next one ---- */

static void leave_loop(struct replayer *rp, int worker, double now)
{
    struct server *server = server_of(rp, worker);
    rp->result->worker[worker].finish_s = now;
    server->working--;
    if (server->host == worker) {
        server->mode = IDLE;
        serve_go_on(rp, server, now);
    }
    serve_check(rp, server, now);
}

static void put_idle(struct replayer *rp, struct server *server, int worker)
{
    if (list_grow(&server->idle, &server->idle_room, server->idle_count + 1,
                  sizeof(*server->idle)) == 0)
        server->idle[server->idle_count++] = worker;
    else
        rp->code = -ENOMEM;
}

/* The refill that it requested early may have arrived. */
static void begin_waiting(struct replayer *rp, int worker, double now)
{
    struct server *server = server_of(rp, worker);
    put_idle(rp, server, worker);
    if (server->host == worker)
        server->mode = IDLE;
    serve_arrived(rp, server, now, worker);
    if (server->host == worker)
        serve_go_on(rp, server, now);
}

/* Tries to take a chunk for a worker that has asked. */
static void try_take(struct replayer *rp, int worker, double now)
{
    struct chunk chunk;
    enum master_answer answer =
        master_take(master_of(rp, worker), worker, &chunk);
    serve_follow_up(rp, server_of(rp, worker), now, worker);
    if (answer == MASTER_CHUNK)
        begin_chunk(rp, worker, now, &chunk);
    else if (answer == MASTER_LATER)
        begin_waiting(rp, worker, now);
    else
        leave_loop(rp, worker, now);
}

void hosted_take(struct replayer *rp, int worker, double now)
{
    struct learned *learned = rp->learned;
    if (learned != NULL) {
        learned += worker;
        if (learned->size > 0)
            master_report(
                master_of(rp, worker),
                &(struct report){.worker = worker,
                                 .workers = 1,
                                 .size = learned->size,
                                 .ran_s = replay_max(now - learned->got_s, 0),
                                 .whole_s = now - learned->asked_s});
        learned->size = 0;
        learned->asked_s = now;
    }
    try_take(rp, worker, now);
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
void hosted_wake(struct replayer *rp, struct server *server, int asker,
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
        put_idle(rp, server, server->host);
    for (int64_t i = count; i-- > 0;)
        if (woken[i] != asker && !(later && woken[i] == server->host))
            try_take(rp, woken[i], now);
    if (asked)
        try_take(rp, asker, now);
    free(woken);
}
