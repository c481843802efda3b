/* The link of a rank with masters, shared by all messages between it and other
 * nodes as in SimGrid.  A message's latency passes first, then its bytes; all
 * messages under way get the same rate.  Each also takes a part of that rate in
 * the other direction, for confirmations.  A message between two masters with
 * requests of others shares the links of both (replay_bridge.c). */
#include "harness/replay/replay_parts.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

/* The part of its rate in the other direction. */
static const double CONFIRMED = 0.05;
/* A byte more or less is rounding. */
static const double NOTHING = 1e-6;

/* ---- the events of links ---- */

static const struct event NEVER = {INFINITY, 1, LINK};

int link_open(struct play *play)
{
    int servers = play->servers;
    play->links.soonest =
        malloc(2 * (size_t)servers * sizeof(*play->links.soonest));
    play->links.next = malloc((size_t)servers * sizeof(*play->links.next));
    play->links.listed = malloc((size_t)servers * sizeof(*play->links.listed));
    if (play->links.soonest == NULL || play->links.next == NULL ||
        play->links.listed == NULL)
        return -ENOMEM;
    for (int s = 0; s < servers; s++) {
        struct link *link = &play->server[s].link;
        play->links.next[s] = NEVER;
        link->due_s = NEVER.at;
        link->pace_s = play->in->costs.byte_s;
        link->places = RECEIVED;
        play->server[s].bridged = play->server[s].children > 0;
        play->links.soonest[servers + s] = s;
    }
    for (int i = servers; --i > 0;)
        play->links.soonest[i] = play->links.soonest[2 * i];
    return 0;
}

void link_close(struct play *play)
{
    for (int s = 0; s < play->servers && play->server != NULL; s++) {
        free(play->server[s].link.flows.event);
        free(play->server[s].link.waiting.ask);
        free(play->server[s].link.coming.ask);
        free(play->server[s].link.leaving.ask);
        free(play->server[s].link.bridge);
    }
    free(play->links.soonest);
    free(play->links.next);
    free(play->links.listed);
}

const struct event *link_next(const struct play *play)
{
    return &play->links.next[play->links.soonest[1]];
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

/* Its first event may be another one.  Above the first pair that another link
 * wins as before, nothing changes. */
static void set_next(struct play *play, struct server *server)
{
    int here = (int)(server - play->server);
    const struct event *next = play->links.next;
    struct event *own = &play->links.next[here];
    const struct event first = first_event(&server->link, here);
    if (first.at == own->at && first.who == own->who && first.what == own->what)
        return;
    *own = first;
    int *soonest = play->links.soonest;
    for (int i = (play->servers + here) / 2; i > 0; i /= 2) {
        int one = soonest[2 * i], other = soonest[2 * i + 1];
        int won = event_before(&next[other], &next[one]) ? other : one;
        if (won == soonest[i] && won != here)
            break;
        soonest[i] = won;
    }
}

/* Whether it comes after all that leave already: then it needs no other place.
 */
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

static void put_request(struct play *play, struct server *server,
                        struct asks *asks, const struct event *event)
{
    serve_put_ask(play, asks, (struct ask){event->at, event->who, event->what});
    if (asks->count == 1)
        set_next(play, server);
}

void link_send(struct play *play, int from, int to, double bytes, double now,
               uint32_t who, enum what what)
{
    bool near = play_near(play, from, to);
    double way_s = play_pass_s(play, near, bytes);
    if (!play->shares || (near && link_goes_out(what))) {
        play_add(play, now + way_s, who, what);
        return;
    }
    if (!link_goes_out(what)) {
        play_add(play, now, who, what | PASSING);
        return;
    }
    struct event event = {now + play->in->costs.latency_s, who, what | PASSING};
    struct server *server = play_server(play, from);
    if (comes_last(&server->link.leaving, &event))
        put_request(play, server, &server->link.leaving, &event);
    else
        play_add(play, event.at, event.who, event.what);
}

/* ---- messages pass ---- */

static double bytes_of(const struct play *play, uint32_t who, enum what what)
{
    switch (what) {
    case ANSWER:
        return sizeof(struct chunk) + ENVELOPE_BYTES;
    case REFILL:
        return (double)play->post[who].count * sizeof(struct task) +
               ENVELOPE_BYTES;
    case REFILL_ASK:
    case MASTER_FINAL:
        return REQUEST_BYTES + ENVELOPE_BYTES +
               (double)play->post[who].told_count * sizeof(struct report);
    default:
        return REQUEST_BYTES + ENVELOPE_BYTES;
    }
}

/* Seconds for a byte of each. */
static double pace_s(const struct play *play, const struct link *link)
{
    double out = (double)link->out, in = (double)link->in;
    return play->in->costs.byte_s *
           play_max(out + CONFIRMED * in, in + CONFIRMED * out);
}

void link_advance(struct link *link, double now)
{
    if (link->flows.count > 0)
        link->passed += (now - link->moved_s) / link->pace_s;
    else
        link->passed = 0;
    link->moved_s = now;
}

/* An event that comes too early is no harm. */
void link_plan(struct play *play, struct server *server, bool anew)
{
    struct link *link = &server->link;
    double due_s = NEVER.at;
    if (link->bridges > 0)
        due_s = bridge_due_s(play, server);
    if (link->flows.count > 0) {
        double left = link->flows.event[0].at - link->passed;
        double own_s = link->moved_s + play_max(left, 0) * link->pace_s;
        due_s = own_s < due_s ? own_s : due_s;
    }
    if (!anew && due_s >= link->due_s)
        return;
    link->due_s = due_s;
    set_next(play, server);
}

/* Others are on their way than before. */
static void share_link(struct play *play, struct server *server, double now,
                       bool anew)
{
    struct link *link = &server->link;
    if (link->bridges > 0) {
        bridge_share(play, server, now);
        return;
    }
    if (link->flows.count > 0)
        link->pace_s = pace_s(play, link);
    link_plan(play, server, anew);
}

static void begin_flow(struct play *play, struct server *server, uint32_t who,
                       enum what what)
{
    struct link *link = &server->link;
    /* Its worker was not looked at for long. */
    if (what == ANSWER)
        __builtin_prefetch(&play->result->worker[who]);
    struct event flow = {link->passed + bytes_of(play, who, what), who, what};
    if (events_add(&link->flows, flow) != 0)
        play->code = -ENOMEM;
    link->out += link_goes_out(what);
    link->in += !link_goes_out(what);
}

static void enter_link(struct play *play, struct server *server,
                       const struct event *event)
{
    struct link *link = &server->link;
    enum what what = event->what & (PASSING - 1);
    bool first = link->flows.count == 0;
    link_advance(link, event->at);
    if (bridge_is(play, event->who, what)) {
        bridge_begin(play, server, bytes_of(play, event->who, what), event->at,
                     event->who, what);
        return;
    }
    begin_flow(play, server, event->who, what);
    share_link(play, server, event->at, first);
}

/* `server` is the one above. */
void link_arrive(struct play *play, struct server *server,
                 const struct event *event)
{
    if (event->what == ANSWER)
        ask_got(play, (int)event->who, event->at, &play->coming[event->who]);
    else if (event->what == REFILL)
        serve_refill(play, (int)event->who, event->at);
    else if (play->shares)
        order_come(play, server, event);
    else
        serve_come(play, server, event);
}

void link_deliver(struct play *play, const struct event *event)
{
    link_arrive(play, serve_above(play, event->who, event->what), event);
}

static void move_flows(struct play *play, struct server *server, double now)
{
    struct link *link = &server->link;
    /* Times are only so exact. */
    double most = NOTHING + 4 * DBL_EPSILON * now / play->in->costs.byte_s;
    link_advance(link, now);
    while (link->flows.count > 0 &&
           link->flows.event[0].at <= link->passed + most) {
        struct event flow = events_take(&link->flows);
        link->out -= link_goes_out(flow.what);
        link->in -= !link_goes_out(flow.what);
        flow.at = now;
        link_arrive(play, server, &flow);
    }
    if (link->bridges > 0)
        bridge_end(play, server, now);
    share_link(play, server, now, true);
}

void link_happen(struct play *play)
{
    struct server *server = &play->server[play->links.soonest[1]];
    struct link *link = &server->link;
    struct event event = *link_next(play);
    if (event.what == LINK) {
        move_flows(play, server, event.at);
        return;
    }
    bool out = link_goes_out(event.what & (PASSING - 1));
    serve_take_ask(out ? &link->leaving : &link->coming);
    enter_link(play, server, &event);
    set_next(play, server);
}

/* ---- requests set out ---- */

static int rank_of(const struct play *play, uint32_t who, enum what what)
{
    bool worker = what == WORK || what == FINAL;
    return worker ? play->tree->worker_rank[who] : play->tree->master[who].rank;
}

/* Later than those before it. */
static void set_out(struct play *play, struct server *server,
                    const struct ask *ask, double now)
{
    const struct replay_costs *costs = &play->in->costs;
    enum what what = ask->what & (PASSING - 1);
    struct event event = {now + costs->latency_s, ask->who, ask->what};
    int to = play->tree->master[server->first_post].rank;
    order_put(play, &server->order, &(struct ask){now, ask->who, ask->what});
    if (!play_near(play, rank_of(play, ask->who, what), to))
        put_request(play, server, &server->link.coming, &event);
    else
        play_add(play,
                 now + costs->near_s +
                     bytes_of(play, ask->who, what) * costs->byte_s,
                 ask->who, what);
}

void link_enter(struct play *play, const struct event *event)
{
    enum what what = event->what & (PASSING - 1);
    struct server *server = serve_above(play, event->who, what);
    struct link *link = &server->link;
    const struct ask ask = {event->at, event->who, event->what};
    if (link_goes_out(what)) {
        enter_link(play, server, event);
    } else if (link->places == 0) {
        serve_put_ask(play, &link->waiting, ask);
    } else {
        double place_s = link->place[link->first];
        link->places--;
        link->first = (link->first + 1) % RECEIVED;
        set_out(play, server, &ask, play_max(place_s, event->at));
    }
}

void link_served(struct play *play, struct server *server, double now)
{
    struct link *link = &server->link;
    if (link->waiting.count > 0) {
        struct ask ask = serve_take_ask(&link->waiting);
        set_out(play, server, &ask, now);
    } else {
        link->place[(link->first + link->places++) % RECEIVED] = now;
    }
}
