/* A chain while the loop runs, and what it leaves behind. */
#include "harness/run/chain.h"

#include <string.h>

static bool uses_rma(const struct chain *chain)
{
    return chain->has_window && !chain->window.shared;
}

void chain_listen(struct chain *chain)
{
    if (chain->has_push)
        push_listen(&chain->push);
    if (chain->has_relay)
        relay_listen(&chain->relay);
    if (chain->has_steal)
        steal_listen(&chain->steal);
}

bool chain_polls(const struct chain *chain)
{
    if (chain->has_push)
        return push_polls(&chain->push);
    if (chain->has_steal)
        return steal_polls(&chain->steal);
    if (chain->has_relay && relay_polls(&chain->relay))
        return true;
    return uses_rma(chain) && chain->comm->rank == 0 && chain->comm->ranks > 1;
}

bool chain_progress(struct chain *chain)
{
    if (chain->has_push)
        return push_poll(&chain->push);
    if (chain->has_steal)
        return steal_poll(&chain->steal);
    if (chain->has_relay && relay_polls(&chain->relay))
        return relay_poll(&chain->relay);
    window_progress(&chain->window);
    return false;
}

void chain_leave(struct chain *chain)
{
    if (chain->has_relay)
        relay_leave(&chain->relay);
}

void chain_finish(struct chain *chain)
{
    if (chain->has_push)
        push_finish(&chain->push);
    if (chain->has_relay)
        relay_finish(&chain->relay);
    if (chain->has_steal)
        steal_finish(&chain->steal);
}

void chain_traffic(const struct chain *chain, int64_t *messages, int64_t *bytes)
{
    if (chain->has_push) {
        *messages += chain->push.messages + chain->push.port.messages;
        *bytes += chain->push.bytes + chain->push.port.bytes;
    }
    if (chain->has_relay) {
        *messages += chain->relay.messages + chain->relay.port.messages;
        *bytes += chain->relay.bytes + chain->relay.port.bytes;
    }
    if (chain->has_steal) {
        *messages += chain->steal.messages;
        *bytes += chain->steal.bytes;
    }
}

struct steal_tally chain_stolen(const struct chain *chain, int i)
{
    if (!chain->has_steal)
        return (struct steal_tally){0};
    return steal_tally(&chain->steal, chain->steal.first_worker + i);
}

bool chain_keeps(const struct chain *chain, int worker)
{
    const struct tree *tree = chain->tree;
    bool collects = chain->has_push    ? chain->push.setup.collect
                    : chain->has_relay ? chain->relay.collect
                                       : false;
    if (!collects)
        return true;
    const struct tree_master *master =
        &tree->master[tree->worker_master[worker]];
    if (master->pool)
        master = &tree->master[master->parent];
    return master->rank == chain->comm->rank;
}

static bool collected_push(const struct push *push, int64_t *cursor,
                           int64_t *start, int64_t *size)
{
    while (push->setup.comm->rank == 0 && *cursor < push->setup.count) {
        const struct push_chunk *c = &push->setup.list[(*cursor)++];
        if (!push_collects(push, c))
            continue;
        *start = c->chunk.start;
        *size = c->chunk.size;
        return true;
    }
    return false;
}

bool chain_collected(const struct chain *chain, int64_t *cursor, int64_t *start,
                     int64_t *size)
{
    if (chain->has_push)
        return collected_push(&chain->push, cursor, start, size);
    if (!chain->has_relay || *cursor >= chain->relay.received_count)
        return false;
    const struct received *r = &chain->relay.received[(*cursor)++];
    *start = r->start;
    *size = r->size;
    return true;
}

const char *chain_data(const struct chain *chain, int i, int64_t *first)
{
    const union chain_source *source = &chain->source[i];
    *first =
        chain->has_push ? source->push.current.start : source->relay.data_start;
    return chain->has_push ? source->push.data : source->relay.data;
}
