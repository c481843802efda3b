/* A rank whose first worker also serves: it polls for requests during a chunk,
 * and serves at once when it waits. */
#include "harness/replay/replay_internal.h"

#include <math.h>

static void begin_serving(struct replayer *rp, struct server *server,
                          double now)
{
    server->mode = SERVING;
    replay_add(rp, now + rp->in->costs.request_s,
               (uint32_t)(server - rp->server), SERVED);
}

/* Polls are slice_s apart from the segment's begin on; the last one is before
 * its end. */
void serve_set_poll(struct replayer *rp, struct server *server, double now)
{
    double slice_s = rp->in->costs.slice_s;
    double next_s = (floor((now - server->from_s) / slice_s) + 1) * slice_s;
    if (server->poll_set || next_s >= server->left_s)
        return;
    server->poll_set = true;
    replay_add(rp, server->from_s + next_s, (uint32_t)(server - rp->server),
               POLL | server->plan << WHAT_BITS);
}

void serve_segment(struct replayer *rp, struct server *server, double now,
                   double seconds, uint32_t ends)
{
    server->mode = COMPUTING;
    server->plan++;
    server->segment = ends;
    server->from_s = now;
    server->left_s = seconds;
    server->poll_set = false;
    replay_add(rp, now + seconds, (uint32_t)server->host,
               ends | server->plan << WHAT_BITS);
    if (server->queue.count > 0 || serve_has_arrived(rp, server))
        serve_set_poll(rp, server, now);
}

static void end_poll(struct replayer *rp, struct server *server, double now)
{
    serve_arrived(rp, server, now, server->host);
    serve_follow_up(rp, server, now, server->host);
    server->polling = false;
    if (server->left_s > 0)
        serve_segment(rp, server, now, server->left_s, server->segment);
    else
        hosted_end(rp, server->host, now);
}

static void poll_queue(struct replayer *rp, struct server *server, double now)
{
    server->plan++;
    server->polling = true;
    server->poll_set = false;
    if (server->queue.count > 0)
        begin_serving(rp, server, now);
    else
        end_poll(rp, server, now);
}

void serve_polled(struct replayer *rp, struct server *server, double now)
{
    server->left_s = replay_max(server->left_s - (now - server->from_s), 0);
    poll_queue(rp, server, now);
}

/* A chunk, or its part before a TURN, is done.  There is no poll at a TURN. */
void serve_end_segment(struct replayer *rp, struct server *server, double now)
{
    server->left_s = 0;
    if (server->segment == END) {
        poll_queue(rp, server, now);
        return;
    }
    server->plan++;
    hosted_turn(rp, server->host, now);
}

void serve_served(struct replayer *rp, struct server *server, double now)
{
    struct ask ask = serve_take_ask(&server->queue);
    serve_handle(rp, server, &ask, now);
    if (server->blocked == FREE)
        serve_after(rp, server, now);
}

void serve_after(struct replayer *rp, struct server *server, double now)
{
    if (server->polling && server->queue.count > 0) {
        begin_serving(rp, server, now);
    } else if (server->polling) {
        end_poll(rp, server, now);
    } else {
        server->mode = IDLE;
        serve_follow_up(rp, server, now, server->host);
        serve_arrived(rp, server, now, server->host);
        if (server->mode == IDLE && hosted_waits(server, server->host))
            hosted_wake(rp, server, server->host, now);
        serve_go_on(rp, server, now);
        serve_check(rp, server, now);
    }
}

void serve_go_on(struct replayer *rp, struct server *server, double now)
{
    if (server->mode == IDLE && server->queue.count > 0)
        begin_serving(rp, server, now);
}
