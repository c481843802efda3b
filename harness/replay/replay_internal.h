/* A replay: replay.c opens, checks and closes; replay_count.c replays counters.
 * replay_servers.c opens the ranks with masters; replay_serve.c serves
 * requests, replay_host.c for hosts that also compute.  Workers below a remote
 * master are in replay_ask.c, those in a master's rank in replay_hosted.c.
 * replay_refill.c moves tasks between masters.  replay_link.c lets messages
 * share the link of a rank with masters, replay_order.c orders their receipt.
 * replay_bridge.c shares two such links among the messages between them. */
#ifndef HARNESS_REPLAY_REPLAY_INTERNAL_H
#define HARNESS_REPLAY_REPLAY_INTERNAL_H

#include "harness/replay/events.h"
#include "harness/replay/replay.h"
#include "harness/transport/master/master.h"

/* The kinds of events. */
enum what {
    WORK,          /* a worker's request has arrived at its master */
    FINAL,         /* a worker leaves */
    REFILL_ASK,    /* a master's request has arrived at the one above */
    MASTER_FINAL,  /* a master leaves */
    REFILL,        /* the answer has arrived at the master */
    ANSWER,        /* the answer has arrived at the worker */
    POLL,          /* a rank's first worker looks for requests */
    SERVED,        /* it has served one */
    TURN,          /* a worker with a master in its rank may request early */
    END,           /* it has computed a chunk */
    TAKE,          /* it takes the next one */
    LINK,          /* a link's message is complete; see struct link */
    WHAT_BITS = 4, /* above them the number of a plan, which may be obsolete */
    /* From a master: the message's latency is over, and its bytes follow.  To a
     * master: the message leaves. */
    PASSING = 1 << WHAT_BITS
};

/* At most so many requests are on their way to a rank, as in dlsbench sim
 * (messages/sim/messages_internal.h); the next departs when one was served. */
enum { RECEIVED = 16 };

/* Messages of harness/transport/master, in bytes; and the bytes that SMPI adds
 * to messages, but not to window accesses. */
enum { REQUEST_BYTES = 48, WORD_BYTES = 8, ENVELOPE_BYTES = 16 };

/* The sender of such a refill waits for its arrival, as SMPI does
 * (smpi/send-is-detached-thresh), and other MPIs with long messages. */
enum { WAITED_BYTES = 65536 };

/* For schemes that learn: the running chunk, and the times of a chunk not
 * reported yet. */
struct learned {
    double asked_s, got_s;
    int64_t size; /* 0: none */
    double ran_s, whole_s;
    int64_t reported; /* iterations of that chunk, 0: none */
};

/* Consecutive tasks: each continues the one before. */
struct series {
    struct task first;
    int count;
};

/* A message between a master and the one above that uses the links of both. */
struct bridge {
    double left; /* bytes, at moved_s */
    double moved_s;
    double pace_s; /* seconds per byte; 0: no share yet */
    int giver;     /* the server whose link limits its share */
    uint32_t what;
};

/* A master and its request to the one above. */
struct replay_master {
    struct master master;
    int server;             /* of its rank */
    int next;               /* next master of that server, -1: none */
    struct series *runs;    /* of tasks on their way to it */
    int count;              /* of these tasks */
    bool coming, arrived;   /* arrived: but the asking worker has not looked */
    int asker;              /* that worker; -1: a rank without workers */
    struct report *reports; /* on their way from it */
    int report_count;
    struct bridge bridge; /* there is at most one */
};

struct ask {
    double at;
    uint32_t who, what;
};

struct asks {
    struct ask *ask; /* a ring of `room` */
    int64_t head, count, room;
};

/* A rank that waits until a refill has arrived, and why it sent it. */
enum blocked { FREE, BY_REQUEST, BY_REFILL };

enum mode {
    IDLE,      /* waits, and serves at once */
    SERVING,   /* serves one request */
    COMPUTING, /* computes a segment of a chunk, and polls */
    BUSY       /* takes a chunk */
};

/* The link of a rank with masters, and the messages on it.  Its events are in a
 * separate list: they would double the others, and each would change with every
 * message. */
struct link {
    struct events flows; /* at: `passed` when the message will be complete */
    int64_t in, out;     /* messages in `flows`, by direction */
    struct asks waiting; /* requests not yet sent */
    struct asks coming, leaving; /* in their latency, in order of arrival */
    double place[RECEIVED];      /* when a request can depart: a ring */
    int places, first;
    double passed;  /* bytes that a message present all the time has sent */
    double moved_s; /* the time of `passed` */
    double pace_s;  /* seconds per byte, for each message */
    double due_s;   /* of its LINK event; INFINITY: none */
    int *bridge;    /* masters whose bridges use it, on either end */
    int bridges;
    int64_t bridge_room;
    double used[2]; /* share of it used by bridges limited elsewhere: out, in */
    bool shared;    /* all its messages have their shares */
    bool listed;    /* it is in links.listed */
};

/* A request that has departed. */
struct awaited {
    struct ask ask; /* at: when it departed */
    bool come;
};

/* A rank takes requests in order of departure. */
struct inbox {
    struct awaited awaited[RECEIVED]; /* a ring */
    int first, count;
};

/* A rank with masters. */
struct server {
    int host;         /* the worker that serves; -1: none, or the rank serves no
                         requests */
    int first_master; /* the first of its masters */
    int children;     /* in other ranks that will send one more message */
    int working;      /* its workers still in the loop */
    int coming;       /* refills on their way */
    bool asks;        /* one of its masters asks another rank */
    bool over;
    enum mode mode;
    enum blocked blocked;
    bool polling;     /* it serves between two parts of a chunk */
    bool poll_set;    /* its POLL event is in the list */
    uint32_t plan;    /* number of the host's current plan */
    uint32_t segment; /* event that ends the host's segment: TURN or END */
    double free_s;    /* without a host: when all requests are served */
    double from_s, left_s;
    struct link link;
    struct inbox order;  /* if messages share links */
    bool bridged;        /* others also send to it: refills share its link */
    struct asks queue;   /* arrived requests */
    struct asks waiting; /* served requests that wait for a refill */
    int *idle;           /* workers here that wait for a pool */
    int64_t idle_count, idle_room;
};

/* Common to all links. */
struct link_queue {
    int *soonest; /* a tree of servers by their links' next events: [1] is the
                     first of all, below [i] are [2 i] and [2 i + 1], and
                     [servers + s] is s */
    struct event *next; /* of each server; at INFINITY: none */
    int *listed;        /* servers whose links need new shares */
};

struct replayer {
    const struct replay *in;
    const struct tree *tree;
    struct range_units units; /* two schemes */
    struct sched_loop loop;   /* for the root's scheme */
    struct sched_table order;
    struct sched sched;
    void *scheme_state;
    bool learns, whole, ticks;
    int64_t ahead; /* iterations before a chunk's end */
    struct events events;
    bool hole; /* the earliest event has happened, but is still in the list */
    int code;
    struct replay_result *result;
    struct learned *learned; /* one for each worker */
    bool shares;             /* messages share the links of masters */
    struct chunk *coming;    /* then, by asking worker: its chunk on the way */
    /* Masters. */
    struct replay_master *masters;
    int servers;
    struct server *server;
    int *server_of; /* by rank, -1: none */
    struct link_queue links;
    struct task *tasks;
    struct report *reports;
};

static inline void replay_add(struct replayer *rp, double at, uint32_t who,
                              uint32_t what)
{
    struct event event = {at, who, what};
    int code = 0;
    if (rp->hole)
        events_replace(&rp->events, event);
    else
        code = events_add(&rp->events, event);
    rp->hole = false;
    if (code != 0)
        rp->code = code;
}

/* Inlined, unlike fmax. */
static inline double replay_max(double a, double b)
{
    return a > b ? a : b;
}

/* The time of a worker's chunk. */
static inline double replay_compute_s(const struct replayer *rp, int worker,
                                      int64_t start, int64_t size)
{
    const double *before = rp->in->before, *power = rp->in->power;
    double seconds = before[start + size] - before[start];
    return power != NULL ? seconds / power[worker] : seconds;
}

static inline bool replay_near(const struct replayer *rp, int from, int to)
{
    int node = rp->in->node_ranks;
    return node > 0 ? from / node == to / node : from == to;
}

/* Counts a message, and returns its travel time on an unshared link. */
static inline double replay_pass_s(struct replayer *rp, bool near, double bytes)
{
    const struct replay_costs *costs = &rp->in->costs;
    rp->result->messages++;
    rp->result->bytes += bytes;
    if (rp->in->kind == REPLAY_MASTERS)
        bytes += ENVELOPE_BYTES;
    return (near ? costs->near_s : costs->latency_s) + bytes * costs->byte_s;
}

static inline double replay_message_s(struct replayer *rp, int from, int to,
                                      double bytes)
{
    return replay_pass_s(rp, replay_near(rp, from, to), bytes);
}

/* Whether a message shares a link with others. */
static inline bool replay_shares(const struct replayer *rp, int from, int to)
{
    return rp->shares && !replay_near(rp, from, to);
}

/* Records that a worker gets this chunk. */
static inline void replay_hand_out(struct replayer *rp, int worker,
                                   const struct chunk *chunk, double at,
                                   double compute_s)
{
    struct replay_worker *w = &rp->result->worker[worker];
    w->compute_s += compute_s;
    w->chunks++;
    if (rp->in->handed != NULL)
        rp->in->handed(rp->in->arg, worker, chunk, at, compute_s);
}

/* When a worker sends its first request. */
static inline double replay_start_s(const struct replayer *rp, int worker)
{
    int master = rp->tree->worker_master[worker];
    return (worker - rp->tree->master[master].first_worker) *
           rp->in->costs.apart_s;
}

static inline struct server *replay_server(const struct replayer *rp, int rank)
{
    int server = rp->server_of[rank];
    return server >= 0 ? &rp->server[server] : NULL;
}

/* Whether the worker asks a master in its own rank. */
static inline bool replay_hosted(const struct replayer *rp, int worker)
{
    int master = rp->tree->worker_master[worker];
    return rp->tree->master[master].rank == rp->tree->worker_rank[worker];
}

/* replay_count.c */
int count_run(struct replayer *rp);

/* replay_servers.c */
int serve_open(struct replayer *rp, struct error *err);
void serve_close(struct replayer *rp);

/* replay_serve.c. serve_above: the rank above a sender or receiver. serve_come:
 * a request has arrived. serve_put_ask, serve_take_ask: lists of them.
 * serve_handle: serves one. serve_refill: a master's answer is here.
 * serve_has_arrived, serve_arrived: answers not looked at. serve_follow_up:
 * `asker` sends requests up. serve_check: the rank may have ended. */
struct server *serve_above(const struct replayer *rp, uint32_t who,
                           enum what what);
void serve_come(struct replayer *rp, struct server *server,
                const struct event *event);
void serve_put_ask(struct replayer *rp, struct asks *asks, struct ask ask);
struct ask serve_take_ask(struct asks *asks);
void serve_handle(struct replayer *rp, struct server *server,
                  const struct ask *ask, double now);
void serve_refill(struct replayer *rp, int master, double now);
bool serve_has_arrived(const struct replayer *rp, const struct server *server);
void serve_arrived(struct replayer *rp, struct server *server, double now,
                   int asker);
void serve_follow_up(struct replayer *rp, struct server *server, double now,
                     int asker);
void serve_check(struct replayer *rp, struct server *server, double now);
/* After a request: answers and further requests leave, others are served. */
void serve_after(struct replayer *rp, struct server *server, double now);

/* replay_refill.c: tasks leave for a master (false: out of memory), and arrive
 * there. */
bool refill_pack(struct replay_master *below, const struct task *tasks,
                 int count);
void refill_unpack(struct replay_master *below, struct task *tasks);

/* replay_order.c: a request departs; it has arrived, and those whose turn it is
 * are taken. */
void order_put(struct replayer *rp, struct inbox *order, const struct ask *ask);
void order_come(struct replayer *rp, struct server *server,
                const struct event *event);

/* replay_link.c. link_next: the links' first event, at INFINITY: none;
 * link_happen: handles it. link_send: a message leaves; its arrival is `what`.
 * link_enter: a PASSING message continues. link_served: a request was served.
 * link_deliver: handles an arrival. */
int link_open(struct replayer *rp);
void link_close(struct replayer *rp);
const struct event *link_next(const struct replayer *rp);
void link_send(struct replayer *rp, int from, int to, double bytes, double now,
               uint32_t who, enum what what);
void link_happen(struct replayer *rp);
void link_enter(struct replayer *rp, const struct event *event);
void link_served(struct replayer *rp, struct server *server, double now);
void link_deliver(struct replayer *rp, const struct event *event);

/* replay_bridge.c. bridge_is: the message uses the links of two ranks.
 * bridge_begin: it begins, at the upper one. bridge_end: ends complete ones.
 * bridge_due_s: when a link's first bridge will end (INFINITY: none).
 * bridge_share: new shares for all joined links. replay_link.c. link_advance:
 * updates a link to now. link_plan: sets its next event. link_goes_out: a
 * message leaves the upper rank. link_arrive: it has arrived. */
bool bridge_is(const struct replayer *rp, uint32_t who, enum what what);
void bridge_begin(struct replayer *rp, struct server *server, double bytes,
                  double now, uint32_t who, enum what what);
void bridge_end(struct replayer *rp, struct server *server, double now);
double bridge_due_s(const struct replayer *rp, const struct server *server);
void bridge_share(struct replayer *rp, struct server *server, double now);
void link_advance(struct link *link, double now);
void link_plan(struct replayer *rp, struct server *server, bool anew);
bool link_goes_out(enum what what);
void link_arrive(struct replayer *rp, struct server *server,
                 const struct event *event);

/* replay_host.c: the host computes for `seconds`, until END or TURN; the
 * segment has ended; it looks for requests; the time of its next look; one is
 * served; if it waits, it serves the next. */
void serve_segment(struct replayer *rp, struct server *server, double now,
                   double seconds, uint32_t ends);
void serve_end_segment(struct replayer *rp, struct server *server, double now);
void serve_polled(struct replayer *rp, struct server *server, double now);
void serve_set_poll(struct replayer *rp, struct server *server, double now);
void serve_served(struct replayer *rp, struct server *server, double now);
void serve_go_on(struct replayer *rp, struct server *server, double now);

/* replay_ask.c: a worker's first request; its report to the master; its answer
 * (size 0: nothing is left); the answer has arrived. */
void ask_start(struct replayer *rp, int worker);
void ask_report(struct replayer *rp, int worker, struct master *master);
void ask_answer(struct replayer *rp, int worker, double now,
                const struct chunk *chunk);
void ask_got(struct replayer *rp, int worker, double now,
             const struct chunk *chunk);

/* replay_hosted.c: a worker with a master in its rank: its first request and
 * its events; waiting workers try again. */
void hosted_start(struct replayer *rp, int worker);
void hosted_turn(struct replayer *rp, int worker, double now);
void hosted_end(struct replayer *rp, int worker, double now);
void hosted_take(struct replayer *rp, int worker, double now);
void hosted_wake(struct replayer *rp, struct server *server, int asker,
                 double now);
bool hosted_waits(const struct server *server, int worker);

#endif
