/* Ranks with masters: requests arrive, answers and refills leave.  The order is
 * that of harness/transport/master/relay_serve.c and relay_wait.c. */
#include "harness/replay/replay_internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists of requests ---- */

void serve_put_ask(struct replayer *rp, struct asks *asks, struct ask ask)
{
    if (asks->count == asks->room) {
        int64_t room = asks->room;
        if (list_grow(&asks->ask, &asks->room, asks->count + 1,
                      sizeof(*asks->ask)) != 0) {
            rp->code = -ENOMEM;
            return;
        }
        /* Moves the part before the head behind the rest. */
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

struct server *serve_above(const struct replayer *rp, uint32_t who,
                           enum what what)
{
    bool worker = what == WORK || what == FINAL || what == ANSWER;
    int m =
        worker ? rp->tree->worker_master[who] : rp->tree->master[who].parent;
    return replay_server(rp, rp->tree->master[m].rank);
}

static bool answer_worker(struct replayer *rp, int worker, double now)
{
    struct master *master =
        &rp->masters[rp->tree->worker_master[worker]].master;
    struct chunk chunk = {0};
    enum master_answer answer = master_take(master, worker, &chunk);
    if (answer == MASTER_LATER)
        return false;
    if (answer == MASTER_DONE)
        chunk.size = 0;
    ask_answer(rp, worker, now, &chunk);
    return true;
}

static bool answer_refill(struct replayer *rp, int m, double now)
{
    const struct tree_master *child = &rp->tree->master[m];
    struct replay_master *below = &rp->masters[m];
    struct master *above = &rp->masters[child->parent].master;
    int count = 0;
    if (master_take_batch(above, child->first_worker, child->workers, rp->tasks,
                          &count) == MASTER_LATER)
        return false;
    if (!refill_pack(below, rp->tasks, count)) {
        rp->code = -ENOMEM;
        return true;
    }
    double bytes = (double)count * sizeof(struct task);
    if (bytes >= WAITED_BYTES)
        rp->server[rp->masters[child->parent].server].blocked = BY_REQUEST;
    link_send(rp, rp->tree->master[child->parent].rank, child->rank, bytes, now,
              (uint32_t)m, REFILL);
    return true;
}

static void take_reports(struct replayer *rp, int m)
{
    struct replay_master *below = &rp->masters[m];
    struct master *above = &rp->masters[rp->tree->master[m].parent].master;
    for (int i = 0; i < below->report_count; i++)
        master_report(above, &below->reports[i]);
    free(below->reports);
    below->reports = NULL;
    below->report_count = 0;
}

/* False: the answer has to wait for a refill. */
static bool answer_request(struct replayer *rp, const struct ask *ask,
                           double now)
{
    if (ask->what == WORK)
        return answer_worker(rp, (int)ask->who, now);
    if (ask->what == REFILL_ASK)
        return answer_refill(rp, (int)ask->who, now);
    return true;
}

/* Serves the request now. */
void serve_handle(struct replayer *rp, struct server *server,
                  const struct ask *ask, double now)
{
    int who = (int)ask->who;
    if (ask->what == WORK || ask->what == FINAL) {
        struct master *master =
            &rp->masters[rp->tree->worker_master[who]].master;
        ask_report(rp, who, master);
        if (ask->what == FINAL)
            master_leave(master, who, 1);
    } else {
        const struct tree_master *child = &rp->tree->master[who];
        take_reports(rp, who);
        if (ask->what == MASTER_FINAL)
            master_leave(&rp->masters[child->parent].master,
                         child->first_worker, child->workers);
    }
    server->children -= ask->what == FINAL || ask->what == MASTER_FINAL;
    if (!answer_request(rp, ask, now))
        serve_put_ask(rp, &server->waiting,
                      (struct ask){now, ask->who, ask->what});
    if (rp->shares && server->blocked == FREE)
        link_served(rp, server, now);
}

/* In the order in which they came, none before it was served. */
static void answer_waiting(struct replayer *rp, struct server *server,
                           double now)
{
    for (int64_t i = server->waiting.count; i > 0 && rp->code == 0; i--) {
        struct ask ask = serve_take_ask(&server->waiting);
        if (server->blocked != FREE ||
            !answer_request(rp, &ask, replay_max(now, ask.at)))
            serve_put_ask(rp, &server->waiting, ask);
        else if (server->blocked == BY_REQUEST)
            server->blocked = server->host < 0 ? BY_REFILL : FREE;
    }
}

/* ---- masters and those above ---- */

static void send_above(struct replayer *rp, int m, double now, enum what what)
{
    const struct tree_master *place = rp->tree->master;
    struct replay_master *below = &rp->masters[m];
    double bytes = REQUEST_BYTES;
    if (rp->reports != NULL && below->master.reports.list != NULL) {
        int count = master_take_reports(&below->master, rp->reports);
        size_t size = (size_t)count * sizeof(*rp->reports);
        below->reports = malloc(size + 1);
        if (below->reports == NULL) {
            rp->code = -ENOMEM;
            return;
        }
        memcpy(below->reports, rp->reports, size);
        below->report_count = count;
        bytes += (double)size;
    }
    link_send(rp, place[m].rank, place[place[m].parent].rank, bytes, now,
              (uint32_t)m, what);
}

void serve_follow_up(struct replayer *rp, struct server *server, double now,
                     int asker)
{
    for (int m = server->first_master; m >= 0 && server->asks;
         m = rp->masters[m].next) {
        struct replay_master *below = &rp->masters[m];
        _Atomic bool *must_ask = &below->master.must_ask;
        if (!atomic_load_explicit(must_ask, memory_order_relaxed))
            continue;
        atomic_store_explicit(must_ask, false, memory_order_relaxed);
        below->asker = asker;
        below->coming = true;
        server->coming++;
        send_above(rp, m, now, REFILL_ASK);
    }
}

static void take_refill(struct replayer *rp, int m, double now)
{
    struct replay_master *below = &rp->masters[m];
    struct server *server = &rp->server[below->server];
    int asker = below->asker;
    refill_unpack(below, rp->tasks);
    if (task_pool_claim(&below->master.pool) == 0)
        master_fill(&below->master, rp->tasks, below->count);
    else
        rp->code = -ENOMEM;
    below->coming = below->arrived = false;
    server->coming--;
    answer_waiting(rp, server, now);
    serve_follow_up(rp, server, now, asker);
    hosted_wake(rp, server, asker, now);
    if (below->master.pool.count == 0)
        task_pool_lend(&below->master.pool);
}

/* The refill that this worker requested, when it looks. */
void serve_arrived(struct replayer *rp, struct server *server, double now,
                   int asker)
{
    for (int m = server->first_master; m >= 0; m = rp->masters[m].next)
        if (rp->masters[m].arrived && rp->masters[m].asker == asker)
            take_refill(rp, m, now);
}

bool serve_has_arrived(const struct replayer *rp, const struct server *server)
{
    for (int m = server->first_master; m >= 0 && server->coming > 0;
         m = rp->masters[m].next)
        if (rp->masters[m].arrived && rp->masters[m].asker == server->host)
            return true;
    return false;
}

/* ---- arrivals ---- */

/* By a rank that only serves, when it is free. */
static void serve_now(struct replayer *rp, struct server *server,
                      const struct ask *ask, double now)
{
    server->free_s = replay_max(server->free_s, now) + rp->in->costs.request_s;
    serve_handle(rp, server, ask, server->free_s);
    if (server->blocked != FREE)
        return;
    serve_follow_up(rp, server, server->free_s, -1);
    serve_check(rp, server, server->free_s);
}

/* The refill for which the rank waited has arrived at the one below. */
static void resume_serving(struct replayer *rp, struct server *server,
                           double now)
{
    enum blocked blocked = server->blocked;
    server->blocked = FREE;
    server->free_s = replay_max(server->free_s, now);
    if (rp->shares && blocked == BY_REQUEST)
        link_served(rp, server, now);
    if (server->host >= 0) {
        serve_after(rp, server, now);
        return;
    }
    if (blocked == BY_REFILL)
        answer_waiting(rp, server, now);
    serve_arrived(rp, server, now, -1);
    serve_follow_up(rp, server, now, -1);
    while (server->queue.count > 0 && server->blocked == FREE &&
           rp->code == 0) {
        struct ask ask = serve_take_ask(&server->queue);
        serve_now(rp, server, &ask, now);
    }
    serve_check(rp, server, server->free_s);
}

/* A request.  A rank that only serves takes them in their order. */
void serve_come(struct replayer *rp, struct server *server,
                const struct event *event)
{
    struct ask ask = {event->at, event->who, event->what};
    if (server->host >= 0) {
        serve_put_ask(rp, &server->queue, ask);
        if (server->mode == COMPUTING)
            serve_set_poll(rp, server, event->at);
        else
            serve_go_on(rp, server, event->at);
    } else if (server->blocked != FREE) {
        serve_put_ask(rp, &server->queue, ask);
    } else {
        serve_now(rp, server, &ask, event->at);
    }
}

/* A rank that only serves looks when it has served the request that it is at;
 * while it is not free it serves one after the other. */
static double next_look(const struct replayer *rp, const struct server *server,
                        double now)
{
    double request_s = rp->in->costs.request_s;
    double busy_s = server->free_s - now;
    return busy_s > 0 ? server->free_s - floor(busy_s / request_s) * request_s
                      : now;
}

/* The worker that asked takes the refill; immediately if it is waiting. */
void serve_refill(struct replayer *rp, int m, double now)
{
    struct replay_master *below = &rp->masters[m];
    struct server *server = &rp->server[below->server];
    struct server *above = serve_above(rp, (uint32_t)m, REFILL);
    below->arrived = true;
    if (above->blocked != FREE &&
        (double)below->count * sizeof(struct task) >= WAITED_BYTES)
        resume_serving(rp, above, now);
    if (server->blocked != FREE && below->asker < 0)
        return;
    if (below->asker < 0) {
        take_refill(rp, m, next_look(rp, server, now));
        serve_check(rp, server, replay_max(now, server->free_s));
    } else if (below->asker != server->host) {
        if (hosted_waits(server, below->asker))
            take_refill(rp, m, now);
    } else if (server->mode == COMPUTING) {
        serve_set_poll(rp, server, now);
    } else if (server->mode == IDLE) {
        take_refill(rp, m, now);
        serve_go_on(rp, server, now);
        serve_check(rp, server, now);
    }
}

/* ---- the end ---- */

/* Passes the last reports up inside the rank; masters with a remote parent
 * leave. */
static void end_rank(struct replayer *rp, struct server *server, double now)
{
    int last = -1;
    for (int m = server->first_master; m >= 0; m = rp->masters[m].next)
        last = m > last ? m : last;
    for (int m = last; m > 0 && rp->learns; m--)
        if (&rp->server[rp->masters[m].server] == server &&
            rp->masters[m].master.parent != NULL)
            master_pass_reports(&rp->masters[m].master);
    for (int m = server->first_master; m >= 0; m = rp->masters[m].next)
        if (rp->tree->master[m].parent >= 0 &&
            rp->masters[m].master.parent == NULL)
            send_above(rp, m, now, MASTER_FINAL);
}

/* Ends the rank, unless children still ask, its workers still compute, or a
 * refill is under way. */
void serve_check(struct replayer *rp, struct server *server, double now)
{
    if (server->over || server->children > 0 || server->working > 0 ||
        server->coming > 0 || server->queue.count > 0)
        return;
    server->over = true;
    if (server == &rp->server[rp->masters[0].server])
        rp->result->time_s = now;
    end_rank(rp, server, now);
}
