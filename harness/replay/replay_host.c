/* A rank whose first worker serves beside computing: it looks for requests in
 * the course of a chunk, and when it waits it serves at once. */
#include "harness/replay/replay_parts.h"

#include <math.h>

static void begin_serving(struct play *play, struct server *server, double now)
{
    server->mode = SERVING;
    play_add(play, now + play->in->costs.request_s,
             (uint32_t)(server - play->server), SERVED);
}

/* Looks are slice_s apart, from the beginning of the segment on; the last is
 * before its end. */
void serve_set_poll(struct play *play, struct server *server, double now)
{
    double slice_s = play->in->costs.slice_s;
    double next_s = (floor((now - server->from_s) / slice_s) + 1) * slice_s;
    if (server->poll_set || next_s >= server->left_s)
        return;
    server->poll_set = true;
    play_add(play, server->from_s + next_s, (uint32_t)(server - play->server),
             POLL | server->plan << WHAT_BITS);
}

void serve_segment(struct play *play, struct server *server, double now,
                   double seconds, uint32_t ends)
{
    server->mode = COMPUTING;
    server->plan++;
    server->segment = ends;
    server->from_s = now;
    server->left_s = seconds;
    server->poll_set = false;
    play_add(play, now + seconds, (uint32_t)server->host,
             ends | server->plan << WHAT_BITS);
    if (server->queue.count > 0 || serve_has_arrived(play, server))
        serve_set_poll(play, server, now);
}

static void end_poll(struct play *play, struct server *server, double now)
{
    serve_arrived(play, server, now, server->host);
    serve_follow_up(play, server, now, server->host);
    server->polling = false;
    if (server->left_s > 0)
        serve_segment(play, server, now, server->left_s, server->segment);
    else
        hosted_end(play, server->host, now);
}

static void poll_queue(struct play *play, struct server *server, double now)
{
    server->plan++;
    server->polling = true;
    server->poll_set = false;
    if (server->queue.count > 0)
        begin_serving(play, server, now);
    else
        end_poll(play, server, now);
}

void serve_polled(struct play *play, struct server *server, double now)
{
    server->left_s = play_max(server->left_s - (now - server->from_s), 0);
    poll_queue(play, server, now);
}

/* A chunk, or the part of it before a TURN, is done.  Nobody looks at a
 * TURN. */
void serve_end_segment(struct play *play, struct server *server, double now)
{
    server->left_s = 0;
    if (server->segment == END) {
        poll_queue(play, server, now);
        return;
    }
    server->plan++;
    hosted_turn(play, server->host, now);
}

void serve_served(struct play *play, struct server *server, double now)
{
    struct ask ask = serve_take_ask(&server->queue);
    serve_handle(play, server, &ask, now);
    if (server->held == FREE)
        serve_after(play, server, now);
}

void serve_after(struct play *play, struct server *server, double now)
{
    if (server->polling && server->queue.count > 0) {
        begin_serving(play, server, now);
    } else if (server->polling) {
        end_poll(play, server, now);
    } else {
        server->mode = IDLE;
        serve_follow_up(play, server, now, server->host);
        serve_arrived(play, server, now, server->host);
        if (server->mode == IDLE && hosted_waits(server, server->host))
            hosted_wake(play, server, server->host, now);
        serve_go_on(play, server, now);
        serve_check(play, server, now);
    }
}

void serve_go_on(struct play *play, struct server *server, double now)
{
    if (server->mode == IDLE && server->queue.count > 0)
        begin_serving(play, server, now);
}
