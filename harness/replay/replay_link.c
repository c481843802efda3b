/* Refills are long messages: those that a rank sends at a time share its link,
 * each as much as the others, as in SimGrid. */
#include "harness/replay/replay_parts.h"

#include <errno.h>
#include <math.h>

/* A byte more or less is rounding. */
static const double NOTHING = 1e-6;

static void arrive(struct play *play, int master, double left_s)
{
    play_add(play, left_s + play->in->costs.latency_s, (uint32_t)master,
             REFILL);
}

static double least_left(const struct server *server)
{
    double least = INFINITY;
    for (int64_t i = 0; i < server->link.count; i++)
        least = fmin(least, server->link.flow[i].left);
    return least;
}

/* Lets all of them pass `bytes`, and those that are through arrive. */
static void pass(struct play *play, struct server *server, double bytes)
{
    int64_t kept = 0;
    server->link.moved_s +=
        bytes * (double)server->link.count * play->in->costs.byte_s;
    for (int64_t i = 0; i < server->link.count; i++) {
        struct flow flow = server->link.flow[i];
        flow.left -= bytes;
        if (flow.left > NOTHING)
            server->link.flow[kept++] = flow;
        else
            arrive(play, flow.master, server->link.moved_s);
    }
    server->link.count = kept;
}

static void advance(struct play *play, struct server *server, double now)
{
    while (server->link.count > 0) {
        double each_s = (double)server->link.count * play->in->costs.byte_s;
        double least = least_left(server);
        double until = (now - server->link.moved_s) / each_s;
        if (until + NOTHING < least) {
            if (until > 0)
                pass(play, server, until);
            break;
        }
        pass(play, server, least);
    }
    if (server->link.moved_s < now)
        server->link.moved_s = now;
}

static void plan(struct play *play, struct server *server)
{
    server->link.plan++;
    if (server->link.count == 0)
        return;
    double each_s = (double)server->link.count * play->in->costs.byte_s;
    play_add(play, server->link.moved_s + least_left(server) * each_s,
             (uint32_t)(server - play->server),
             LINK | server->link.plan << WHAT_BITS);
}

void link_send(struct play *play, struct server *server, int master,
               double bytes, double now)
{
    advance(play, server, now);
    if (list_grow(&server->link.flow, &server->link.room,
                  server->link.count + 1, sizeof(*server->link.flow)) != 0) {
        play->code = -ENOMEM;
        return;
    }
    server->link.flow[server->link.count++] = (struct flow){bytes, master};
    plan(play, server);
}

void link_move(struct play *play, struct server *server, double now)
{
    advance(play, server, now);
    plan(play, server);
}
