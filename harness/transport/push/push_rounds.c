/* Rounds that the master plans during the loop (replan): each when its first
 * message can be sent, from the time of each worker's last finished chunk.  A
 * computing master begins its part when it has no chunk left. */
#include "harness/transport/push/push.h"

#include "harness/process/need.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { PUSH_TIME = 3, PUSH_CHUNK = 4, MASTER = 0 };

/* Chunks of a worker that may end while the master waits for its port. */
enum { REPORTS = 3 };

/* A chunk's time, from its worker. */
struct took {
    int64_t worker, size;
    double since_s, until_s;
};

static bool master_here(const struct push *push)
{
    return push->setup.comm->rank == MASTER;
}

static bool computes_here(const struct push *push, int worker)
{
    return push->setup.tree->worker_rank[worker] == MASTER;
}

int push_rounds_open(struct push *push)
{
    struct push_rounds *rounds = &push->rounds;
    int workers = push->setup.tree->workers;
    bool master = master_here(push);
    const struct mailbox_setup box = {.comm = push->setup.comm,
                                      .from = master ? MPI_ANY_SOURCE : MASTER,
                                      .tag = master ? PUSH_TIME : PUSH_CHUNK,
                                      .posted = master ? REPORTS * workers : 2,
                                      .count = master ? sizeof(struct took)
                                                      : sizeof(struct chunk)};
    if (master)
        rounds->sent = calloc((size_t)workers, sizeof(*rounds->sent));
    if (master && rounds->sent == NULL)
        return -ENOMEM;
    return mailbox_open(&rounds->box, &box);
}

static void close_rounds(struct push_rounds *rounds)
{
    if (rounds->open)
        divisible_rounds_close(&rounds->left);
    rounds->open = false;
}

void push_rounds_close(struct push *push)
{
    struct push_rounds *rounds = &push->rounds;
    close_rounds(rounds);
    mailbox_close(&rounds->box);
    free(rounds->list);
    free(rounds->sent);
    *rounds = (struct push_rounds){.open = false};
}

void push_rounds_reset(struct push *push)
{
    const struct push_replan *replan = push->setup.replan;
    struct push_rounds *rounds = &push->rounds;
    mailbox_reset(&rounds->box);
    push->list = NULL;
    push->count = 0;
    if (!master_here(push))
        return;
    close_rounds(rounds);
    rounds->load = 0;
    rounds->units = 0;
    rounds->messages = 0;
    for (int i = 0; i < replan->platform.workers; i++)
        rounds->sent[i] = (struct push_worker_count){0, 0};
    rounds->open = true;
    if (divisible_rounds_open(&rounds->left, &replan->platform,
                              (double)replan->iterations, &replan->periods,
                              NULL) != 0)
        need_failed();
}

/* ---- the master ---- */

static void see_chunk(struct push *push, const struct took *took)
{
    int worker = (int)took->worker;
    push->rounds.sent[worker].done++;
    divisible_rounds_see(&push->rounds.left, worker, (double)took->size,
                         took->since_s, took->until_s);
}

static void see_all(struct push *push)
{
    const struct took *took;
    struct mailbox *box = &push->rounds.box;
    mailbox_post(box, box->room);
    while ((took = mailbox_take(box)) != NULL) {
        see_chunk(push, took);
        mailbox_post(box, box->room);
    }
}

/* Waits for one more. */
static void see_next(struct push *push)
{
    struct mailbox *box = &push->rounds.box;
    mailbox_post(box, box->room);
    comm_wait(push->setup.comm, &push->setup.patience, mailbox_oldest(box));
    see_all(push);
}

/* Whether the worker of the first message of a round can take it: it has
 * finished all chunks or, with overlap, has begun the last. */
static bool first_ready(const struct push *push)
{
    int first = divisible_rounds_first(&push->rounds.left);
    const struct push_worker_count *count = &push->rounds.sent[first];
    return count->done + push->setup.overlap >= count->sent;
}

static void put_chunk(struct push *push, int worker, int64_t size)
{
    struct push_rounds *rounds = &push->rounds;
    need_room(&rounds->list, &rounds->room, push->count + 1,
              sizeof(*rounds->list));
    struct push_chunk *c = &rounds->list[push->count];
    *c = (struct push_chunk){worker, {rounds->units, size, push->count}};
    push->list = rounds->list;
    push->count++;
    rounds->units += size;
    rounds->sent[worker].sent++;
    if (computes_here(push, worker))
        return;
    rounds->messages++;
    mailbox_send_short(&push->box, &c->chunk, sizeof(c->chunk),
                       push->setup.tree->worker_rank[worker], PUSH_CHUNK);
    push_await(push, c);
    push_send(push, c);
}

/* Rounds sums of loads, not loads, so that all iterations are handed out. */
static void plan_round(struct push *push)
{
    struct push_rounds *rounds = &push->rounds;
    struct divisible_plan plan = {0};
    if (divisible_rounds_next(&rounds->left, &plan, NULL) != 0)
        need_failed();
    bool last = !(rounds->left.left > 0);
    rounds->messages = 0;
    for (int64_t n = 0; n < plan.chunks; n++) {
        rounds->load += plan.chunk[n].load;
        int64_t upto = last && n + 1 == plan.chunks
                           ? push->setup.replan->iterations
                           : llround(rounds->load);
        if (upto > rounds->units)
            put_chunk(push, plan.chunk[n].worker, upto - rounds->units);
    }
    divisible_plan_free(&plan);
    if (last) {
        const struct chunk none = {.size = 0};
        for (int i = 0; i < push->setup.tree->workers; i++)
            if (!computes_here(push, i))
                mailbox_send_short(&push->box, &none, sizeof(none),
                                   push->setup.tree->worker_rank[i],
                                   PUSH_CHUNK);
    }
}

void push_rounds_go_on(struct push *push)
{
    see_all(push);
    while (push->rounds.left.left > 0 && first_ready(push) &&
           push->port.sending == MPI_REQUEST_NULL)
        plan_round(push);
}

void push_rounds_next(struct push *push, bool idle)
{
    const struct push_setup *s = &push->setup;
    struct port *port = &push->port;
    int64_t most = idle ? push->rounds.messages : 0;
    while (port->count > most || (!idle && port->sending != MPI_REQUEST_NULL)) {
        comm_wait(s->comm, &s->patience, &port->sending);
        port_go_on(port);
    }
    see_all(push);
    while (!idle && !first_ready(push))
        see_next(push);
    plan_round(push);
}

void push_rounds_finish(struct push *push)
{
    const struct push_rounds *rounds = &push->rounds;
    if (!master_here(push))
        return;
    while (rounds->left.left > 0)
        push_rounds_next(push, false);
    port_drain(&push->port, &push->setup.patience);
    for (int i = 0; i < push->setup.tree->workers; i++)
        while (rounds->sent[i].done < rounds->sent[i].sent)
            see_next(push);
    mailbox_withdraw(&push->rounds.box);
}

/* ---- workers ---- */

void push_rounds_add(struct push *push, int worker, const struct chunk *chunk,
                     double since_s)
{
    const struct took took = {worker, chunk->size, since_s, engine_now()};
    if (computes_here(push, worker))
        see_chunk(push, &took);
    else
        mailbox_send_short(&push->box, &took, sizeof(took), MASTER, PUSH_TIME);
}

bool push_rounds_take(struct push *push, struct source *source,
                      struct chunk *chunk)
{
    struct mailbox *box = &push->rounds.box;
    mailbox_post(box, box->room);
    if (!mailbox_has_come(box)) {
        double since = source_wait(source);
        comm_wait(push->setup.comm, &push->setup.patience, mailbox_oldest(box));
        source_go_on(source, since);
    }
    *chunk = *(const struct chunk *)mailbox_take(box);
    if (chunk->size > 0)
        return true;
    mailbox_withdraw(box);
    mailbox_withdraw(&push->landing.box);
    return false;
}
