/* Ranks with masters: requests come, answers and refills go.  The order is that
 * of harness/transport/master/relay_serve.c and relay_wait.c. */
#include "harness/replay/replay_internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists of requests ---- */

void serve_put_ask(struct replay_state *rs, struct asks *asks, struct ask ask)
{
    if (asks->count == asks->room) {
        int64_t room = asks->room;
        if (list_grow(&asks->ask, &asks->room, asks->count + 1,
                      sizeof(*asks->ask)) != 0) {
            rs->code = -ENOMEM;
            return;
        }
        /* The part before the head moves behind the rest. */
        memcpy(asks->ask + room, asks->ask,
               (size_t)asks->head * sizeof(*asks->ask));
        /* More than twice the room is never needed for that. */
    }
    int64_t at = asks->head + asks->count++;
    asks->ask[at < asks->room ? at : at - asks->room] = ask;
}

struct ask serve_take_ask(struct asks *asks)
{
    struct ask ask = asks->ask[asks->head];
    asks->head = asks->head + 1 < asks->room ? asks->head + 1 : 0;
    asks->count--;
    return ask;
}

/* ---- answers ---- */

struct server *serve_above(const struct replay_state *rs, uint32_t who,
                           enum what what)
{
    bool worker = what == WORK || what == FINAL || what == ANSWER;
    int m =
        worker ? rs->tree->worker_master[who] : rs->tree->master[who].parent;
    return replay_server(rs, rs->tree->master[m].rank);
}

static bool answer_worker(struct replay_state *rs, int worker, double now)
{
    struct master *master =
        &rs->masters[rs->tree->worker_master[worker]].master;
    struct chunk chunk = {0};
    enum master_answer answer = master_take(master, worker, &chunk);
    if (answer == MASTER_LATER)
        return false;
    if (answer == MASTER_DONE)
        chunk.size = 0;
    ask_answer(rs, worker, now, &chunk);
    return true;
}

static bool answer_refill(struct replay_state *rs, int m, double now)
{
    const struct tree_master *child = &rs->tree->master[m];
    struct replay_master *below = &rs->masters[m];
    struct master *above = &rs->masters[child->parent].master;
    int count = 0;
    if (master_take_batch(above, child->first_worker, child->workers, rs->tasks,
                          &count) == MASTER_LATER)
        return false;
    if (!refill_pack(below, rs->tasks, count)) {
        rs->code = -ENOMEM;
        return true;
    }
    double bytes = (double)count * sizeof(struct task);
    if (bytes >= WAITED_BYTES)
        rs->server[rs->masters[child->parent].server].blocked = BY_REQUEST;
    link_send(rs, rs->tree->master[child->parent].rank, child->rank, bytes, now,
              (uint32_t)m, REFILL);
    return true;
}

static void take_reports(struct replay_state *rs, int m)
{
    struct replay_master *below = &rs->masters[m];
    struct master *above = &rs->masters[rs->tree->master[m].parent].master;
    for (int i = 0; i < below->report_count; i++)
        master_report(above, &below->reports[i]);
    free(below->reports);
    below->reports = NULL;
    below->report_count = 0;
}

/* False: the answer has to wait for a refill. */
static bool answer_request(struct replay_state *rs, const struct ask *ask,
                           double now)
{
    if (ask->what == WORK)
        return answer_worker(rs, (int)ask->who, now);
    if (ask->what == REFILL_ASK)
        return answer_refill(rs, (int)ask->who, now);
    return true;
}

/* It is served now. */
void serve_handle(struct replay_state *rs, struct server *server,
                  const struct ask *ask, double now)
{
    int who = (int)ask->who;
    if (ask->what == WORK || ask->what == FINAL) {
        struct master *master =
            &rs->masters[rs->tree->worker_master[who]].master;
        ask_report(rs, who, master);
        if (ask->what == FINAL)
            master_leave(master, who, 1);
    } else {
        const struct tree_master *child = &rs->tree->master[who];
        take_reports(rs, who);
        if (ask->what == MASTER_FINAL)
            master_leave(&rs->masters[child->parent].master,
                         child->first_worker, child->workers);
    }
    server->children -= ask->what == FINAL || ask->what == MASTER_FINAL;
    if (!answer_request(rs, ask, now))
        serve_put_ask(rs, &server->waiting,
                      (struct ask){now, ask->who, ask->what});
    if (rs->shares && server->blocked == FREE)
        link_served(rs, server, now);
}

/* In the order in which they came, none before it was served. */
static void answer_waiting(struct replay_state *rs, struct server *server,
                           double now)
{
    for (int64_t i = server->waiting.count; i > 0 && rs->code == 0; i--) {
        struct ask ask = serve_take_ask(&server->waiting);
        if (server->blocked != FREE ||
            !answer_request(rs, &ask, replay_max(now, ask.at)))
            serve_put_ask(rs, &server->waiting, ask);
        else if (server->blocked == BY_REQUEST)
            server->blocked = server->host < 0 ? BY_REFILL : FREE;
    }
}

/* ---- masters and those above ---- */

static void send_above(struct replay_state *rs, int m, double now,
                       enum what what)
{
    const struct tree_master *place = rs->tree->master;
    struct replay_master *below = &rs->masters[m];
    double bytes = REQUEST_BYTES;
    if (rs->reports != NULL && below->master.reports.list != NULL) {
        int count = master_take_reports(&below->master, rs->reports);
        size_t size = (size_t)count * sizeof(*rs->reports);
        below->reports = malloc(size + 1);
        if (below->reports == NULL) {
            rs->code = -ENOMEM;
            return;
        }
        memcpy(below->reports, rs->reports, size);
        below->report_count = count;
        bytes += (double)size;
    }
    link_send(rs, place[m].rank, place[place[m].parent].rank, bytes, now,
              (uint32_t)m, what);
}

void serve_follow_up(struct replay_state *rs, struct server *server, double now,
                     int asker)
{
    for (int m = server->first_master; m >= 0 && server->asks;
         m = rs->masters[m].next) {
        struct replay_master *below = &rs->masters[m];
        _Atomic bool *must_ask = &below->master.must_ask;
        if (!atomic_load_explicit(must_ask, memory_order_relaxed))
            continue;
        atomic_store_explicit(must_ask, false, memory_order_relaxed);
        below->asker = asker;
        below->coming = true;
        server->coming++;
        send_above(rs, m, now, REFILL_ASK);
    }
}

static void take_refill(struct replay_state *rs, int m, double now)
{
    struct replay_master *below = &rs->masters[m];
    struct server *server = &rs->server[below->server];
    int asker = below->asker;
    refill_unpack(below, rs->tasks);
    if (task_pool_claim(&below->master.pool) == 0)
        master_fill(&below->master, rs->tasks, below->count);
    else
        rs->code = -ENOMEM;
    below->coming = below->arrived = false;
    server->coming--;
    answer_waiting(rs, server, now);
    serve_follow_up(rs, server, now, asker);
    hosted_wake(rs, server, asker, now);
    if (below->master.pool.count == 0)
        task_pool_lend(&below->master.pool);
}

/* The refill that this worker requested, when it looks. */
void serve_arrived(struct replay_state *rs, struct server *server, double now,
                   int asker)
{
    for (int m = server->first_master; m >= 0; m = rs->masters[m].next)
        if (rs->masters[m].arrived && rs->masters[m].asker == asker)
            take_refill(rs, m, now);
}

bool serve_has_arrived(const struct replay_state *rs,
                       const struct server *server)
{
    for (int m = server->first_master; m >= 0 && server->coming > 0;
         m = rs->masters[m].next)
        if (rs->masters[m].arrived && rs->masters[m].asker == server->host)
            return true;
    return false;
}

/* ---- what comes ---- */

/* By a rank that only serves, when it is free. */
static void serve_now(struct replay_state *rs, struct server *server,
                      const struct ask *ask, double now)
{
    server->free_s = replay_max(server->free_s, now) + rs->in->costs.request_s;
    serve_handle(rs, server, ask, server->free_s);
    if (server->blocked != FREE)
        return;
    serve_follow_up(rs, server, server->free_s, -1);
    serve_check(rs, server, server->free_s);
}

/* A refill that the rank has waited for has come to the one below. */
static void resume_serving(struct replay_state *rs, struct server *server,
                           double now)
{
    enum blocked blocked = server->blocked;
    server->blocked = FREE;
    server->free_s = replay_max(server->free_s, now);
    if (rs->shares && blocked == BY_REQUEST)
        link_served(rs, server, now);
    if (server->host >= 0) {
        serve_after(rs, server, now);
        return;
    }
    if (blocked == BY_REFILL)
        answer_waiting(rs, server, now);
    serve_arrived(rs, server, now, -1);
    serve_follow_up(rs, server, now, -1);
    while (server->queue.count > 0 && server->blocked == FREE &&
           rs->code == 0) {
        struct ask ask = serve_take_ask(&server->queue);
        serve_now(rs, server, &ask, now);
    }
    serve_check(rs, server, server->free_s);
}

/* A request.  A rank that only serves takes them in their order. */
void serve_come(struct replay_state *rs, struct server *server,
                const struct event *event)
{
    struct ask ask = {event->at, event->who, event->what};
    if (server->host >= 0) {
        serve_put_ask(rs, &server->queue, ask);
        if (server->mode == COMPUTING)
            serve_set_poll(rs, server, event->at);
        else
            serve_go_on(rs, server, event->at);
    } else if (server->blocked != FREE) {
        serve_put_ask(rs, &server->queue, ask);
    } else {
        serve_now(rs, server, &ask, event->at);
    }
}

/* A rank that only serves looks when it has served the request that it is at;
 * while it is not free it serves one after the other. */
static double next_look(const struct replay_state *rs,
                        const struct server *server, double now)
{
    double request_s = rs->in->costs.request_s;
    double busy_s = server->free_s - now;
    return busy_s > 0 ? server->free_s - floor(busy_s / request_s) * request_s
                      : now;
}

/* The worker that asked takes the refill; immediately if it is waiting. */
void serve_refill(struct replay_state *rs, int m, double now)
{
    struct replay_master *below = &rs->masters[m];
    struct server *server = &rs->server[below->server];
    struct server *above = serve_above(rs, (uint32_t)m, REFILL);
    below->arrived = true;
    if (above->blocked != FREE &&
        (double)below->count * sizeof(struct task) >= WAITED_BYTES)
        resume_serving(rs, above, now);
    if (server->blocked != FREE && below->asker < 0)
        return;
    if (below->asker < 0) {
        take_refill(rs, m, next_look(rs, server, now));
        serve_check(rs, server, replay_max(now, server->free_s));
    } else if (below->asker != server->host) {
        if (hosted_waits(server, below->asker))
            take_refill(rs, m, now);
    } else if (server->mode == COMPUTING) {
        serve_set_poll(rs, server, now);
    } else if (server->mode == IDLE) {
        take_refill(rs, m, now);
        serve_go_on(rs, server, now);
        serve_check(rs, server, now);
    }
}

/* ---- the end ---- */

/* The last reports go up inside the rank; masters whose parent is elsewhere
 * take their leave. */
static void end_rank(struct replay_state *rs, struct server *server, double now)
{
    int last = -1;
    for (int m = server->first_master; m >= 0; m = rs->masters[m].next)
        last = m > last ? m : last;
    for (int m = last; m > 0 && rs->learns; m--)
        if (&rs->server[rs->masters[m].server] == server &&
            rs->masters[m].master.parent != NULL)
            master_pass_reports(&rs->masters[m].master);
    for (int m = server->first_master; m >= 0; m = rs->masters[m].next)
        if (rs->tree->master[m].parent >= 0 &&
            rs->masters[m].master.parent == NULL)
            send_above(rs, m, now, MASTER_FINAL);
}

/* Whether children still ask, workers of this rank still work, or a refill is
 * under way. */
void serve_check(struct replay_state *rs, struct server *server, double now)
{
    if (server->over || server->children > 0 || server->working > 0 ||
        server->coming > 0 || server->queue.count > 0)
        return;
    server->over = true;
    if (server == &rs->server[rs->masters[0].server])
        rs->result->time_s = now;
    end_rank(rs, server, now);
}
