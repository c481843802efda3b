/* The parts of a replay, for the files replay*.c only.
 *
 * replay.c opens, checks and closes; replay_count.c replays counters;
 * replay_servers.c opens the ranks with masters, replay_serve.c is their
 * serving, replay_host.c that of workers who compute beside it; replay_ask.c is
 * the workers below masters in other ranks, replay_hosted.c those in a master's
 * own rank; replay_link.c lets refills share the link of the rank that sends
 * them. */
#ifndef HARNESS_REPLAY_REPLAY_PARTS_H
#define HARNESS_REPLAY_REPLAY_PARTS_H

#include "harness/replay/events.h"
#include "harness/replay/replay.h"
#include "harness/transport/master/master.h"

/* What happens, and to whom. */
enum what {
    WORK,         /* a worker's request has come to its master */
    FINAL,        /* a worker takes its leave */
    REFILL_ASK,   /* a master's request has come to the one above */
    MASTER_FINAL, /* a master takes its leave */
    REFILL,       /* the answer has come back to the master */
    POLL,         /* a rank's first thread looks for requests */
    SERVED,       /* and has served one */
    TURN,         /* a worker with a master here looks ahead */
    END,          /* it has computed a chunk */
    TAKE,         /* it takes the next one */
    LINK,         /* a refill has left the rank that sends it */
    WHAT_BITS = 4 /* above them the number of a plan that may be out of date */
};

/* Messages of harness/transport/master, in bytes; and what SMPI adds to a
 * message, but not to an access to a window. */
enum { REQUEST_BYTES = 48, WORD_BYTES = 8, ENVELOPE_BYTES = 16 };

/* A scheme that learns: the chunk that runs, and the times of one that was not
 * told yet. */
struct learned {
    double asked_s, got_s;
    int64_t size; /* 0: none */
    double ran_s, whole_s;
    int64_t told; /* iterations of it, 0: none */
};

/* A master and its request to the one above. */
struct post {
    struct master master;
    int server;         /* of its rank */
    int next;           /* of that server, -1: the last */
    struct task *tasks; /* on their way to it */
    int count;
    bool coming, arrived; /* arrived: who has asked has not looked yet */
    int asker;            /* that worker; -1: a rank without workers */
    struct report *told;  /* on their way from it */
    int told_count;
};

struct ask {
    double at;
    uint32_t who, what;
};

struct asks {
    struct ask *ask; /* a ring of `room` */
    int64_t head, count, room;
};

enum mode {
    IDLE,      /* waits, and serves at once */
    SERVING,   /* one request */
    COMPUTING, /* a segment of a chunk, and looks now and then */
    BUSY       /* takes a chunk */
};

/* A refill that shares its sender's link with others. */
struct flow {
    double left; /* bytes */
    int master;  /* to it */
};

struct link {
    struct flow *flow;
    int64_t count, room;
    double moved_s; /* until when they are counted */
    uint32_t plan;  /* of the LINK event that counts */
};

/* A rank with masters. */
struct server {
    int host;       /* the worker that serves; -1: the rank has none, or serves
                       nobody */
    int first_post; /* its masters */
    int children;   /* in other ranks that will send one message more */
    int working;    /* its workers in the loop */
    int coming;     /* refills */
    bool asks;      /* a master of it asks one in another rank */
    bool over;
    enum mode mode;
    bool polling;     /* it serves between two parts of a chunk */
    bool poll_set;    /* the event is there */
    uint32_t plan;    /* of what the host's events belong to */
    uint32_t segment; /* how the host's segment ends: TURN or END */
    double free_s;    /* without a host: when it will have served all */
    double from_s, left_s;
    double burst_s; /* above 0: many answers leave together until then */
    struct link link;
    struct asks queue;   /* has come */
    struct asks waiting; /* was served, and waits for a refill */
    int *idle;           /* workers here that wait for a pool */
    int64_t idle_count, idle_room;
};

struct play {
    const struct replay *in;
    const struct tree *tree;
    struct range_units units; /* two schemes */
    struct sched_loop loop;   /* as the root sees it */
    struct sched_table order;
    struct sched sched;
    void *state;
    bool learns, whole, ticks;
    int64_t ahead; /* iterations before a chunk's end */
    struct events events;
    bool hole; /* the earliest event has happened and is still there */
    int code;
    struct replay_result *result;
    struct learned *learned; /* of each worker */
    double *rest_s;          /* of a chunk after its TURN, of each worker */
    /* Masters. */
    struct post *post;
    int servers;
    struct server *server;
    int *server_of; /* of each rank, -1: none */
    struct task *tasks;
    struct report *reports;
};

static inline void play_add(struct play *play, double at, uint32_t who,
                            uint32_t what)
{
    struct event event = {at, who, what};
    int code = 0;
    if (play->hole)
        events_replace(&play->events, event);
    else
        code = events_add(&play->events, event);
    play->hole = false;
    if (code != 0)
        play->code = code;
}

/* Of a worker's chunk. */
static inline double play_compute_s(const struct play *play, int worker,
                                    int64_t start, int64_t size)
{
    const double *before = play->in->before, *power = play->in->power;
    double seconds = before[start + size] - before[start];
    return power != NULL ? seconds / power[worker] : seconds;
}

static inline bool play_near(const struct play *play, int from, int to)
{
    int node = play->in->node_ranks;
    return node > 0 ? from / node == to / node : from == to;
}

/* Counts a message, and returns how long it travels. */
static inline double play_way_s(struct play *play, int from, int to,
                                double bytes)
{
    const struct replay_costs *costs = &play->in->costs;
    bool near = play_near(play, from, to);
    play->result->messages++;
    play->result->bytes += bytes;
    if (play->in->kind == REPLAY_MASTERS)
        bytes += ENVELOPE_BYTES;
    return (near ? costs->near_s : costs->latency_s) + bytes * costs->byte_s;
}

/* A worker has this chunk. */
static inline void play_hand(struct play *play, int worker,
                             const struct chunk *chunk, double at,
                             double compute_s)
{
    struct replay_worker *w = &play->result->worker[worker];
    w->compute_s += compute_s;
    w->chunks++;
    if (play->in->handed != NULL)
        play->in->handed(play->in->arg, worker, chunk, at, compute_s);
}

/* When a worker starts. */
static inline double play_start_s(const struct play *play, int worker)
{
    int master = play->tree->worker_master[worker];
    return (worker - play->tree->master[master].first_worker) *
           play->in->costs.apart_s;
}

static inline struct server *play_server(const struct play *play, int rank)
{
    int server = play->server_of[rank];
    return server >= 0 ? &play->server[server] : NULL;
}

/* The worker asks a master in its own rank. */
static inline bool play_hosted(const struct play *play, int worker)
{
    int master = play->tree->worker_master[worker];
    return play->tree->master[master].rank == play->tree->worker_rank[worker];
}

/* replay_count.c */
int count_run(struct play *play);

/* replay_servers.c */
int serve_open(struct play *play, struct error *err);
void serve_close(struct play *play);

/* replay_serve.c: a request has come, is taken out of a list, is served; the
 * answer to a master has come; what this worker has asked for and nobody has
 * looked at is there, and is taken; requests to those above leave, by `asker`;
 * the rank may have ended. */
void serve_come(struct play *play, const struct event *event);
struct ask serve_take_ask(struct asks *asks);
void serve_handle(struct play *play, struct server *server,
                  const struct ask *ask, double now);
void serve_refill(struct play *play, int master, double now);
bool serve_has_arrived(const struct play *play, const struct server *server);
void serve_arrived(struct play *play, struct server *server, double now,
                   int asker);
void serve_follow_up(struct play *play, struct server *server, double now,
                     int asker);
void serve_check(struct play *play, struct server *server, double now);

/* replay_link.c: a refill leaves; one may have left by now. */
void link_send(struct play *play, struct server *server, int master,
               double bytes, double now);
void link_move(struct play *play, struct server *server, double now);

/* replay_host.c: the host computes for so long, which ends with END or TURN;
 * that has ended; it looks for requests, and when it will look next; one is
 * served; it waits, and serves what is there. */
void serve_segment(struct play *play, struct server *server, double now,
                   double seconds, uint32_t ends);
void serve_end_segment(struct play *play, struct server *server, double now);
void serve_polled(struct play *play, struct server *server, double now);
void serve_set_poll(struct play *play, struct server *server, double now);
void serve_served(struct play *play, struct server *server, double now);
void serve_go_on(struct play *play, struct server *server, double now);

/* replay_ask.c: a worker's first request; its report to the master, and its
 * answer, size 0: there is nothing left. */
void ask_start(struct play *play, int worker);
void ask_tell(struct play *play, int worker, struct master *master);
void ask_answer(struct play *play, int worker, double now,
                const struct chunk *chunk);

/* replay_hosted.c: the same for one with a master in its rank; and what it does
 * at its events; who waits tries again. */
void hosted_start(struct play *play, int worker);
void hosted_turn(struct play *play, int worker, double now);
void hosted_end(struct play *play, int worker, double now);
void hosted_take(struct play *play, int worker, double now);
void hosted_wake(struct play *play, struct server *server, int asker,
                 double now);
bool hosted_waits(const struct server *server, int worker);

#endif
