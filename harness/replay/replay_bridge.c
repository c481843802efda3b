/* Messages between two masters whose ranks' links are shared with others: a
 * bridge uses both links.  Messages share as in SimGrid (max-min): the link
 * with the smallest share per message gives it to all its messages.  Bridges
 * leave the rest of their share of the other link to its other messages. */
#include "harness/replay/replay_internal.h"

#include <errno.h>
#include <float.h>
#include <math.h>

/* The share of a message's rate in the other direction, for confirmations. */
static const double CONFIRMED = 0.05;
/* A byte more or less is rounding. */
static const double NOTHING = 1e-6;

static struct server *lower_of(const struct replayer *rp, int m)
{
    return &rp->server[rp->masters[m].server];
}

static struct server *upper_of(const struct replayer *rp, int m)
{
    int above = rp->tree->master[m].parent;
    return &rp->server[rp->masters[above].server];
}

bool bridge_is(const struct replayer *rp, uint32_t who, enum what what)
{
    bool masters = what == REFILL || what == REFILL_ASK || what == MASTER_FINAL;
    return masters && lower_of(rp, (int)who)->bridged;
}

/* ---- shares ---- */

static void list_link(struct replayer *rp, struct server *server, int *count)
{
    if (server->link.listed)
        return;
    server->link.listed = true;
    rp->links.listed[(*count)++] = (int)(server - rp->server);
}

/* All links that bridges join with this one. */
static int list_links(struct replayer *rp, struct server *server)
{
    int count = 0;
    list_link(rp, server, &count);
    for (int i = 0; i < count; i++) {
        const struct link *link = &rp->server[rp->links.listed[i]].link;
        for (int b = 0; b < link->bridges; b++) {
            list_link(rp, lower_of(rp, link->bridge[b]), &count);
            list_link(rp, upper_of(rp, link->bridge[b]), &count);
        }
    }
    return count;
}

static void move_bridge(struct bridge *bridge, double now)
{
    if (bridge->pace_s > 0)
        bridge->left -= (now - bridge->moved_s) / bridge->pace_s;
    bridge->moved_s = now;
}

/* Whether the message leaves the rank of this link. */
static bool goes_out_of(const struct replayer *rp, int m,
                        const struct server *server)
{
    bool down = link_goes_out(rp->masters[m].bridge.what);
    return down == (server == upper_of(rp, m));
}

/* This link's share for each message without one; INFINITY: there is no such
 * message. */
static double part_of(const struct replayer *rp, const struct server *server)
{
    const struct link *link = &server->link;
    double out = (double)link->out, in = (double)link->in;
    for (int b = 0; b < link->bridges; b++)
        if (rp->masters[link->bridge[b]].bridge.pace_s == 0) {
            bool goes_out = goes_out_of(rp, link->bridge[b], server);
            out += goes_out;
            in += !goes_out;
        }
    if (out + in == 0)
        return INFINITY;
    return fmin((1 - link->used[0]) / (out + CONFIRMED * in),
                (1 - link->used[1]) / (in + CONFIRMED * out));
}

static void use_link(const struct replayer *rp, int m, struct server *server,
                     double part)
{
    bool out = goes_out_of(rp, m, server);
    server->link.used[0] += part * (out ? 1 : CONFIRMED);
    server->link.used[1] += part * (out ? CONFIRMED : 1);
}

/* Returns to how many bridges. */
static int give_pace(struct replayer *rp, struct server *server, double part)
{
    int bridges = 0;
    struct link *link = &server->link;
    double pace_s = rp->in->costs.byte_s / fmax(part, DBL_EPSILON);
    link->shared = true;
    link->pace_s = pace_s;
    for (int b = 0; b < link->bridges; b++) {
        int m = link->bridge[b];
        struct server *upper = upper_of(rp, m);
        if (rp->masters[m].bridge.pace_s > 0)
            continue;
        rp->masters[m].bridge.pace_s = pace_s;
        rp->masters[m].bridge.giver = (int)(server - rp->server);
        use_link(rp, m, upper == server ? lower_of(rp, m) : upper, part);
        bridges++;
    }
    return bridges;
}

/* The one that has least for each. */
static struct server *find_least(const struct replayer *rp, int count,
                                 double *part)
{
    int least = 0;
    *part = INFINITY;
    for (int i = 0; i < count; i++) {
        const struct server *server = &rp->server[rp->links.listed[i]];
        double here = server->link.shared ? INFINITY : part_of(rp, server);
        if (here < *part) {
            *part = here;
            least = rp->links.listed[i];
        }
    }
    return &rp->server[least];
}

/* If all bridges of a link have their shares, the link divides the rest among
 * its other messages. */
static void give_all(struct replayer *rp, int count)
{
    int ends = 0;
    double part;
    for (int i = 0; i < count; i++)
        ends += rp->server[rp->links.listed[i]].link.bridges;
    for (int bridges = ends / 2; bridges > 0;) {
        struct server *least = find_least(rp, count, &part);
        bridges -= give_pace(rp, least, part);
    }
    for (int i = 0; i < count; i++) {
        struct server *server = &rp->server[rp->links.listed[i]];
        if (!server->link.shared)
            give_pace(rp, server, fmin(part_of(rp, server), 1));
    }
}

/* Shares only among this link's messages.  True if the bridges here keep their
 * shares, because their other links have less for each message. */
static bool share_alone(struct replayer *rp, struct server *server, double now)
{
    struct link *link = &server->link;
    double most = 0;
    link->used[0] = link->used[1] = 0;
    for (int b = 0; b < link->bridges; b++) {
        int m = link->bridge[b];
        const struct bridge *bridge = &rp->masters[m].bridge;
        if (bridge->pace_s == 0 || bridge->giver == server - rp->server)
            return false;
        double part = rp->in->costs.byte_s / bridge->pace_s;
        most = fmax(most, part);
        use_link(rp, m, server, part);
    }
    double part = part_of(rp, server);
    if (part < most)
        return false;
    link_advance(link, now);
    if (part < INFINITY)
        link->pace_s = rp->in->costs.byte_s / part;
    link_plan(rp, server, true);
    return true;
}

static void move_on(struct replayer *rp, struct link *link, double now)
{
    link_advance(link, now);
    link->used[0] = link->used[1] = 0;
    link->shared = false;
    for (int b = 0; b < link->bridges; b++) {
        struct bridge *bridge = &rp->masters[link->bridge[b]].bridge;
        move_bridge(bridge, now);
        bridge->pace_s = 0;
    }
}

void bridge_share(struct replayer *rp, struct server *server, double now)
{
    if (share_alone(rp, server, now))
        return;
    int count = list_links(rp, server);
    for (int i = 0; i < count; i++)
        move_on(rp, &rp->server[rp->links.listed[i]].link, now);
    give_all(rp, count);
    for (int i = 0; i < count; i++) {
        rp->server[rp->links.listed[i]].link.listed = false;
        link_plan(rp, &rp->server[rp->links.listed[i]], true);
    }
}

/* ---- one bridge ---- */

static void put_bridge(struct replayer *rp, struct link *link, int m)
{
    if (list_grow(&link->bridge, &link->bridge_room, link->bridges + 1,
                  sizeof(*link->bridge)) == 0)
        link->bridge[link->bridges++] = m;
    else
        rp->code = -ENOMEM;
}

void bridge_begin(struct replayer *rp, struct server *server, double bytes,
                  double now, uint32_t who, enum what what)
{
    struct bridge *bridge = &rp->masters[who].bridge;
    *bridge = (struct bridge){.left = bytes, .moved_s = now, .what = what};
    put_bridge(rp, &server->link, (int)who);
    put_bridge(rp, &lower_of(rp, (int)who)->link, (int)who);
    bridge_share(rp, server, now);
}

static void take_out(struct link *link, int m)
{
    int at = 0;
    while (link->bridge[at] != m)
        at++;
    link->bridge[at] = link->bridge[--link->bridges];
}

/* The last of the finished ones; -1: none. */
static int find_ended(struct replayer *rp, const struct server *server,
                      double now)
{
    int found = -1;
    const struct link *link = &server->link;
    for (int b = 0; b < link->bridges; b++) {
        int m = link->bridge[b];
        struct bridge *bridge = &rp->masters[m].bridge;
        if (upper_of(rp, m) != server)
            continue;
        move_bridge(bridge, now);
        double most = NOTHING + 4 * DBL_EPSILON * now / bridge->pace_s;
        if (bridge->left <= most && m > found)
            found = m;
    }
    return found;
}

void bridge_end(struct replayer *rp, struct server *server, double now)
{
    int m;
    while (rp->code == 0 && (m = find_ended(rp, server, now)) >= 0) {
        struct server *lower = lower_of(rp, m);
        take_out(&server->link, m);
        take_out(&lower->link, m);
        const struct event event = {now, (uint32_t)m,
                                    rp->masters[m].bridge.what};
        bridge_share(rp, lower, now);
        bridge_share(rp, server, now);
        link_arrive(rp, server, &event);
    }
}

double bridge_due_s(const struct replayer *rp, const struct server *server)
{
    double due_s = INFINITY;
    for (int b = 0; b < server->link.bridges; b++) {
        int m = server->link.bridge[b];
        const struct bridge *bridge = &rp->masters[m].bridge;
        if (upper_of(rp, m) == server)
            due_s = fmin(due_s, bridge->moved_s +
                                    fmax(bridge->left, 0) * bridge->pace_s);
    }
    return due_s;
}
