/* Ranks with masters: requests come, answers and refills go.  The order is that
 * of harness/transport/master/relay_serve.c and relay_wait.c. */
#include "harness/replay/replay_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists of requests ---- */

void serve_put_ask(struct play *play, struct asks *asks, struct ask ask)
{
    if (asks->count == asks->room) {
        int64_t room = asks->room;
        if (list_grow(&asks->ask, &asks->room, asks->count + 1,
                      sizeof(*asks->ask)) != 0) {
            play->code = -ENOMEM;
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

struct server *serve_above(const struct play *play, uint32_t who,
                           enum what what)
{
    bool worker = what == WORK || what == FINAL || what == ANSWER;
    int m = worker ? play->tree->worker_master[who]
                   : play->tree->master[who].parent;
    return play_server(play, play->tree->master[m].rank);
}

static bool answer_worker(struct play *play, int worker, double now)
{
    struct master *master =
        &play->post[play->tree->worker_master[worker]].master;
    struct chunk chunk = {0};
    enum master_answer answer = master_take(master, worker, &chunk);
    if (answer == MASTER_LATER)
        return false;
    if (answer == MASTER_DONE)
        chunk.size = 0;
    ask_answer(play, worker, now, &chunk);
    return true;
}

static bool answer_refill(struct play *play, int m, double now)
{
    const struct tree_master *child = &play->tree->master[m];
    struct post *post = &play->post[m];
    struct master *above = &play->post[child->parent].master;
    int count = 0;
    if (master_take_batch(above, child->first_worker, child->workers,
                          play->tasks, &count) == MASTER_LATER)
        return false;
    if (!refill_pack(post, play->tasks, count)) {
        play->code = -ENOMEM;
        return true;
    }
    double bytes = (double)count * sizeof(struct task);
    if (bytes >= WAITED_BYTES)
        play->server[play->post[child->parent].server].held = BY_REQUEST;
    link_send(play, play->tree->master[child->parent].rank, child->rank, bytes,
              now, (uint32_t)m, REFILL);
    return true;
}

static void take_reports(struct play *play, int m)
{
    struct post *post = &play->post[m];
    struct master *above = &play->post[play->tree->master[m].parent].master;
    for (int i = 0; i < post->told_count; i++)
        master_report(above, &post->told[i]);
    free(post->told);
    post->told = NULL;
    post->told_count = 0;
}

/* False: the answer has to wait for a refill. */
static bool answer_request(struct play *play, const struct ask *ask, double now)
{
    if (ask->what == WORK)
        return answer_worker(play, (int)ask->who, now);
    if (ask->what == REFILL_ASK)
        return answer_refill(play, (int)ask->who, now);
    return true;
}

/* It is served now. */
void serve_handle(struct play *play, struct server *server,
                  const struct ask *ask, double now)
{
    int who = (int)ask->who;
    if (ask->what == WORK || ask->what == FINAL) {
        struct master *master =
            &play->post[play->tree->worker_master[who]].master;
        ask_tell(play, who, master);
        if (ask->what == FINAL)
            master_leave(master, who, 1);
    } else {
        const struct tree_master *child = &play->tree->master[who];
        take_reports(play, who);
        if (ask->what == MASTER_FINAL)
            master_leave(&play->post[child->parent].master, child->first_worker,
                         child->workers);
    }
    server->children -= ask->what == FINAL || ask->what == MASTER_FINAL;
    if (!answer_request(play, ask, now))
        serve_put_ask(play, &server->waiting,
                      (struct ask){now, ask->who, ask->what});
    if (play->shares && server->held == FREE)
        link_served(play, server, now);
}

/* In the order in which they came, none before it was served. */
static void answer_waiting(struct play *play, struct server *server, double now)
{
    for (int64_t i = server->waiting.count; i > 0 && play->code == 0; i--) {
        struct ask ask = serve_take_ask(&server->waiting);
        if (server->held != FREE ||
            !answer_request(play, &ask, play_max(now, ask.at)))
            serve_put_ask(play, &server->waiting, ask);
        else if (server->held == BY_REQUEST)
            server->held = server->host < 0 ? BY_REFILL : FREE;
    }
}

/* ---- masters and those above ---- */

static void send_above(struct play *play, int m, double now, enum what what)
{
    const struct tree_master *place = play->tree->master;
    struct post *post = &play->post[m];
    double bytes = REQUEST_BYTES;
    if (play->reports != NULL && post->master.reports.list != NULL) {
        int count = master_take_reports(&post->master, play->reports);
        size_t size = (size_t)count * sizeof(*play->reports);
        post->told = malloc(size + 1);
        if (post->told == NULL) {
            play->code = -ENOMEM;
            return;
        }
        memcpy(post->told, play->reports, size);
        post->told_count = count;
        bytes += (double)size;
    }
    link_send(play, place[m].rank, place[place[m].parent].rank, bytes, now,
              (uint32_t)m, what);
}

void serve_follow_up(struct play *play, struct server *server, double now,
                     int asker)
{
    for (int m = server->first_post; m >= 0 && server->asks;
         m = play->post[m].next) {
        struct post *post = &play->post[m];
        _Atomic bool *must_ask = &post->master.must_ask;
        if (!atomic_load_explicit(must_ask, memory_order_relaxed))
            continue;
        atomic_store_explicit(must_ask, false, memory_order_relaxed);
        post->asker = asker;
        post->coming = true;
        server->coming++;
        send_above(play, m, now, REFILL_ASK);
    }
}

static void take_refill(struct play *play, int m, double now)
{
    struct post *post = &play->post[m];
    struct server *server = &play->server[post->server];
    int asker = post->asker;
    refill_unpack(post, play->tasks);
    if (task_pool_claim(&post->master.pool) == 0)
        master_fill(&post->master, play->tasks, post->count);
    else
        play->code = -ENOMEM;
    post->coming = post->arrived = false;
    server->coming--;
    answer_waiting(play, server, now);
    serve_follow_up(play, server, now, asker);
    hosted_wake(play, server, asker, now);
    if (post->master.pool.count == 0)
        task_pool_lend(&post->master.pool);
}

/* The refill that this worker requested, when it looks. */
void serve_arrived(struct play *play, struct server *server, double now,
                   int asker)
{
    for (int m = server->first_post; m >= 0; m = play->post[m].next)
        if (play->post[m].arrived && play->post[m].asker == asker)
            take_refill(play, m, now);
}

bool serve_has_arrived(const struct play *play, const struct server *server)
{
    for (int m = server->first_post; m >= 0 && server->coming > 0;
         m = play->post[m].next)
        if (play->post[m].arrived && play->post[m].asker == server->host)
            return true;
    return false;
}

/* ---- what comes ---- */

/* By a rank that only serves, when it is free. */
static void serve_now(struct play *play, struct server *server,
                      const struct ask *ask, double now)
{
    server->free_s = play_max(server->free_s, now) + play->in->costs.request_s;
    serve_handle(play, server, ask, server->free_s);
    if (server->held != FREE)
        return;
    serve_follow_up(play, server, server->free_s, -1);
    serve_check(play, server, server->free_s);
}

/* A refill that the rank has waited for has come to the one below. */
static void resume_serving(struct play *play, struct server *server, double now)
{
    enum held held = server->held;
    server->held = FREE;
    server->free_s = play_max(server->free_s, now);
    if (play->shares && held == BY_REQUEST)
        link_served(play, server, now);
    if (server->host >= 0) {
        serve_after(play, server, now);
        return;
    }
    if (held == BY_REFILL)
        answer_waiting(play, server, now);
    serve_arrived(play, server, now, -1);
    serve_follow_up(play, server, now, -1);
    while (server->queue.count > 0 && server->held == FREE && play->code == 0) {
        struct ask ask = serve_take_ask(&server->queue);
        serve_now(play, server, &ask, now);
    }
    serve_check(play, server, server->free_s);
}

/* A request.  A rank that only serves takes them in their order. */
void serve_come(struct play *play, struct server *server,
                const struct event *event)
{
    struct ask ask = {event->at, event->who, event->what};
    if (server->host >= 0) {
        serve_put_ask(play, &server->queue, ask);
        if (server->mode == COMPUTING)
            serve_set_poll(play, server, event->at);
        else
            serve_go_on(play, server, event->at);
    } else if (server->held != FREE) {
        serve_put_ask(play, &server->queue, ask);
    } else {
        serve_now(play, server, &ask, event->at);
    }
}

/* A rank that only serves looks when it has served the request that it is at;
 * while it is not free it serves one after the other. */
static double next_look(const struct play *play, const struct server *server,
                        double now)
{
    double request_s = play->in->costs.request_s;
    double busy_s = server->free_s - now;
    return busy_s > 0 ? server->free_s - floor(busy_s / request_s) * request_s
                      : now;
}

/* The worker that asked takes the refill; immediately if it is waiting. */
void serve_refill(struct play *play, int m, double now)
{
    struct post *post = &play->post[m];
    struct server *server = &play->server[post->server];
    struct server *above = serve_above(play, (uint32_t)m, REFILL);
    post->arrived = true;
    if (above->held != FREE &&
        (double)post->count * sizeof(struct task) >= WAITED_BYTES)
        resume_serving(play, above, now);
    if (server->held != FREE && post->asker < 0)
        return;
    if (post->asker < 0) {
        take_refill(play, m, next_look(play, server, now));
        serve_check(play, server, play_max(now, server->free_s));
    } else if (post->asker != server->host) {
        if (hosted_waits(server, post->asker))
            take_refill(play, m, now);
    } else if (server->mode == COMPUTING) {
        serve_set_poll(play, server, now);
    } else if (server->mode == IDLE) {
        take_refill(play, m, now);
        serve_go_on(play, server, now);
        serve_check(play, server, now);
    }
}

/* ---- the end ---- */

/* The last reports go up inside the rank; masters whose parent is elsewhere
 * take their leave. */
static void end_rank(struct play *play, struct server *server, double now)
{
    int last = -1;
    for (int m = server->first_post; m >= 0; m = play->post[m].next)
        last = m > last ? m : last;
    for (int m = last; m > 0 && play->learns; m--)
        if (&play->server[play->post[m].server] == server &&
            play->post[m].master.parent != NULL)
            master_pass_reports(&play->post[m].master);
    for (int m = server->first_post; m >= 0; m = play->post[m].next)
        if (play->tree->master[m].parent >= 0 &&
            play->post[m].master.parent == NULL)
            send_above(play, m, now, MASTER_FINAL);
}

/* Whether children still ask, workers of this rank still work, or a refill is
 * under way. */
void serve_check(struct play *play, struct server *server, double now)
{
    if (server->over || server->children > 0 || server->working > 0 ||
        server->coming > 0 || server->queue.count > 0)
        return;
    server->over = true;
    if (server == &play->server[play->post[0].server])
        play->result->time_s = now;
    end_rank(play, server, now);
}
