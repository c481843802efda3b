/* Messages between two masters whose ranks' links are shared with others: a
 * bridge passes both links.  Messages share as in SimGrid, max-min: the link
 * with the least for each of its messages gives them that share.  The bridges'
 * unused shares of their other link go to the others there. */
#include "harness/replay/replay_internal.h"

#include <errno.h>
#include <float.h>
#include <math.h>

/* The part of its rate in the other direction, for confirmations. */
static const double CONFIRMED = 0.05;
/* A byte more or less is rounding. */
static const double NOTHING = 1e-6;

static struct server *lower_of(const struct replay_state *rs, int m)
{
    return &rs->server[rs->masters[m].server];
}

static struct server *upper_of(const struct replay_state *rs, int m)
{
    int above = rs->tree->master[m].parent;
    return &rs->server[rs->masters[above].server];
}

bool bridge_is(const struct replay_state *rs, uint32_t who, enum what what)
{
    bool masters = what == REFILL || what == REFILL_ASK || what == MASTER_FINAL;
    return masters && lower_of(rs, (int)who)->bridged;
}

/* ---- shares ---- */

static void list_link(struct replay_state *rs, struct server *server,
                      int *count)
{
    if (server->link.listed)
        return;
    server->link.listed = true;
    rs->links.listed[(*count)++] = (int)(server - rs->server);
}

/* All links that bridges join with this one. */
static int list_links(struct replay_state *rs, struct server *server)
{
    int count = 0;
    list_link(rs, server, &count);
    for (int i = 0; i < count; i++) {
        const struct link *link = &rs->server[rs->links.listed[i]].link;
        for (int b = 0; b < link->bridges; b++) {
            list_link(rs, lower_of(rs, link->bridge[b]), &count);
            list_link(rs, upper_of(rs, link->bridge[b]), &count);
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

/* Whether it leaves the rank of this link. */
static bool goes_out_of(const struct replay_state *rs, int m,
                        const struct server *server)
{
    bool down = link_goes_out(rs->masters[m].bridge.what);
    return down == (server == upper_of(rs, m));
}

/* The share of this link for each message without one; INFINITY: there is no
 * such message. */
static double part_of(const struct replay_state *rs,
                      const struct server *server)
{
    const struct link *link = &server->link;
    double out = (double)link->out, in = (double)link->in;
    for (int b = 0; b < link->bridges; b++)
        if (rs->masters[link->bridge[b]].bridge.pace_s == 0) {
            bool goes_out = goes_out_of(rs, link->bridge[b], server);
            out += goes_out;
            in += !goes_out;
        }
    if (out + in == 0)
        return INFINITY;
    return fmin((1 - link->used[0]) / (out + CONFIRMED * in),
                (1 - link->used[1]) / (in + CONFIRMED * out));
}

static void use_link(const struct replay_state *rs, int m,
                     struct server *server, double part)
{
    bool out = goes_out_of(rs, m, server);
    server->link.used[0] += part * (out ? 1 : CONFIRMED);
    server->link.used[1] += part * (out ? CONFIRMED : 1);
}

/* Returns to how many bridges. */
static int give_pace(struct replay_state *rs, struct server *server,
                     double part)
{
    int bridges = 0;
    struct link *link = &server->link;
    double pace_s = rs->in->costs.byte_s / fmax(part, DBL_EPSILON);
    link->shared = true;
    link->pace_s = pace_s;
    for (int b = 0; b < link->bridges; b++) {
        int m = link->bridge[b];
        struct server *upper = upper_of(rs, m);
        if (rs->masters[m].bridge.pace_s > 0)
            continue;
        rs->masters[m].bridge.pace_s = pace_s;
        rs->masters[m].bridge.giver = (int)(server - rs->server);
        use_link(rs, m, upper == server ? lower_of(rs, m) : upper, part);
        bridges++;
    }
    return bridges;
}

/* The one that has least for each. */
static struct server *find_least(const struct replay_state *rs, int count,
                                 double *part)
{
    int least = 0;
    *part = INFINITY;
    for (int i = 0; i < count; i++) {
        const struct server *server = &rs->server[rs->links.listed[i]];
        double here = server->link.shared ? INFINITY : part_of(rs, server);
        if (here < *part) {
            *part = here;
            least = rs->links.listed[i];
        }
    }
    return &rs->server[least];
}

/* A link whose bridges all have their shares only shares among its other
 * messages. */
static void give_all(struct replay_state *rs, int count)
{
    int ends = 0;
    double part;
    for (int i = 0; i < count; i++)
        ends += rs->server[rs->links.listed[i]].link.bridges;
    for (int bridges = ends / 2; bridges > 0;) {
        struct server *least = find_least(rs, count, &part);
        bridges -= give_pace(rs, least, part);
    }
    for (int i = 0; i < count; i++) {
        struct server *server = &rs->server[rs->links.listed[i]];
        if (!server->link.shared)
            give_pace(rs, server, fmin(part_of(rs, server), 1));
    }
}

/* Shares only among this link's messages.  True if the bridges here keep their
 * shares, because their other links have less for each message. */
static bool share_alone(struct replay_state *rs, struct server *server,
                        double now)
{
    struct link *link = &server->link;
    double most = 0;
    link->used[0] = link->used[1] = 0;
    for (int b = 0; b < link->bridges; b++) {
        int m = link->bridge[b];
        const struct bridge *bridge = &rs->masters[m].bridge;
        if (bridge->pace_s == 0 || bridge->giver == server - rs->server)
            return false;
        double part = rs->in->costs.byte_s / bridge->pace_s;
        most = fmax(most, part);
        use_link(rs, m, server, part);
    }
    double part = part_of(rs, server);
    if (part < most)
        return false;
    link_advance(link, now);
    if (part < INFINITY)
        link->pace_s = rs->in->costs.byte_s / part;
    link_plan(rs, server, true);
    return true;
}

static void move_on(struct replay_state *rs, struct link *link, double now)
{
    link_advance(link, now);
    link->used[0] = link->used[1] = 0;
    link->shared = false;
    for (int b = 0; b < link->bridges; b++) {
        struct bridge *bridge = &rs->masters[link->bridge[b]].bridge;
        move_bridge(bridge, now);
        bridge->pace_s = 0;
    }
}

void bridge_share(struct replay_state *rs, struct server *server, double now)
{
    if (share_alone(rs, server, now))
        return;
    int count = list_links(rs, server);
    for (int i = 0; i < count; i++)
        move_on(rs, &rs->server[rs->links.listed[i]].link, now);
    give_all(rs, count);
    for (int i = 0; i < count; i++) {
        rs->server[rs->links.listed[i]].link.listed = false;
        link_plan(rs, &rs->server[rs->links.listed[i]], true);
    }
}

/* ---- one of them ---- */

static void put_bridge(struct replay_state *rs, struct link *link, int m)
{
    if (list_grow(&link->bridge, &link->bridge_room, link->bridges + 1,
                  sizeof(*link->bridge)) == 0)
        link->bridge[link->bridges++] = m;
    else
        rs->code = -ENOMEM;
}

void bridge_begin(struct replay_state *rs, struct server *server, double bytes,
                  double now, uint32_t who, enum what what)
{
    struct bridge *bridge = &rs->masters[who].bridge;
    *bridge = (struct bridge){.left = bytes, .moved_s = now, .what = what};
    put_bridge(rs, &server->link, (int)who);
    put_bridge(rs, &lower_of(rs, (int)who)->link, (int)who);
    bridge_share(rs, server, now);
}

static void take_out(struct link *link, int m)
{
    int at = 0;
    while (link->bridge[at] != m)
        at++;
    link->bridge[at] = link->bridge[--link->bridges];
}

/* The last of the finished ones; -1: none. */
static int find_ended(struct replay_state *rs, const struct server *server,
                      double now)
{
    int found = -1;
    const struct link *link = &server->link;
    for (int b = 0; b < link->bridges; b++) {
        int m = link->bridge[b];
        struct bridge *bridge = &rs->masters[m].bridge;
        if (upper_of(rs, m) != server)
            continue;
        move_bridge(bridge, now);
        double most = NOTHING + 4 * DBL_EPSILON * now / bridge->pace_s;
        if (bridge->left <= most && m > found)
            found = m;
    }
    return found;
}

void bridge_end(struct replay_state *rs, struct server *server, double now)
{
    int m;
    while (rs->code == 0 && (m = find_ended(rs, server, now)) >= 0) {
        struct server *lower = lower_of(rs, m);
        take_out(&server->link, m);
        take_out(&lower->link, m);
        const struct event event = {now, (uint32_t)m,
                                    rs->masters[m].bridge.what};
        bridge_share(rs, lower, now);
        bridge_share(rs, server, now);
        link_arrive(rs, server, &event);
    }
}

double bridge_due_s(const struct replay_state *rs, const struct server *server)
{
    double due_s = INFINITY;
    for (int b = 0; b < server->link.bridges; b++) {
        int m = server->link.bridge[b];
        const struct bridge *bridge = &rs->masters[m].bridge;
        if (upper_of(rs, m) == server)
            due_s = fmin(due_s, bridge->moved_s +
                                    fmax(bridge->left, 0) * bridge->pace_s);
    }
    return due_s;
}
