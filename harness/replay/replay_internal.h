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
    WORK,          /* a worker's request has come to its master */
    FINAL,         /* a worker takes its leave */
    REFILL_ASK,    /* a master's request has come to the one above */
    MASTER_FINAL,  /* a master takes its leave */
    REFILL,        /* the answer has come back to the master */
    ANSWER,        /* a worker's answer has come back to it */
    POLL,          /* a rank's first thread looks for requests */
    SERVED,        /* and has served one */
    TURN,          /* a worker with a master here looks ahead */
    END,           /* it has computed a chunk */
    TAKE,          /* it takes the next one */
    LINK,          /* a message is through a link; see struct link */
    WHAT_BITS = 4, /* above them the number of a plan that may be out of date */
    /* A message from a master: its latency is over, and its bytes come now; one
     * to a master: it leaves. */
    PASSING = 1 << WHAT_BITS
};

/* Requests come to a rank so many at a time, as in dlsbench sim
 * (messages/sim/messages_internal.h): the others set out when one has been
 * served. */
enum { RECEIVED = 16 };

/* Messages of harness/transport/master, in bytes; and what SMPI adds to a
 * message, but not to an access to a window. */
enum { REQUEST_BYTES = 48, WORD_BYTES = 8, ENVELOPE_BYTES = 16 };

/* The sender of such a refill waits until it has arrived, as SMPI does
 * (smpi/send-is-detached-thresh), and other MPIs with long messages. */
enum { WAITED_BYTES = 65536 };

/* A scheme that learns: the chunk that runs, and the times of one that was not
 * reported yet. */
struct learned {
    double asked_s, got_s;
    int64_t size; /* 0: none */
    double ran_s, whole_s;
    int64_t reported; /* iterations of it, 0: none */
};

/* Tasks of which each continues the one before. */
struct run {
    struct task first;
    int count;
};

/* A message between a master and the one above, which passes the links of
 * both. */
struct bridge {
    double left; /* bytes, at moved_s */
    double moved_s;
    double pace_s; /* for a byte; 0: no share yet */
    int giver;     /* the server whose link has least for it */
    uint32_t what;
};

/* A master and its request to the one above. */
struct replay_master {
    struct master master;
    int server;             /* of its rank */
    int next;               /* of that server, -1: the last */
    struct run *runs;       /* of tasks on their way to it */
    int count;              /* of these tasks */
    bool coming, arrived;   /* arrived: the asking worker has yet to look */
    int asker;              /* that worker; -1: a rank without workers */
    struct report *reports; /* on their way from it */
    int report_count;
    struct bridge bridge; /* there is one at most */
};

struct ask {
    double at;
    uint32_t who, what;
};

struct asks {
    struct ask *ask; /* a ring of `room` */
    int64_t head, count, room;
};

/* A rank that waits until a refill has come, and why it was sent. */
enum blocked { FREE, BY_REQUEST, BY_REFILL };

enum mode {
    IDLE,      /* waits, and serves at once */
    SERVING,   /* one request */
    COMPUTING, /* a segment of a chunk, and looks now and then */
    BUSY       /* takes a chunk */
};

/* The link of a rank with masters, and the messages that pass it.  Its events
 * are not among the others: there would be as many again, and each would change
 * with every message. */
struct link {
    struct events flows; /* at: passed when the message will be through */
    int64_t in, out;     /* of them */
    struct asks waiting; /* requests not yet sent */
    struct asks coming, leaving; /* whose latency is not over, as they come */
    double place[RECEIVED];      /* when a request can set out: a ring */
    int places, first;
    double passed;  /* bytes of each that was there all the time */
    double moved_s; /* until when */
    double pace_s;  /* for a byte of each */
    double due_s;   /* of its LINK event; INFINITY: none */
    int *bridge;    /* masters whose bridges pass it, above or below */
    int bridges;
    int64_t bridge_room;
    double used[2]; /* of it, by bridges that others slow down: out, in */
    bool shared;    /* all that pass it have their shares */
    bool listed;    /* among those to be shared */
};

/* A request that has set out, and whether it has come. */
struct awaited {
    struct ask ask; /* at: when it set out */
    bool come;
};

/* In this order a rank takes them. */
struct order {
    struct awaited awaited[RECEIVED]; /* a ring */
    int first, count;
};

/* A rank with masters. */
struct server {
    int host; /* the worker that serves; -1: the rank lacks one, or serves no
                 requests */
    int first_master; /* its masters */
    int children;     /* in other ranks that will send one message more */
    int working;      /* its workers in the loop */
    int coming;       /* refills */
    bool asks;        /* a master of it asks one in another rank */
    bool over;
    enum mode mode;
    enum blocked blocked;
    bool polling;     /* it serves between two parts of a chunk */
    bool poll_set;    /* the event is there */
    uint32_t plan;    /* of what the host's events belong to */
    uint32_t segment; /* how the host's segment ends: TURN or END */
    double free_s;    /* without a host: when it will have served all */
    double from_s, left_s;
    struct link link;
    struct order order;  /* where messages share links */
    bool bridged;        /* others also send to it: refills share its link */
    struct asks queue;   /* has come */
    struct asks waiting; /* was served, and waits for a refill */
    int *idle;           /* workers here that wait for a pool */
    int64_t idle_count, idle_room;
};

/* Common to all links. */
struct links {
    int *soonest; /* servers by their links' next events, a tree: [1] is the
                     first of all, under [i] are [2 i] and [2 i + 1], and
                     [servers + s] is s */
    struct event *next; /* of each server; at INFINITY: none */
    int *listed;        /* servers whose links need new shares */
};

struct replayer {
    const struct replay *in;
    const struct tree *tree;
    struct range_units units; /* two schemes */
    struct sched_loop loop;   /* as the root sees it */
    struct sched_table order;
    struct sched sched;
    void *scheme_state;
    bool learns, whole, ticks;
    int64_t ahead; /* iterations before a chunk's end */
    struct events events;
    bool hole; /* the earliest of them has happened and is still there */
    int code;
    struct replay_result *result;
    struct learned *learned; /* of each worker */
    bool shares;             /* messages share the links of masters */
    struct chunk *coming;    /* then, on its way to each worker that asks */
    /* Masters. */
    struct replay_master *masters;
    int servers;
    struct server *server;
    int *server_of; /* of each rank, -1: none */
    struct links links;
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

/* Without a call. */
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

/* Counts a message, and returns how long it travels by itself. */
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

/* A worker has this chunk. */
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

/* When a worker starts. */
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

/* The worker asks a master in its own rank. */
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

/* replay_serve.c: the rank above one who asks or is answered; a request has
 * come, is put into a list and taken out of it, is served; the
 * answer to a master has come; what this worker has asked for and nobody has
 * looked at is there, and is taken; requests to those above leave, by `asker`;
 * the rank may have ended. */
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

/* replay_refill.c: tasks leave for a master (false: no memory), and come to
 * it. */
bool refill_pack(struct replay_master *below, const struct task *tasks,
                 int count);
void refill_unpack(struct replay_master *below, struct task *tasks);

/* replay_order.c: a request sets out; it has come, and those whose turn it is
 * are taken. */
void order_put(struct replayer *rp, struct order *order, const struct ask *ask);
void order_come(struct replayer *rp, struct server *server,
                const struct event *event);

/* replay_link.c. link_next: the links' first event, at INFINITY: none;
 * link_happen: it happens. link_send: a message leaves; its arrival is `what`.
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

/* replay_bridge.c: whether this message passes the links of two ranks; it
 * begins, at the upper one; those that end here now do so; when the first of
 * a link's bridges will be through (INFINITY: there are none); and all that
 * share links with this one get new shares.  By replay_link.c: a link's
 * messages have moved on until now; its next event is another one; whether a
 * message leaves the upper rank; it has arrived. */
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

/* replay_host.c: the host computes for so long, which ends with END or TURN;
 * that has ended; it looks for requests, and when it will look next; one is
 * served; it waits, and serves what is there. */
void serve_segment(struct replayer *rp, struct server *server, double now,
                   double seconds, uint32_t ends);
void serve_end_segment(struct replayer *rp, struct server *server, double now);
void serve_polled(struct replayer *rp, struct server *server, double now);
void serve_set_poll(struct replayer *rp, struct server *server, double now);
void serve_served(struct replayer *rp, struct server *server, double now);
void serve_go_on(struct replayer *rp, struct server *server, double now);

/* replay_ask.c: a worker's first request; its report to the master, and its
 * answer, size 0: there is nothing left; that has come. */
void ask_start(struct replayer *rp, int worker);
void ask_report(struct replayer *rp, int worker, struct master *master);
void ask_answer(struct replayer *rp, int worker, double now,
                const struct chunk *chunk);
void ask_got(struct replayer *rp, int worker, double now,
             const struct chunk *chunk);

/* replay_hosted.c: the same for one with a master in its rank; and what it does
 * at its events; who waits tries again. */
void hosted_start(struct replayer *rp, int worker);
void hosted_turn(struct replayer *rp, int worker, double now);
void hosted_end(struct replayer *rp, int worker, double now);
void hosted_take(struct replayer *rp, int worker, double now);
void hosted_wake(struct replayer *rp, struct server *server, int asker,
                 double now);
bool hosted_waits(const struct server *server, int worker);

#endif
