/* The link of a rank with masters, shared by all messages between the rank and
 * other nodes as in SimGrid.  A message first takes its latency, then its
 * bytes; all messages under way get the same rate.  Each also uses a part of it
 * in the other direction, for confirmations.  A message between two masters
 * with remote children shares both links (replay_bridge.c). */
#include "harness/replay/replay_internal.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

/* The share of a message's rate used in the other direction. */
static const double CONFIRMED = 0.05;
/* A byte more or less is rounding. */
static const double NOTHING = 1e-6;

/* ---- the events of links ---- */

static const struct event NEVER = {INFINITY, 1, LINK};

int link_open(struct replayer *rp)
{
    int servers = rp->servers;
    rp->links.soonest =
        malloc(2 * (size_t)servers * sizeof(*rp->links.soonest));
    rp->links.next = malloc((size_t)servers * sizeof(*rp->links.next));
    rp->links.listed = malloc((size_t)servers * sizeof(*rp->links.listed));
    if (rp->links.soonest == NULL || rp->links.next == NULL ||
        rp->links.listed == NULL)
        return -ENOMEM;
    for (int s = 0; s < servers; s++) {
        struct link *link = &rp->server[s].link;
        rp->links.next[s] = NEVER;
        link->due_s = NEVER.at;
        link->pace_s = rp->in->costs.byte_s;
        link->places = RECEIVED;
        rp->server[s].bridged = rp->server[s].children > 0;
        rp->links.soonest[servers + s] = s;
    }
    for (int i = servers; --i > 0;)
        rp->links.soonest[i] = rp->links.soonest[2 * i];
    return 0;
}

void link_close(struct replayer *rp)
{
    for (int s = 0; s < rp->servers && rp->server != NULL; s++) {
        free(rp->server[s].link.flows.event);
        free(rp->server[s].link.waiting.ask);
        free(rp->server[s].link.coming.ask);
        free(rp->server[s].link.leaving.ask);
        free(rp->server[s].link.bridge);
    }
    free(rp->links.soonest);
    free(rp->links.next);
    free(rp->links.listed);
}

const struct event *link_next(const struct replayer *rp)
{
    return &rp->links.next[rp->links.soonest[1]];
}

static struct event first_of(const struct asks *asks)
{
    const struct ask *ask = &asks->ask[asks->head];
    return asks->count > 0 ? (struct event){ask->at, ask->who, ask->what}
                           : NEVER;
}

static struct event first_event(const struct link *link, int here)
{
    bool flows = link->due_s < NEVER.at;
    struct event first = {link->due_s, flows ? (uint32_t)here : NEVER.who,
                          LINK};
    const struct event leaves = first_of(&link->leaving);
    const struct event comes = first_of(&link->coming);
    if (event_before(&leaves, &first))
        first = leaves;
    if (event_before(&comes, &first))
        first = comes;
    return first;
}

/* Updates the tree if the link's first event has changed.  Above a pair that
 * another link wins as before, nothing changes. */
static void set_next(struct replayer *rp, struct server *server)
{
    int here = (int)(server - rp->server);
    const struct event *next = rp->links.next;
    struct event *own = &rp->links.next[here];
    const struct event first = first_event(&server->link, here);
    if (first.at == own->at && first.who == own->who && first.what == own->what)
        return;
    *own = first;
    int *soonest = rp->links.soonest;
    for (int i = (rp->servers + here) / 2; i > 0; i /= 2) {
        int one = soonest[2 * i], other = soonest[2 * i + 1];
        int won = event_before(&next[other], &next[one]) ? other : one;
        if (won == soonest[i] && won != here)
            break;
        soonest[i] = won;
    }
}

/* Whether the event is after all in the list, and so can be appended. */
static bool comes_last(const struct asks *leaving, const struct event *event)
{
    if (leaving->count == 0)
        return true;
    int64_t at = leaving->head + leaving->count - 1;
    const struct ask *last =
        &leaving->ask[at < leaving->room ? at : at - leaving->room];
    return event_before(&(struct event){last->at, last->who, last->what},
                        event);
}

bool link_goes_out(enum what what)
{
    return what == ANSWER || what == REFILL;
}

static void put_request(struct replayer *rp, struct server *server,
                        struct asks *asks, const struct event *event)
{
    serve_put_ask(rp, asks, (struct ask){event->at, event->who, event->what});
    if (asks->count == 1)
        set_next(rp, server);
}

void link_send(struct replayer *rp, int from, int to, double bytes, double now,
               uint32_t who, enum what what)
{
    bool near = replay_near(rp, from, to);
    double way_s = replay_pass_s(rp, near, bytes);
    if (!rp->shares || (near && link_goes_out(what))) {
        replay_add(rp, now + way_s, who, what);
        return;
    }
    if (!link_goes_out(what)) {
        replay_add(rp, now, who, what | PASSING);
        return;
    }
    struct event event = {now + rp->in->costs.latency_s, who, what | PASSING};
    struct server *server = replay_server(rp, from);
    if (comes_last(&server->link.leaving, &event))
        put_request(rp, server, &server->link.leaving, &event);
    else
        replay_add(rp, event.at, event.who, event.what);
}

/* ---- messages pass ---- */

static double bytes_of(const struct replayer *rp, uint32_t who, enum what what)
{
    switch (what) {
    case ANSWER:
        return sizeof(struct chunk) + ENVELOPE_BYTES;
    case REFILL:
        return (double)rp->masters[who].count * sizeof(struct task) +
               ENVELOPE_BYTES;
    case REFILL_ASK:
    case MASTER_FINAL:
        return REQUEST_BYTES + ENVELOPE_BYTES +
               (double)rp->masters[who].report_count * sizeof(struct report);
    default:
        return REQUEST_BYTES + ENVELOPE_BYTES;
    }
}

/* Seconds for a byte of each. */
static double pace_s(const struct replayer *rp, const struct link *link)
{
    double out = (double)link->out, in = (double)link->in;
    return rp->in->costs.byte_s *
           replay_max(out + CONFIRMED * in, in + CONFIRMED * out);
}

void link_advance(struct link *link, double now)
{
    if (link->flows.count > 0)
        link->passed += (now - link->moved_s) / link->pace_s;
    else
        link->passed = 0;
    link->moved_s = now;
}

/* An event that comes too early does no harm. */
void link_plan(struct replayer *rp, struct server *server, bool anew)
{
    struct link *link = &server->link;
    double due_s = NEVER.at;
    if (link->bridges > 0)
        due_s = bridge_due_s(rp, server);
    if (link->flows.count > 0) {
        double left = link->flows.event[0].at - link->passed;
        double own_s = link->moved_s + replay_max(left, 0) * link->pace_s;
        due_s = own_s < due_s ? own_s : due_s;
    }
    if (!anew && due_s >= link->due_s)
        return;
    link->due_s = due_s;
    set_next(rp, server);
}

/* The messages on the link have changed. */
static void share_link(struct replayer *rp, struct server *server, double now,
                       bool anew)
{
    struct link *link = &server->link;
    if (link->bridges > 0) {
        bridge_share(rp, server, now);
        return;
    }
    if (link->flows.count > 0)
        link->pace_s = pace_s(rp, link);
    link_plan(rp, server, anew);
}

static void begin_flow(struct replayer *rp, struct server *server, uint32_t who,
                       enum what what)
{
    struct link *link = &server->link;
    /* This worker's memory has not been used for long. */
    if (what == ANSWER)
        __builtin_prefetch(&rp->result->worker[who]);
    struct event flow = {link->passed + bytes_of(rp, who, what), who, what};
    if (events_add(&link->flows, flow) != 0)
        rp->code = -ENOMEM;
    link->out += link_goes_out(what);
    link->in += !link_goes_out(what);
}

static void enter_link(struct replayer *rp, struct server *server,
                       const struct event *event)
{
    struct link *link = &server->link;
    enum what what = event->what & (PASSING - 1);
    bool first = link->flows.count == 0;
    link_advance(link, event->at);
    if (bridge_is(rp, event->who, what)) {
        bridge_begin(rp, server, bytes_of(rp, event->who, what), event->at,
                     event->who, what);
        return;
    }
    begin_flow(rp, server, event->who, what);
    share_link(rp, server, event->at, first);
}

/* `server` is the one above. */
void link_arrive(struct replayer *rp, struct server *server,
                 const struct event *event)
{
    if (event->what == ANSWER)
        ask_got(rp, (int)event->who, event->at, &rp->coming[event->who]);
    else if (event->what == REFILL)
        serve_refill(rp, (int)event->who, event->at);
    else if (rp->shares)
        order_come(rp, server, event);
    else
        serve_come(rp, server, event);
}

void link_deliver(struct replayer *rp, const struct event *event)
{
    link_arrive(rp, serve_above(rp, event->who, event->what), event);
}

static void move_flows(struct replayer *rp, struct server *server, double now)
{
    struct link *link = &server->link;
    /* Times are only so exact. */
    double most = NOTHING + 4 * DBL_EPSILON * now / rp->in->costs.byte_s;
    link_advance(link, now);
    while (link->flows.count > 0 &&
           link->flows.event[0].at <= link->passed + most) {
        struct event flow = events_take(&link->flows);
        link->out -= link_goes_out(flow.what);
        link->in -= !link_goes_out(flow.what);
        flow.at = now;
        link_arrive(rp, server, &flow);
    }
    if (link->bridges > 0)
        bridge_end(rp, server, now);
    share_link(rp, server, now, true);
}

void link_happen(struct replayer *rp)
{
    struct server *server = &rp->server[rp->links.soonest[1]];
    struct link *link = &server->link;
    struct event event = *link_next(rp);
    if (event.what == LINK) {
        move_flows(rp, server, event.at);
        return;
    }
    bool out = link_goes_out(event.what & (PASSING - 1));
    serve_take_ask(out ? &link->leaving : &link->coming);
    enter_link(rp, server, &event);
    set_next(rp, server);
}

/* ---- requests set out ---- */

static int rank_of(const struct replayer *rp, uint32_t who, enum what what)
{
    bool worker = what == WORK || what == FINAL;
    return worker ? rp->tree->worker_rank[who] : rp->tree->master[who].rank;
}

/* In order: later than the earlier ones. */
static void set_out(struct replayer *rp, struct server *server,
                    const struct ask *ask, double now)
{
    const struct replay_costs *costs = &rp->in->costs;
    enum what what = ask->what & (PASSING - 1);
    struct event event = {now + costs->latency_s, ask->who, ask->what};
    int to = rp->tree->master[server->first_master].rank;
    order_put(rp, &server->order, &(struct ask){now, ask->who, ask->what});
    if (!replay_near(rp, rank_of(rp, ask->who, what), to))
        put_request(rp, server, &server->link.coming, &event);
    else
        replay_add(rp,
                   now + costs->near_s +
                       bytes_of(rp, ask->who, what) * costs->byte_s,
                   ask->who, what);
}

void link_enter(struct replayer *rp, const struct event *event)
{
    enum what what = event->what & (PASSING - 1);
    struct server *server = serve_above(rp, event->who, what);
    struct link *link = &server->link;
    const struct ask ask = {event->at, event->who, event->what};
    if (link_goes_out(what)) {
        enter_link(rp, server, event);
    } else if (link->places == 0) {
        serve_put_ask(rp, &link->waiting, ask);
    } else {
        double place_s = link->place[link->first];
        link->places--;
        link->first = (link->first + 1) % RECEIVED;
        set_out(rp, server, &ask, replay_max(place_s, event->at));
    }
}

void link_served(struct replayer *rp, struct server *server, double now)
{
    struct link *link = &server->link;
    if (link->waiting.count > 0) {
        struct ask ask = serve_take_ask(&link->waiting);
        set_out(rp, server, &ask, now);
    } else {
        link->place[(link->first + link->places++) % RECEIVED] = now;
    }
}
