/* The master queues all messages of the plan at its port at once.  A worker
 * posts landings for its next chunks, takes the oldest, and sends its results
 * when the chunk has ended. */
#include "harness/transport/push/push.h"

#include <errno.h>

enum { PUSH_DATA = 1, PUSH_RESULT = 2, MASTER = 0 };

static bool master_here(const struct push *push)
{
    return push->setup.comm->rank == MASTER;
}

static int rank_of(const struct push *push, const struct push_chunk *c)
{
    return push->setup.tree->worker_rank[c->worker];
}

bool push_collects(const struct push *push, const struct push_chunk *chunk)
{
    return push->setup.collect && rank_of(push, chunk) != MASTER;
}

/* ---- opening and closing ---- */

/* With replan one chunk at most waits at a worker. */
static int count_landings(const struct push_setup *setup)
{
    if (!setup->overlap)
        return 1;
    return setup->replan != NULL ? 2 : LANDINGS;
}

/* Results that travel from here or to here, and data from here. */
static int open_messages(struct push *push)
{
    const struct push_setup *s = &push->setup;
    struct mailbox_setup box = {.comm = s->comm};
    /* At most two chunks of replanned rounds wait at a time. */
    int64_t sent = s->replan != NULL ? 2 * s->tree->workers : 0;
    for (int64_t i = 0; s->replan == NULL && i < s->count; i++) {
        const struct push_chunk *c = &s->list[i];
        bool here = rank_of(push, c) == s->comm->rank;
        push->chunks += here;
        sent += rank_of(push, c) != MASTER;
        box.requests += push_collects(push, c) && (master_here(push) || here);
    }
    int code = mailbox_open(&push->box, &box);
    if (code == 0)
        code = port_open(&push->port, &push->box, s->input,
                         master_here(push) ? sent : 0);
    if (code == 0)
        code = landing_open(&push->landing, s->comm, s->input, MASTER,
                            PUSH_DATA, count_landings(s));
    if (code == 0 && s->replan != NULL)
        code = push_rounds_open(push);
    return code;
}

int push_open(struct push *push, const struct push_setup *setup,
              struct error *err)
{
    *push = (struct push){.setup = *setup,
                          .iteration = MPI_DATATYPE_NULL,
                          .list = setup->list,
                          .count = setup->count};
    push->setup.collect = setup->collect && setup->output_bytes > 0;
    if (open_messages(push) != 0) {
        push_close(push);
        return error_set(err, ENOMEM, "out of memory for %lld chunks",
                         (long long)setup->count);
    }
    if (push->setup.collect) {
        MPI_Type_contiguous((int)setup->output_bytes, MPI_BYTE,
                            &push->iteration);
        MPI_Type_commit(&push->iteration);
    }
    return 0;
}

void push_close(struct push *push)
{
    if (push->iteration != MPI_DATATYPE_NULL)
        MPI_Type_free(&push->iteration);
    push_rounds_close(push);
    landing_close(&push->landing);
    port_close(&push->port);
    mailbox_close(&push->box);
}

void push_reset(struct push *push)
{
    mailbox_reset(&push->box);
    port_reset(&push->port);
    landing_reset(&push->landing);
    push->begun = false;
    if (push->setup.replan != NULL)
        push_rounds_reset(push);
}

/* ---- the master ---- */

void push_await(struct push *push, const struct push_chunk *c)
{
    const struct push_setup *s = &push->setup;
    if (!push_collects(push, c))
        return;
    char *to = (char *)s->inbox + (size_t)c->chunk.start * s->output_bytes;
    MPI_Irecv(to, (int)c->chunk.size, push->iteration, rank_of(push, c),
              PUSH_RESULT, s->comm->all, mailbox_add(&push->box));
}

/* A worker's results arrive in the order of its chunks. */
void push_listen(struct push *push)
{
    for (int64_t i = 0; master_here(push) && i < push->count; i++)
        push_await(push, &push->list[i]);
}

void push_send(struct push *push, const struct push_chunk *c)
{
    if (rank_of(push, c) != MASTER)
        port_put(&push->port,
                 &(struct port_message){rank_of(push, c), PUSH_DATA,
                                        c->chunk.start, c->chunk.size});
}

/* All messages wait for the port, in the order of the plan. */
static void begin_sending(struct push *push)
{
    if (push->begun || !master_here(push))
        return;
    push->begun = true;
    if (push->setup.replan != NULL)
        push_rounds_go_on(push);
    for (int64_t i = 0; push->setup.replan == NULL && i < push->count; i++)
        push_send(push, &push->list[i]);
}

bool push_polls(const struct push *push)
{
    if (master_here(push))
        return push->setup.replan != NULL
                   ? push->setup.tree->worker_rank[0] == MASTER
                   : push->chunks > 0;
    return push->setup.overlap && !push->setup.comm->moving;
}

bool push_poll(struct push *push)
{
    if (!master_here(push))
        return landing_poll(&push->landing);
    bool sent = port_poll(&push->port);
    if (push->begun && push->setup.replan != NULL)
        push_rounds_go_on(push);
    return sent;
}

void push_finish(struct push *push)
{
    begin_sending(push);
    if (push->setup.replan != NULL)
        push_rounds_finish(push);
    port_drain(&push->port, &push->setup.patience);
    mailbox_await(&push->box, &push->setup.patience);
}

/* ---- workers ---- */

static void send_results(struct push_source *source)
{
    struct push *push = source->push;
    const struct push_setup *s = &push->setup;
    const struct chunk *c = &source->current;
    if (c->size == 0 || !s->collect || master_here(push))
        return;
    const char *from =
        (const char *)s->output + (size_t)c->start * s->output_bytes;
    MPI_Isend(from, (int)c->size, push->iteration, MASTER, PUSH_RESULT,
              s->comm->all, mailbox_add(&push->box));
    mailbox_count(&push->box, c->size * (int64_t)s->output_bytes);
}

static const struct push_chunk *own_chunk(struct push_source *source)
{
    const struct push *push = source->push;
    while (source->at < push->count)
        if (push->list[source->at++].worker == source->base.worker)
            return &push->list[source->at - 1];
    return NULL;
}

static void post_landings(struct push *push)
{
    struct landing *landing = &push->landing;
    while ((push->setup.replan != NULL || landing->posted < push->chunks) &&
           landing->box.posted < landing->slots)
        landing_post(landing);
}

/* The next chunk of the list; the master may first have to plan its part of a
 * round. */
static bool next_listed(struct push_source *source, struct chunk *chunk)
{
    struct push *push = source->push;
    const struct push_chunk *c = own_chunk(source);
    for (bool idle = true;
         c == NULL && push->setup.replan != NULL && push->rounds.left.left > 0;
         idle = false) {
        push_rounds_next(push, idle);
        c = own_chunk(source);
    }
    if (c != NULL)
        *chunk = c->chunk;
    return c != NULL;
}

static bool find_chunk(struct push_source *source, struct chunk *chunk)
{
    struct push *push = source->push;
    if (push->setup.replan == NULL || master_here(push))
        return next_listed(source, chunk);
    post_landings(push);
    return push_rounds_take(push, &source->base, chunk);
}

static bool push_next(struct source *base, struct chunk *chunk)
{
    struct push_source *source = (struct push_source *)base;
    struct push *push = source->push;
    const struct input *input = push->setup.input;
    bool replan = push->setup.replan != NULL;
    if (replan && source->current.size > 0)
        push_rounds_add(push, base->worker, &source->current, source->since_s);
    send_results(source);
    begin_sending(push);
    source->current.size = 0;
    if (!find_chunk(source, chunk))
        return false;
    if (!master_here(push)) {
        post_landings(push);
        source->data = landing_take(
            &push->landing,
            input_bytes(push->setup.input, chunk->start, chunk->size),
            &push->setup.patience, &source->base);
    } else if (input->before != NULL) {
        source->data = input->store + input->before[chunk->start];
    }
    source->current = *chunk;
    if (replan)
        source->since_s = engine_now();
    return true;
}

void push_source_open(struct push_source *source, struct push *push, int worker)
{
    *source = (struct push_source){
        .base = {.next = push_next, .worker = worker}, .push = push};
}
